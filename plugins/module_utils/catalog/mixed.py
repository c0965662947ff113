# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs with bundles of several formats: clusters that do not know one of them cannot install what has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..bundle.model import REGISTRY_V1
from ..nested import mappings
from .catalog import Catalog
from .model import MEDIATYPE, CatalogBundle


def format_of(document: Mapping[str, Any]) -> str:
    """The format of a bundle in a catalog; those that say nothing have the oldest one."""
    said = [item.get("value") for item in mappings(document.get("properties")) if item.get("type") == MEDIATYPE]
    return next((str(value) for value in said if value), REGISTRY_V1)


def warn_of_mixture(catalog: Catalog | None, document: Mapping[str, Any]) -> tuple[str, ...]:
    """A warning where a bundle comes among others of another format."""
    if catalog is None:
        return ()
    new = format_of(document)
    for bundle in _others(catalog, document):
        other = bundle.mediatype or REGISTRY_V1
        if other != new:
            return (
                f"{catalog.place} holds bundles of the format {other}, such as {bundle.name}; with {document['name']} of the format {new} "
                "it is mixed, and clusters that do not know one of the formats cannot install what has it",
            )
    return ()


def _others(catalog: Catalog, document: Mapping[str, Any]) -> Iterator[CatalogBundle]:
    """All bundles of a catalog but the one whose document is to be replaced."""
    for name in catalog.package_names():
        package = catalog.package(name)
        for bundle in package.bundles if package else ():
            if (name, bundle.name) != (document["package"], document["name"]):
                yield bundle
