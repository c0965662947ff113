# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One document of a catalog, typed as OLM's own reader types it. What it would refuse is refused here, with words."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..bundle.unpack_limits import shown
from ..kubernetes.go_json import exact
from .model import (
    BUNDLE_OBJECT,
    DEPENDENCY_PROPERTIES,
    MEDIATYPE,
    PACKAGE_PROPERTY,
    CatalogBundle,
    Channel,
    Deprecation,
    Entry,
    Location,
    PackageEntry,
)
from .problems import BadCatalog

# The fields that OLM's reader knows, as it spells them. It takes them with letters of any case.
FIELDS = frozenset(
    (
        *("schema", "package", "name", "properties"),
        *("defaultChannel", "description", "icon"),
        *("entries", "replaces", "skips", "skipRange"),
        *("image", "relatedImages"),
        *("type", "value", "packageName", "version", "data"),
        *("reference", "message"),
    )
)
_SPELLINGS = {name.lower(): name for name in FIELDS}
KINDS = {str: "a text", dict: "a mapping", list: "a list"}


class Fields:
    """The fields of a mapping in a document. What is not there, or null, is empty; what is of another type is refused.

    Where it stands is put into words only when something is wrong: a catalog has a hundred thousand of them.
    """

    __slots__ = ("_place", "data")

    def __init__(self, data: Any, where: str, within: tuple[Fields, str, int] | None = None) -> None:
        self._place = (where, within)
        if not isinstance(data, dict):
            raise BadCatalog(f"{self.where} must be a mapping, and is {kind_of(data)}")
        self.data = spelled(data)

    @property
    def where(self) -> str:
        where, within = self._place
        return f"{within[0].where}: {within[1]}[{within[2]}]" if within else where

    def text(self, name: str) -> str:
        return self._text(name, self.data.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        items = self.data.get(name)
        return () if items is None else tuple(self._text(name, item) for item in self._list(name, items))

    def mappings(self, name: str) -> Iterator[Fields]:
        items = self.data.get(name)
        if items is not None:
            for number, item in enumerate(self._list(name, items)):
                yield Fields({} if item is None else item, "", (self, name, number))

    def _text(self, name: str, value: Any) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            hint = "; write it in quotes" if isinstance(value, (int, float)) else ""
            raise BadCatalog(f"{self.where}: {name} must be a text, and is {kind_of(value)}{hint}")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise BadCatalog(f"{self.where}: {name} holds half of a character") from None
        return value

    def _list(self, name: str, items: Any) -> list[Any]:
        if not isinstance(items, list):
            raise BadCatalog(f"{self.where}: {name} must be a list, and is {kind_of(items)}")
        return items


def spelled(data: dict[Any, Any]) -> dict[Any, Any]:
    """A mapping with its fields spelled as OLM spells them; the very same where they are."""
    return data if data.keys() <= FIELDS else exact(data, _SPELLINGS)


def document_fields(data: Any, where: str) -> Fields:
    """The fields of a whole document, in which OLM's reader refuses keys that differ only in the case of their letters."""
    fields = Fields(data, where)
    if fields.data is not data:
        seen: dict[str, str] = {}
        for key in map(str, data):
            other = seen.setdefault(key.lower(), key)
            if other != key:
                raise BadCatalog(
                    f"{where}: has both {shown(other)} and {shown(key)}, which OLM takes for one; remove one"
                )
    return fields


def spelled_document(data: Any, where: str) -> dict[str, Any]:
    """A whole document with its fields, and those of what it lists, spelled as OLM spells them."""
    fields = Fields(data, where)
    found = dict(fields.data)
    for name in ("entries", "properties"):
        if found.get(name):
            found[name] = [_with_reference(item.data) for item in fields.mappings(name)]
    return found


def _with_reference(item: dict[str, Any]) -> dict[str, Any]:
    reference = item.get("reference")
    return {**item, "reference": spelled(reference)} if isinstance(reference, dict) else item


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {shown(str(value))}"
    return next((words for kind, words in KINDS.items() if isinstance(value, kind)), "of another type")


def package_entry(fields: Fields, location: Location) -> PackageEntry:
    """An olm.package document."""
    return PackageEntry(fields.text("defaultChannel"), fields.text("description"), location)


def channel(fields: Fields, location: Location) -> Channel:
    """An olm.channel document."""
    return Channel(fields.text("name"), tuple(entry(item) for item in fields.mappings("entries")), location)


def entry(fields: Fields) -> Entry:
    """An entry of a channel."""
    return Entry(fields.text("name"), fields.text("replaces"), fields.texts("skips"), fields.text("skipRange"))


def bundle(fields: Fields, location: Location) -> CatalogBundle:
    """An olm.bundle document."""
    version, dependency, mediatype = "", "", ""
    packages: list[str] = []
    holds_objects = False
    for item in fields.mappings("properties"):
        kind = item.text("type")
        if kind == PACKAGE_PROPERTY:
            name, told = package_property(item.data.get("value"))
            version = version if packages else told
            packages.append(name)
        elif kind == BUNDLE_OBJECT:
            holds_objects = True
        elif kind in DEPENDENCY_PROPERTIES:
            dependency = dependency or kind
        elif kind == MEDIATYPE:
            mediatype = mediatype or str(item.data.get("value") or "")
    return CatalogBundle(
        fields.text("name"),
        fields.text("image"),
        version,
        location,
        tuple(packages),
        dependency,
        holds_objects,
        mediatype,
    )


def package_property(value: Any) -> tuple[str, str]:
    """Package name and version from the value of an olm.package property; empty where it has none."""
    if not isinstance(value, dict):
        return "", ""
    found = spelled(value)
    name, version = found.get("packageName"), found.get("version")
    return (name if isinstance(name, str) else ""), (version if isinstance(version, str) else "")


def deprecations(fields: Fields) -> tuple[Deprecation, ...]:
    """An olm.deprecations document."""
    found = []
    for item in fields.mappings("entries"):
        reference = Fields(item.data.get("reference") or {}, f"{item.where}: reference")
        found.append(Deprecation(reference.text("schema"), reference.text("name"), item.text("message")))
    return tuple(found)


def bundle_objects(data: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The manifests that a bundle of an old catalog carries in its olm.bundle.object properties."""
    found = []
    for item in Fields(dict(data), where).mappings("properties"):
        if item.text("type") == BUNDLE_OBJECT:
            value = item.data.get("value")
            text = spelled(value).get("data") if isinstance(value, dict) else None
            if not isinstance(text, str):
                continue  # a reference to a file, which catalogs in images cannot have
            try:
                manifest = json.loads(base64.b64decode(text, validate=True))
            except (binascii.Error, ValueError, RecursionError):
                raise BadCatalog(f"{item.where}: value.data is not JSON in base64") from None
            if isinstance(manifest, dict):
                found.append(manifest)
    return found
