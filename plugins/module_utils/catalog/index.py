# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The index of a catalog: what each package holds and where its documents lie. `index_build.py` makes it.

    magic   size and digest of the directory   directory: name of a package -> place, size and digest   packages

A query reads the directory and its own package. What is kept on disk is checked by digest whenever it is read:
a file that was cut off or changed is as good as none.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from .model import CatalogBundle, Channel, Deprecation, Entry, Location, Package, PackageEntry

# To be raised whenever reading the same files gives another index. What marshal writes is for one version of Python only.
READER = 3
NAME = f"catalog-{READER}-{sys.implementation.cache_tag}"
MAGIC = b"fleet.olm catalog\n"
DIGEST_SIZE = 16
_HEAD_SIZE = len(MAGIC) + 8 + DIGEST_SIZE

Directory: TypeAlias = Mapping[str, tuple[int, int, bytes]]


class Read(Protocol):
    """Gives so many bytes from a place, or fewer where there are no more."""

    def __call__(self, place: int, count: int, /) -> bytes: ...


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
        if digest_of(data) != digest:
            raise IndexDamaged
        return _package(marshal.loads(data))  # noqa: S302 - from a directory that only its owner can write to


class IndexDamaged(Exception):
    """What is kept is not what was written."""


def open_index(read: Read) -> Index | None:
    """The index that `read` reads; None where it is not whole."""
    head = read(0, _HEAD_SIZE)
    if len(head) != _HEAD_SIZE or not head.startswith(MAGIC):
        return None
    size = int.from_bytes(head[len(MAGIC) : -DIGEST_SIZE], "big")
    data = read(_HEAD_SIZE, size)
    if digest_of(data) != head[-DIGEST_SIZE:]:
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


def digest_of(data: bytes) -> bytes:
    """The digest of one part of an index."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


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
            CatalogBundle(bundle, image, version, Location(*at), packages, dependency, holds_objects, mediatype)
            for bundle, image, version, at, packages, dependency, holds_objects, mediatype in bundles
        ),
        tuple(Deprecation(*item) for item in deprecations),
        tuple(Location(*at) for at in deprecation_documents),
        others,
    )
