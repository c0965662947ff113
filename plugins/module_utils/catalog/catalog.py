# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One catalog that was opened: packages by name, and the documents behind them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..bundle.regular_file import opened
from ..bundle.unpack_limits import Limits, shown
from ..errors import SourceError
from .index import Index, IndexDamaged, open_index, reader_of
from .limits import CATALOG_LIMITS
from .model import Location, Package
from .problems import BadCatalog


class Catalog:
    """A catalog in a directory, or in `only` one file of it. Its index is made when it is first asked, unless `kept` has it already."""

    def __init__(
        self,
        directory: Path,
        place: str,
        *,
        name: str = "",
        priority: int = 0,
        labels: Mapping[str, str] | None = None,
        kept: Path | None = None,
        keep: Callable[[bytes], None] | None = None,
        limits: Limits = CATALOG_LIMITS,
        only: str = "",
    ) -> None:
        self.name = name
        self.priority = priority
        self.labels = dict(labels or {})
        self.place = place
        self._directory = directory
        self._kept = kept
        self._keep = keep
        self._limits = limits
        self._only = only
        self._opened: Index | None = None
        self._packages: dict[str, Package | None] = {}

    def package_names(self) -> list[str]:
        """The names of all its packages, sorted."""
        return sorted(self._index().names)

    def package(self, name: str) -> Package | None:
        """What it says of a package; None where it says nothing."""
        if name not in self._packages:
            self._packages[name] = self._read_package(name)
        return self._packages[name]

    def without_package(self) -> Package | None:
        """What belongs to no package: documents that name none."""
        return self.package("")

    def document(self, location: Location) -> dict[str, Any]:
        """A document as a whole, with its fields spelled as OLM spells them."""
        from .blobs import spelled_document
        from .documents import parse_bytes

        where = f"{self.place}: {location}"
        path = self._directory.joinpath(*location.file.split("/"))
        with opened(path, where) as file:
            os.lseek(file.fileno(), location.offset, os.SEEK_SET)
            content = file.read(location.length)
        return spelled_document(parse_bytes(content, where), where)

    def _read_package(self, name: str) -> Package | None:
        try:
            return self._index().package(name)
        except (IndexDamaged, ValueError, EOFError, TypeError):
            self._opened = self._made()
            try:
                return self._opened.package(name)
            except IndexDamaged:
                raise BadCatalog(f"{self.place}: its index cannot be read back") from None

    def _index(self) -> Index:
        if self._opened is None:
            found = open_index(reader_of(self._kept)) if self._kept else None
            self._opened = found or self._made()
        return self._opened

    def _made(self) -> Index:
        # Only here: with an index that is kept, a query needs no parser.
        from .files import catalog_files
        from .index_build import build_index

        files: Iterable[tuple[str, Path]] = [(self._only, self._directory / self._only)]
        if not self._only:
            files = catalog_files(self._directory, self._limits, self.place)
        data = build_index(files, self.place)
        if self._keep:
            # A cache that cannot be written costs time and nothing else.
            with suppress(OSError, SourceError):
                self._keep(data)
        made = open_index(lambda place, count: data[place : place + count])
        if made is None:
            raise BadCatalog(f"{shown(self.place)}: its index cannot be read back")
        return made
