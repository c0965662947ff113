# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where one opened source keeps its files: an entry of the cache, or a directory of its own without one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from .cache import Cache, Entry, Facts, open_cache
from .regular_file import reason
from .source_options import SourceOptions
from .source_tree import examine_tree

if TYPE_CHECKING:
    from .image_unpack import ImageFacts


class Place:
    """Finds and makes the entry of one source, and holds it until it is closed."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._stack = ExitStack()
        self._cache: Cache | None = None
        self._entry: Entry | None = None
        self.warnings: tuple[str, ...] = ()

    def kept(self, kind: str, digest: str) -> Entry | None:
        """The entry of this digest where the cache has it."""
        entry = self._open_cache().find(_key(kind, digest))
        return self._hold(entry) if entry else None

    def keep(self, kind: str, digest: str, unpack: Callable[[Path], ImageFacts | None], name: str) -> Entry:
        """The entry of this digest; `unpack` makes its tree where it is not there."""

        def make(work: Path) -> Facts:
            found = unpack(work)
            digest_of_files = examine_tree(work / "tree", self._options.limits, name)
            return vars(found) if found else {"digest": digest_of_files, "labels": {}, "platform": ""}

        return self._hold(self._open_cache().entry(_key(kind, digest), make))

    def entry(self, digest: str, kind: str = "directory") -> Entry:
        """The entry of this source; a directory, which is read where it lies, gets one without files."""
        if self._entry is not None:
            return self._entry
        return self._hold(self._open_cache().entry(_key(kind, digest), lambda _work: {"digest": digest}))

    def close(self) -> None:
        self._entry = None
        self._stack.close()

    def _hold(self, entry: Entry) -> Entry:
        self._stack.callback(entry.release)
        self._entry = entry
        return entry

    def _open_cache(self) -> Cache:
        if self._cache is None:
            self._cache = self._usable_cache()
        return self._cache

    def _usable_cache(self) -> Cache:
        directory = self._options.cache_directory
        try:
            return open_cache(Path(directory).expanduser() if directory else None, self._options.cache_bytes)
        except OSError as error:
            scratch = Path(tempfile.mkdtemp(prefix="fleet.olm-"))
            self._stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            what = self._options.limits.what
            self.warnings = (f"the cache of {what}s cannot be used ({reason(error)}); nothing is kept for later runs",)
            return Cache(scratch, self._options.cache_bytes)


def _key(kind: str, digest: str) -> str:
    return f"{kind}-{digest.removeprefix('sha256:')}"
