# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of a catalog's files that leave everything else in them as it was: order, comments, spacing.

A document is replaced, added or removed by the bytes that it lies at. Entries of a document in YAML are changed line by line.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MissingLibrary
from ..manifests.yaml_writer import to_yaml
from ..nested import at
from .blobs import spelled_document
from .documents import parse_bytes
from .model import Location
from .problems import BadCatalog

Entry = Mapping[str, Any]
Reference = tuple[str, str]


@dataclass(frozen=True)
class Replacement:
    """New text for some characters of a file."""

    start: int
    end: int
    text: str


def is_json(text: str) -> bool:
    """Whether a file is JSON."""
    return text.lstrip()[:1] == "{"


def apply(text: str, changes: list[Replacement]) -> str:
    """The text of a file after changes, which do not overlap."""
    for change in sorted(changes, key=lambda one: one.start, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def span(text: str, location: Location) -> tuple[int, int]:
    """The characters that a document lies at; its place is known in bytes."""
    data = text.encode()
    start = len(data[: location.offset].decode())
    return start, start + len(data[location.offset : location.offset + location.length].decode())


def replaced(text: str, location: Location, document: Mapping[str, Any]) -> Replacement:
    """Another document in the place of one."""
    start, end = span(text, location)
    old = text[start:end]
    new = written(document, old if is_json(text) else "")
    return Replacement(start, end, new if old.endswith("\n") or is_json(text) else new.rstrip("\n"))


def added_after(text: str, location: Location, *documents: Mapping[str, Any]) -> Replacement:
    """New documents behind one."""
    start, end = span(text, location)
    if is_json(text):
        return Replacement(end, end, "".join("\n" + written(document, text[start:end]) for document in documents))
    new = "---\n".join(written(document, "") for document in documents)
    before = "" if text[:end].endswith("\n") else "\n"
    return Replacement(end, end, f"{before}---\n{new if end == len(text) else new.rstrip(chr(10))}")


def removed(text: str, location: Location) -> Replacement:
    """Nothing in the place of a document, nor of the separator before it."""
    start, end = span(text, location)
    end += text[end : end + 1] == "\n"
    if not is_json(text):
        separator = text.rfind("\n---", 0, start) + 1
        if text[separator : separator + 3] == "---":
            start = separator
    return Replacement(start, end, "")


def written(document: Mapping[str, Any], like: str) -> str:
    """A document as YAML, or as JSON that is laid out like another."""
    if not like:
        return to_yaml(document)
    lines = like.splitlines()
    if len(lines) == 1:
        return json.dumps(document, ensure_ascii=False)
    indent = len(lines[1]) - len(lines[1].lstrip())
    return json.dumps(document, ensure_ascii=False, indent=indent or 4)


def with_entry(text: str, location: Location, document: Mapping[str, Any], entry: Entry) -> Replacement:
    """A channel with an entry added, or changed where it is there already."""
    found = [entry if item.get("name") == entry["name"] else item for item in _listed(document)]
    return _entries(text, location, document, found if entry in found else [*found, entry])


def without_entry(text: str, location: Location, document: Mapping[str, Any], name: str) -> Replacement:
    """A channel without an entry. What replaced it replaces what it replaced, and skips it, so that nobody is left behind."""
    entries = _listed(document)
    gone = next((item for item in entries if item.get("name") == name), {})
    left = [None if item.get("name") == name else _moved_up(item, gone) for item in entries]
    return _entries(text, location, document, left)


def references(document: Mapping[str, Any]) -> list[Reference]:
    """What a document of deprecations names, by schema and name."""
    found = ((at(item, "reference", "schema"), at(item, "reference", "name")) for item in _listed(document))
    return [(schema or "", name or "") for schema, name in found]


def without_references(
    text: str, location: Location, document: Mapping[str, Any], gone: Collection[Reference]
) -> Replacement:
    """A document of deprecations without the entries that name something."""
    listed = zip(references(document), _listed(document), strict=True)
    return _entries(text, location, document, [None if reference in gone else item for reference, item in listed])


def _listed(document: Mapping[str, Any]) -> list[Entry]:
    return [dict(item or {}) for item in document.get("entries") or []]


def _moved_up(entry: Entry, gone: Entry) -> Entry:
    before = gone.get("replaces")
    if entry.get("replaces") != gone.get("name") or not before:
        return entry
    skips = [*(entry.get("skips") or []), gone["name"]]
    return {**entry, "replaces": before, "skips": list(dict.fromkeys(skips))}


def _entries(text: str, location: Location, document: Mapping[str, Any], after: Sequence[Entry | None]) -> Replacement:
    """A document with other entries: one or None for each that it has, and then those that are new."""
    wanted = {**document, "entries": [item for item in after if item is not None]}
    start, end = span(text, location)
    if not is_json(text):
        edited = _edited_lines(text[start:end], _listed(document), after)
        if edited is not None and _reads_as(edited, wanted):
            return Replacement(start, end, edited)
    return replaced(text, location, wanted)


def _reads_as(text: str, document: Mapping[str, Any]) -> bool:
    """Whether a text means a document; where an entry has an alias, the lines of another are a part of it."""
    try:
        return spelled_document(parse_bytes(text.encode(), ""), "") == document
    except BadCatalog:
        return False


def _edited_lines(text: str, before: Sequence[Entry], after: Sequence[Entry | None]) -> str | None:
    """The text of a document with only the lines changed of entries that changed; None where its style does not allow it."""
    places = _item_places(text)
    if not places or len(places) != len(before):
        return None
    start, end = places[0][0], places[-1][1]
    indent = text[start : text.index("-", start)]
    changes = [
        Replacement(first, last, _item(new, indent) if new is not None else "")
        for old, new, (first, last) in zip(before, after, places, strict=False)
        if new != old
    ]
    added = "".join(_item(item, indent) for item in after[len(before) :] if item is not None)
    if added:
        changes.append(Replacement(end, end, added if text[:end].endswith("\n") else f"\n{added}"))
    edited = apply(text, changes)
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def _item(entry: Entry, indent: str) -> str:
    ordered = {key: entry[key] for key in ("name", "replaces", "skips", "skipRange") if key in entry}
    lines = "".join(to_yaml({key: value}) for key, value in {**ordered, **entry}.items()).splitlines()
    return "".join(f"{indent}{'- ' if number == 0 else '  '}{line}\n" for number, line in enumerate(lines))


def _item_places(text: str) -> list[tuple[int, int]]:
    """The lines of each entry of a document in block style: from the start of its first to the end of its last."""
    try:
        import yaml
    except ImportError:
        raise MissingLibrary("PyYAML is not installed; it is needed to write YAML: pip install PyYAML") from None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise BadCatalog(f"entries cannot be edited: {str(error).splitlines()[0]}") from None
    pairs = node.value if isinstance(node, yaml.MappingNode) and not node.flow_style else []
    listed = next((value for key, value in pairs if getattr(key, "value", None) == "entries"), None)
    if not isinstance(listed, yaml.SequenceNode) or listed.flow_style:
        return []
    places = []
    for item in listed.value:
        start = text.rfind("\n", 0, item.start_mark.index) + 1
        end = text.find("\n", _last(item))
        places.append((start, len(text) if end < 0 else end + 1))
    return places


def _last(node: Any) -> int:
    """Where the last thing of a node ends; the end that the parser tells lies behind comments that follow it."""
    children = node.value
    if isinstance(children, list) and children and not node.flow_style:
        last = children[-1]
        return _last(last[1] if isinstance(last, tuple) else last)
    return max(int(node.start_mark.index), int(node.end_mark.index) - 1)
