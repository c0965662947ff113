# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs with bundles of several formats: clusters that do not know one of them cannot install what has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..bundle.model import REGISTRY_V1
from ..nested import mappings
from .edit import open_directory

MEDIATYPE = "olm.bundle.mediatype"


def format_of(document: Mapping[str, Any]) -> str:
    """The format of a bundle in a catalog; those that say nothing have the oldest one."""
    said = [item.get("value") for item in mappings(document.get("properties")) if item.get("type") == MEDIATYPE]
    return str(said[0]) if said else REGISTRY_V1


def warn_of_mixture(directory: Path, document: Mapping[str, Any]) -> tuple[str, ...]:
    """A warning where a bundle of a format that OLM does not know comes among others."""
    new = format_of(document)
    if new == REGISTRY_V1 or not directory.is_dir() or not any(directory.iterdir()):
        return ()
    catalog = open_directory(directory)
    for name in catalog.package_names():
        package = catalog.package(name)
        for bundle in package.bundles if package else ():
            other = format_of(catalog.document(bundle.location))
            if other != new:
                return (
                    f"{directory} holds bundles of the format {other}, such as {bundle.name}; with {document.get('name')} of the format {new} "
                    "it is mixed, and clusters that do not know that format cannot install it",
                )
    return ()
