# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Making the index of a catalog, in one pass over its files."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..bundle.regular_file import opened
from ..bundle.unpack_limits import shown
from . import blobs
from .documents import documents
from .files import IGNORE_FILE
from .index import MAGIC, digest_of
from .model import (
    BUNDLE,
    CHANNEL,
    DEPRECATIONS,
    PACKAGE,
    CatalogBundle,
    Channel,
    Deprecation,
    Location,
    PackageEntry,
)
from .problems import BadCatalog, NoDocuments


@dataclass
class _Gathered:
    """One package while the files are read."""

    described: list[PackageEntry] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    bundles: list[CatalogBundle] = field(default_factory=list)
    deprecations: list[tuple[Deprecation, ...]] = field(default_factory=list)
    deprecation_documents: list[Location] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)


def build_index(files: Iterable[tuple[str, Path]], place: str) -> bytes:
    """The index of these files: their names as messages have them, and where they are."""
    packages: dict[str, _Gathered] = {}
    found = False
    for name, path in files:
        where = f"{place}: {shown(name)}"
        with opened(path, where) as file:
            for document in documents(file, where):
                found = True
                location = Location(name, document.number, document.offset, document.length)
                _gather(packages, document.data, location, f"{where}, document {document.number}")
    if not found:
        raise NoDocuments(
            f"{place}: holds no documents; a catalog has JSON or YAML with schema: {PACKAGE} and the like"
        )
    return _pack(packages)


def _gather(packages: dict[str, _Gathered], data: Any, location: Location, where: str) -> None:
    fields = blobs.document_fields(data, where)
    schema, package, name = fields.text("schema"), fields.text("package"), fields.text("name")
    if not schema:
        raise BadCatalog(
            f"{where}: has no schema; every document of a catalog has one, and other files are named in {IGNORE_FILE}"
        )
    into = packages.setdefault(name if schema == PACKAGE else package, _Gathered())
    if schema == PACKAGE:
        into.described.append(blobs.package_entry(fields, location))
    elif schema == CHANNEL:
        into.channels.append(blobs.channel(fields, location))
    elif schema == BUNDLE:
        into.bundles.append(blobs.bundle(fields, location))
    elif schema == DEPRECATIONS:
        into.deprecations.append(blobs.deprecations(fields))
        into.deprecation_documents.append(location)
    else:
        into.others[schema] = into.others.get(schema, 0) + 1


def _pack(packages: Mapping[str, _Gathered]) -> bytes:
    sections: list[bytes] = []
    directory: dict[str, tuple[int, int, bytes]] = {}
    place = 0
    for name in sorted(packages):
        data = marshal.dumps(_plain(name, packages[name]))
        directory[name] = (place, len(data), digest_of(data))
        sections.append(data)
        place += len(data)
    head = marshal.dumps(directory)
    return b"".join([MAGIC, len(head).to_bytes(8, "big"), digest_of(head), head, *sections])


def _plain(name: str, gathered: _Gathered) -> tuple[Any, ...]:
    return (
        name,
        [(item.default_channel, item.description, _at(item.location)) for item in gathered.described],
        [
            (
                item.name,
                [(one.name, one.replaces, one.skips, one.skip_range) for one in item.entries],
                _at(item.location),
            )
            for item in gathered.channels
        ],
        [
            (
                item.name,
                item.image,
                item.version,
                _at(item.location),
                item.packages,
                item.dependency,
                item.holds_objects,
                item.mediatype,
            )
            for item in gathered.bundles
        ],
        # Later documents of deprecations count for nothing.
        [(item.schema, item.name, item.message) for item in (gathered.deprecations or [()])[0]],
        [_at(location) for location in gathered.deprecation_documents],
        gathered.others,
    )


def _at(location: Location) -> tuple[str, int, int, int]:
    return (location.file, location.document, location.offset, location.length)
