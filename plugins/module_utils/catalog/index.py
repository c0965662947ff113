# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The index of a catalog: what each package holds and where its documents lie, made in one pass over the files.

    magic   size and digest of the directory   directory: name of a package -> place, size and digest   packages

A query reads the directory and its own package. What is kept on disk is checked by digest whenever it is read:
a file that was cut off or changed is as good as none.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from ..bundle.regular_file import opened
from ..bundle.unpack_limits import shown
from . import blobs
from .documents import documents
from .files import IGNORE_FILE
from .model import (
    BUNDLE,
    CHANNEL,
    DEPRECATIONS,
    PACKAGE,
    CatalogBundle,
    Channel,
    Deprecation,
    Entry,
    Location,
    Package,
    PackageEntry,
)
from .problems import BadCatalog

# To be raised whenever reading the same files gives another index. What marshal writes is for one version of Python only.
READER = 1
NAME = f"catalog-{READER}-{sys.implementation.cache_tag}"
_MAGIC = b"fleet.olm catalog\n"
_DIGEST_SIZE = 16
_HEAD_SIZE = len(_MAGIC) + 8 + _DIGEST_SIZE

Directory: TypeAlias = "Mapping[str, tuple[int, int, bytes]]"


class Read(Protocol):
    """Gives so many bytes from a place, or fewer where there are no more."""

    def __call__(self, place: int, count: int, /) -> bytes: ...


@dataclass
class _Gathered:
    """One package while the files are read."""

    described: list[PackageEntry] = field(default_factory=list)
    channels: list[Channel] = field(default_factory=list)
    bundles: list[CatalogBundle] = field(default_factory=list)
    deprecations: list[tuple[Deprecation, ...]] = field(default_factory=list)
    others: dict[str, int] = field(default_factory=dict)


class Index:
    """An index that can be read; `read` gives so many bytes from a place in it."""

    def __init__(self, directory: Directory, read: Read) -> None:
        self._directory = directory
        self._read = read

    @property
    def names(self) -> list[str]:
        """The names of all packages."""
        return [name for name in self._directory if name]

    def package(self, name: str) -> Package | None:
        """A package; None where there is none of this name, and the error IndexDamaged where it cannot be trusted."""
        if name not in self._directory:
            return None
        place, size, digest = self._directory[name]
        data = self._read(place, size)
        if _digest(data) != digest:
            raise IndexDamaged
        return _package(marshal.loads(data))  # noqa: S302 - from a directory that only its owner can write to


class IndexDamaged(Exception):
    """What is kept is not what was written."""


def open_index(read: Read) -> Index | None:
    """The index that `read` reads; None where it is not whole."""
    head = read(0, _HEAD_SIZE)
    if len(head) != _HEAD_SIZE or not head.startswith(_MAGIC):
        return None
    size = int.from_bytes(head[len(_MAGIC) : -_DIGEST_SIZE], "big")
    data = read(_HEAD_SIZE, size)
    if _digest(data) != head[-_DIGEST_SIZE:]:
        return None
    directory = marshal.loads(data)  # noqa: S302 - from a directory that only its owner can write to
    first = _HEAD_SIZE + size
    return Index(directory, lambda place, count: read(first + place, count))


def reader_of(path: Path) -> Read:
    """Reads from a file; nothing where there is none."""

    def read(place: int, count: int) -> bytes:
        try:
            with open(path, "rb") as file:
                there = os.fstat(file.fileno()).st_size - place
                file.seek(place)
                return file.read(max(0, min(count, there)))
        except OSError:
            return b""

    return read


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
        raise BadCatalog(f"{place}: holds no documents; a catalog has JSON or YAML with schema: {PACKAGE} and the like")
    return _pack(packages)


def _gather(packages: dict[str, _Gathered], data: Any, location: Location, where: str) -> None:
    fields = blobs.Fields(data, where)
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
    else:
        into.others[schema] = into.others.get(schema, 0) + 1


def _pack(packages: Mapping[str, _Gathered]) -> bytes:
    sections: list[bytes] = []
    directory: dict[str, tuple[int, int, bytes]] = {}
    place = 0
    for name in sorted(packages):
        data = marshal.dumps(_plain(name, packages[name]))
        directory[name] = (place, len(data), _digest(data))
        sections.append(data)
        place += len(data)
    head = marshal.dumps(directory)
    return b"".join([_MAGIC, len(head).to_bytes(8, "big"), _digest(head), head, *sections])


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_SIZE).digest()


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
            )
            for item in gathered.bundles
        ],
        # Later documents of deprecations count for nothing.
        [(item.schema, item.name, item.message) for item in (gathered.deprecations or [()])[0]],
        len(gathered.deprecations),
        gathered.others,
    )


def _at(location: Location) -> tuple[str, int, int, int]:
    return (location.file, location.document, location.offset, location.length)


def _package(plain: Any) -> Package:
    name, described, channels, bundles, deprecations, deprecation_documents, others = plain
    return Package(
        name,
        tuple(PackageEntry(default, description, Location(*at)) for default, description, at in described),
        tuple(
            Channel(channel, tuple(Entry(*entry) for entry in entries), Location(*at))
            for channel, entries, at in channels
        ),
        tuple(
            CatalogBundle(bundle, image, version, Location(*at), packages, dependency, holds_objects)
            for bundle, image, version, at, packages, dependency, holds_objects in bundles
        ),
        tuple(Deprecation(*item) for item in deprecations),
        deprecation_documents,
        others,
    )
