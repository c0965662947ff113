# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two configuration schemas side by side: which configurations stop being accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..config.schema import IS_INSTALL_NAMESPACE, IS_NOT_INSTALL_NAMESPACE, NAMESPACE_NAME
from ..nested import at, texts

# Words that explain and do not decide, and parts that are compared on their own.
_NOT_COMPARED = {
    *("description", "title", "$comment", "examples", "default", "$id", "$schema"),
    *("properties", "items", "required", "definitions", "$defs", "$ref"),
}
_NAMESPACE_FORMATS = (IS_INSTALL_NAMESPACE, IS_NOT_INSTALL_NAMESPACE)
_MOST_REFERENCES = 40


@dataclass(frozen=True)
class SchemaChange:
    """One difference. It is breaking where a configuration that was accepted may now be refused."""

    path: str
    breaking: bool
    message: str


def compare_schemas(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> tuple[SchemaChange, ...]:
    """The differences, in the order of their paths."""
    if old is None or new is None:
        if old is new:
            return ()
        if new is None:
            return (SchemaChange("", True, "the bundle no longer takes a configuration"),)
        required = texts(new.get("required"))
        needs = f", and needs {', '.join(required)}" if required else ""
        return (SchemaChange("", bool(required), f"the bundle now takes a configuration{needs}"),)
    return tuple(_compare(_Place("", old, old), _Place("", new, new), 0))


@dataclass(frozen=True)
class _Place:
    """A part of a schema: where it is, what it says, and the document that its references point into."""

    path: str
    schema: Any
    root: Mapping[str, Any]

    @property
    def said(self) -> Mapping[str, Any]:
        """The schema itself, references followed."""
        schema = self.schema
        for _step in range(_MOST_REFERENCES):
            reference = at(schema, "$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            schema = at(self.root, *reference[2:].split("/"))
        return schema if isinstance(schema, Mapping) else {}

    def parts(self) -> dict[str, _Place]:
        """The schemas of what is below: properties by name, items of lists as []."""
        properties = self.said.get("properties")
        found = {
            f"{self.path}.{key}" if self.path else str(key): part
            for key, part in (properties.items() if isinstance(properties, Mapping) else ())
        }
        if isinstance(self.said.get("items"), Mapping):
            found[f"{self.path}[]"] = self.said["items"]
        return {path: _Place(path, part, self.root) for path, part in found.items()}


def _compare(old: _Place, new: _Place, depth: int) -> Iterator[SchemaChange]:
    before, after = old.said, new.said
    same_documents = old.root.get("definitions") == new.root.get("definitions") and "$defs" not in new.root
    if depth > _MOST_REFERENCES or (before == after and same_documents):
        return
    old_parts, new_parts = old.parts(), new.parts()
    for path in sorted(set(old_parts) | set(new_parts)):
        if path not in new_parts:
            yield SchemaChange(path, True, f"{path} is no longer accepted")
        elif path not in old_parts:
            yield SchemaChange(path, False, f"{path} is new")
        else:
            yield from _compare(old_parts[path], new_parts[path], depth + 1)
    yield from _required(before, after, new.path)
    for keyword in sorted((set(before) | set(after)) - _NOT_COMPARED):
        if before.get(keyword) != after.get(keyword):
            change = _words(keyword, before, after)
            breaking = not _loosened(keyword, before.get(keyword), after.get(keyword))
            yield SchemaChange(new.path, breaking, f"{new.path or 'the configuration'}: {change}")


def _required(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[SchemaChange]:
    before, after = set(texts(old.get("required"))), set(texts(new.get("required")))
    for key in sorted(before ^ after):
        here = f"{path}.{key}" if path else key
        added = key in after
        yield SchemaChange(here, added, f"{here} is {'now' if added else 'no longer'} required")


def _loosened(keyword: str, old: Any, new: Any) -> bool:
    """Whether everything that was accepted still is."""
    if new is None:
        return True
    if old is None:
        return False
    if keyword == "type":
        return set(_list(old)) <= set(_list(new))
    if keyword == "enum":
        return all(value in _list(new) for value in _list(old))
    if keyword == "additionalProperties":
        return new is True
    if keyword == "format":
        return old in _NAMESPACE_FORMATS and new == NAMESPACE_NAME
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return new <= old if keyword.startswith(("min", "exclusiveMin")) else new >= old
    return False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _words(keyword: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if keyword not in old:
        return f"{keyword} {new[keyword]!r} now holds"
    if keyword not in new:
        return f"{keyword} {old[keyword]!r} no longer holds"
    return f"{keyword} changed from {old[keyword]!r} to {new[keyword]!r}"
