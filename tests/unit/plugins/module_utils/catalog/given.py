# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs written by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import Location, Package
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed

Blob = dict[str, Any]


def package(name: str = "greeter", default: str = "stable", **more: Any) -> Blob:
    return {"schema": "olm.package", "name": name, "defaultChannel": default, **more}


def channel(name: str, *entries: Blob | str, of: str = "greeter") -> Blob:
    written = [{"name": f"{of}.v{entry}"} if isinstance(entry, str) else entry for entry in entries]
    return {"schema": "olm.channel", "package": of, "name": name, "entries": written}


def entry(
    version: str, replaces: str = "", skips: Iterable[str] = (), skip_range: str = "", of: str = "greeter"
) -> Blob:
    """An entry by versions; bundles are named after package and version."""
    found: Blob = {"name": f"{of}.v{version}"}
    if replaces:
        found["replaces"] = f"{of}.v{replaces}"
    if skips:
        found["skips"] = [f"{of}.v{skip}" for skip in skips]
    if skip_range:
        found["skipRange"] = skip_range
    return found


def bundle(version: str, *properties: Blob, of: str = "greeter", name: str = "", **more: Any) -> Blob:
    own = {"type": "olm.package", "value": {"packageName": of, "version": version}}
    return {
        "schema": "olm.bundle",
        "package": of,
        "name": name or f"{of}.v{version}",
        "image": f"registry.example.com/{of}:v{version.replace('+', '-')}",
        "properties": [own, *properties],
        **more,
    }


def deprecations(*entries: tuple[str, str, str], of: str = "greeter") -> Blob:
    found = [{"reference": {"schema": schema, "name": name}, "message": text} for schema, name, text in entries]
    return {"schema": "olm.deprecations", "package": of, "entries": found}


def installed(version: str, of: str = "greeter") -> Installed:
    return Installed(f"{of}.v{version}", version)


def chain(*versions: str, of: str = "greeter") -> list[Blob]:
    """A package with one channel in which each version replaces the one before."""
    entries = [entry(version, before, of=of) for before, version in zip(("", *versions), versions, strict=False)]
    return [package(of), channel("stable", *entries, of=of), *(bundle(version, of=of) for version in versions)]


def write(directory: Path, blobs: Iterable[Blob], name: str = "catalog.json") -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(blob) for blob in blobs))
    return directory


def catalog(directory: Path, blobs: Iterable[Blob], **more: Any) -> Catalog:
    """The same, opened."""
    return Catalog(write(directory, blobs), f"catalog {directory.name}", **more)


def read(directory: Path, blobs: Iterable[Blob], of: str = "greeter") -> Package:
    found = catalog(directory, blobs).package(of)
    assert found is not None
    return found


NOWHERE = Location("catalog.json", 1, 0, 0)
Labels = Mapping[str, str]
