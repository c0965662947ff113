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
        self.data = data

    @property
    def where(self) -> str:
        where, within = self._place
        return f"{within[0].where}: {within[1]}[{within[2]}]" if within else where

    def text(self, name: str) -> str:
        value = self.data.get(name)
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

    def texts(self, name: str) -> tuple[str, ...]:
        items = self.data.get(name)
        if items is None:
            return ()
        return tuple(Fields({name: item}, self.where).text(name) for item in self._list(name, items))

    def mappings(self, name: str) -> Iterator[Fields]:
        items = self.data.get(name)
        if items is not None:
            for number, item in enumerate(self._list(name, items)):
                yield Fields({} if item is None else item, "", (self, name, number))

    def _list(self, name: str, items: Any) -> list[Any]:
        if not isinstance(items, list):
            raise BadCatalog(f"{self.where}: {name} must be a list, and is {kind_of(items)}")
        return items


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
    if not isinstance(value, Mapping):
        return "", ""
    name, version = value.get("packageName"), value.get("version")
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
            text = value.get("data") if isinstance(value, Mapping) else None
            if not isinstance(text, str):
                continue  # a reference to a file, which catalogs in images cannot have
            try:
                manifest = json.loads(base64.b64decode(text, validate=True))
            except (binascii.Error, ValueError, RecursionError):
                raise BadCatalog(f"{item.where}: value.data is not JSON in base64") from None
            if isinstance(manifest, dict):
                found.append(manifest)
    return found
