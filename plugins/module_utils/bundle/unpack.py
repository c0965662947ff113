# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writing what tars hold into a directory of ours: nothing outside of it, nothing that is no file, directory or link."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import SourceError
from .regular_file import reason
from .unpack_limits import Budget, shown
from .unpack_stream import Stream, decompressed
from .unpack_tar import Member, members, safe_parts

_WHITEOUT, _OPAQUE, _BOOKKEEPING = ".wh.", ".wh..wh..opq", ".wh..wh."


def unpack_archive(stream: Stream, target: Path, budget: Budget) -> None:
    """Unpack a tar, compressed or not, into an empty directory."""
    _Writer(target, budget).write(members(decompressed(stream, budget), budget))


def unpack_layer(stream: Stream, target: Path, budget: Budget, below: tuple[str, ...] = ()) -> bool:
    """Apply a layer of an image onto the layers below it, its whiteouts included; with `below` only what lies in there. Whether there was anything."""
    return _Writer(target, budget).write_layer(members(decompressed(stream, budget), budget, below))


class _Writer:
    """One tar being written below `root`; remembers what it wrote, since whiteouts hide only what lies below."""

    def __init__(self, root: Path, budget: Budget) -> None:
        self._root = Path(os.path.realpath(root))
        self._budget = budget
        self._written: set[Path] = set()

    def write(self, entries: Iterable[Member]) -> None:
        for entry in entries:
            with self._told(entry):
                self._write(entry)

    def write_layer(self, entries: Iterable[Member]) -> bool:
        found = False
        for entry in entries:
            found = True
            last = entry.parts[-1] if entry.parts else ""
            with self._told(entry):
                if last == _OPAQUE:
                    self._hide(self._parent(entry.parts, entry.name))
                elif last.startswith(_BOOKKEEPING):
                    continue  # notes of a storage driver, no part of the image
                elif last.startswith(_WHITEOUT):
                    self._remove_lower(entry)
                else:
                    self._write(entry)
        return found

    @contextmanager
    def _told(self, entry: Member) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise SourceError(f"{self._budget.place}: cannot write {entry.name}: {reason(error)}") from error

    def _write(self, entry: Member) -> None:
        if entry.parts:
            path = self._parent(entry.parts, entry.name) / entry.parts[-1]
            self._place(entry, path)
            self._note(path)
        elif not entry.header.isdir():
            raise SourceError(f"{self._budget.place}: {entry.name or 'a member'} has no name")

    def _place(self, entry: Member, path: Path) -> None:
        is_directory = path.is_dir() and not path.is_symlink()
        if entry.header.isdir() and is_directory:
            return
        source = self._hard_link_target(entry) if entry.header.islnk() else None
        if source == path:
            raise SourceError(f"{self._budget.place}: {entry.name} is a link to itself")
        _remove(path)
        if entry.header.isdir():
            path.mkdir(0o700)
        elif entry.header.issym():
            self._check_symbolic_link(entry)
            path.symlink_to(entry.header.linkname)
        elif source is not None:
            os.link(source, path)
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                for chunk in entry.chunks():
                    file.write(chunk)

    def _parent(self, parts: tuple[str, ...], name: str) -> Path:
        """The real directory that a path lies in, made where missing; links on the way must stay inside."""
        path = self._root
        for part in parts[:-1]:
            path = path / part
            if path.is_symlink():
                path = Path(os.path.realpath(path))
                if not path.is_relative_to(self._root):
                    raise SourceError(f"{self._budget.place}: {name} goes through a link that leads out of the archive")
            if not path.is_dir():
                if path.exists():
                    raise SourceError(f"{self._budget.place}: {name} lies below a file")
                self._budget.take_file()
                path.mkdir(0o700)
        return path

    def _check_symbolic_link(self, entry: Member) -> None:
        """Refuse a link that leads out by its text alone; what links do together is looked at when all are there."""
        target = entry.header.linkname
        depth = -1 if target.startswith("/") else len(entry.parts) - 1
        for part in target.split("/"):
            if depth >= 0:
                depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            raise SourceError(
                f"{self._budget.place}: {entry.name} is a link to {shown(target)}, which leads out of the archive"
            )

    def _hard_link_target(self, entry: Member) -> Path:
        parts = safe_parts(entry.header.linkname, self._budget)
        target = (self._parent(parts, entry.name) / parts[-1]) if parts else self._root
        if not os.path.lexists(target):
            raise SourceError(
                f"{self._budget.place}: {entry.name} is a link to {shown(entry.header.linkname)}, which is not there"
            )
        if not stat.S_ISREG(target.lstat().st_mode):
            raise SourceError(
                f"{self._budget.place}: {entry.name} is a hard link to {shown(entry.header.linkname)}, which is no file"
            )
        return target

    def _remove_lower(self, entry: Member) -> None:
        hidden = entry.parts[-1].removeprefix(_WHITEOUT)
        if hidden in ("", ".", ".."):
            raise SourceError(f"{self._budget.place}: {entry.name} is a whiteout of nothing")
        path = self._parent(entry.parts, entry.name) / hidden
        if path not in self._written:
            _remove(path)

    def _hide(self, directory: Path) -> None:
        """Remove what lower layers put into a directory, and keep what this one did."""
        for path in sorted(directory.iterdir()):
            if path not in self._written:
                _remove(path)
            elif path.is_dir() and not path.is_symlink():
                self._hide(path)

    def _note(self, path: Path) -> None:
        while path != self._root and path not in self._written:
            self._written.add(path)
            path = path.parent


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
