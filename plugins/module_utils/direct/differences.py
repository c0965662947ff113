# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between an object as it is and as it would be, field by field, for people to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at

HIDDEN = "(hidden)"
# A CRD can change in thousands of fields; a person reads the first.
MOST_FIELDS = 40

# What the API server writes, not we.
_SERVERS_OWN = frozenset({"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"})


@dataclass(frozen=True)
class FieldChange:
    """One field; None stands for not there."""

    path: str
    before: Any
    after: Any

    def told(self) -> dict[str, Any]:
        return {"path": self.path, "before": self.before, "after": self.after}


def differences(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """The fields that differ; the contents of Secrets are hidden."""
    hide = ("data", "stringData") if after.get("kind") == "Secret" else ()
    return tuple(
        FieldChange(path, HIDDEN if old is not None else None, HIDDEN if new is not None else None)
        if path.partition(".")[0] in hide
        else FieldChange(path, old, new)
        for path, old, new in _walk("", _compared(before or {}), _compared(after))
    )


def _compared(content: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in (at(content, "metadata") or {}).items() if key not in _SERVERS_OWN}
    return {**{key: value for key, value in content.items() if key != "status"}, "metadata": metadata}


def _walk(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            yield from _walk(f"{path}.{key}" if path else str(key), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _walk_lists(path, before, after)
    else:
        yield path, before, after


def _walk_lists(path: str, before: list[Any], after: list[Any]) -> Iterator[tuple[str, Any, Any]]:
    old, new = _by_name(before), _by_name(after)
    if old is not None and new is not None:
        for name in dict.fromkeys((*old, *new)):
            yield from _walk(f"{path}[{name}]", old.get(name), new.get(name))
        return
    for index in range(max(len(before), len(after))):
        yield from _walk(
            f"{path}[{index}]",
            before[index] if index < len(before) else None,
            after[index] if index < len(after) else None,
        )


def _by_name(items: list[Any]) -> dict[str, Any] | None:
    """A list whose items have names of their own; None for any other."""
    named = {str(item["name"]): item for item in items if isinstance(item, Mapping) and "name" in item}
    return named if len(named) == len(items) else None


_KEYED = re.compile(r"\[(?P<inside>(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*)\]")


def has_field(manifest: Any, field: str) -> bool:
    """Whether a manifest sets a field that an API server names, as `.spec.containers[name="manager"].image`."""
    if field == "":
        return True
    keyed = _KEYED.match(field)
    if keyed is not None:
        rest = field[keyed.end() :]
        return isinstance(manifest, list) and any(
            has_field(item, rest) for item in manifest if _is_item(item, keyed["inside"])
        )
    if not field.startswith(".") or not isinstance(manifest, Mapping):
        return False
    # Keys may hold dots themselves, as those of labels do.
    return any(
        has_field(value, field[1 + len(str(key)) :])
        for key, value in manifest.items()
        if field[1:].startswith(str(key)) and field[1 + len(str(key)) :][:1] in ("", ".", "[")
    )


def _is_item(item: Any, inside: str) -> bool:
    """Whether a list item is the one with these keys (`name="manager",port=443`) or this value (`="value"`)."""
    if inside.startswith("="):
        return _text(item) == inside[1:]
    pairs = re.findall(r'([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^,]*)', inside)
    # A key that is left out has its default, which manifests often leave out, too.
    return isinstance(item, Mapping) and all(_text(item[key]) == value for key, value in pairs if key in item)


def _text(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
