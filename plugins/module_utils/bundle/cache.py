# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Unpacked bundles, kept by digest for all runs on this machine.

    ROOT/KEY/entry.json    facts about the entry; its lock says that the entry is in use
    ROOT/KEY/tree/         the files of the bundle
    ROOT/KEY/parsed-NAME   what other modules keep beside it
    ROOT/.KEY.lock         held by the one who makes the entry
    ROOT/.KEY.building/    an entry being made; complete, it is renamed to KEY

A process may be killed at any moment: an entry is there as a whole or not at all, locks end with their holder, and
what a killed process left is removed by the next one that adds an entry.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import OptionError, SourceError
from .cache_locks import lock
from .regular_file import reason
from .unpack_limits import MEBIBYTE

DEFAULT_BYTES = 1024 * MEBIBYTE

_FORMAT = 1
_FACTS = "entry.json"
_SIDECAR = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """One bundle in the cache; it stays there at least until it is released."""

    directory: Path
    facts: Facts
    _hold: int = field(repr=False)

    @property
    def tree(self) -> Path:
        return self.directory / "tree"

    def release(self) -> None:
        os.close(self._hold)


class Cache:
    """Bundles below one directory, at most so many bytes of them; the least recently used go first."""

    def __init__(self, root: Path, max_bytes: int = DEFAULT_BYTES) -> None:
        self._root = root
        self._max_bytes = max_bytes

    def entry(self, key: str, make: Callable[[Path], Facts]) -> Entry:
        """The entry of this key; `make` fills an empty directory where there is none yet, one process at a time."""
        found = self.find(key)
        if found:
            return found
        with self._making(key) as work:
            found = self.find(key)
            if found:
                return found
            facts = make(work)
            made = self._publish(key, work, facts)
        with suppress(OSError):  # others tidy at the same time; the entry is there in any case
            self._tidy(keep=key)
        return made

    def find(self, key: str) -> Entry | None:
        """The entry of this key, where there is a complete one."""
        directory = self._root / key
        hold = lock(directory / _FACTS)
        if hold is None:
            return None
        facts = _read_facts(directory)
        if facts is None or _measure(directory / "tree") != (facts.get("files"), facts.get("bytes")):
            os.close(hold)
            return None
        os.utime(hold)
        return Entry(directory, facts, hold)

    @contextmanager
    def _making(self, key: str) -> Iterator[Path]:
        guard = self._root / f".{key}.lock"
        work = self._root / f".{key}.building"
        held = lock(guard, create=True, exclusive=True)
        if held is None:
            raise SourceError(f"the cache {self._root} is gone; it was removed while it was in use")
        try:
            _remove(work)
            work.mkdir(0o700)
            yield work
        finally:
            _remove(work)
            guard.unlink(missing_ok=True)
            os.close(held)

    def _publish(self, key: str, work: Path, facts: Facts) -> Entry:
        directory = self._root / key
        files, count = _measure(work / "tree")
        facts = {**facts, "format": _FORMAT, "files": files, "bytes": count}
        path = work / _FACTS
        path.touch(0o600)
        path.write_text(json.dumps(facts), encoding="utf-8")
        hold = lock(path)
        if hold is None:
            raise SourceError(f"the cache {self._root} is gone; it was removed while it was in use")
        try:
            if directory.exists():
                self._discard(directory)  # damaged, or find() would have found it
            os.rename(work, directory)
        except BaseException:
            os.close(hold)
            raise
        return Entry(directory, facts, hold)

    def _tidy(self, keep: str) -> None:
        """Remove what killed processes left, and the oldest entries where all together are too large."""
        entries = []
        for path in self._root.iterdir():
            if path.name.startswith(".trash-"):
                _remove(path)
            elif path.name.startswith("."):
                self._remove_abandoned(path)
            elif not (path / _FACTS).exists():
                self._remove_abandoned(self._root / f".{path.name}.lock")
            else:
                entries.append((_last_use(path), _measure(path)[1], path))
        total = sum(count for _time, count, _path in entries)
        for _time, count, path in sorted(entries):
            if total <= self._max_bytes:
                break
            if path.name != keep and self._evict(path):
                total -= count

    def _remove_abandoned(self, path: Path) -> None:
        """Remove what is left of making an entry by a process that is gone; one that lives holds the lock."""
        guard = path.with_suffix(".lock")
        held = lock(guard, create=True, exclusive=True, wait=False)
        if held is not None:
            _remove(path.with_suffix(".building"))
            entry = self._root / guard.stem.removeprefix(".")
            if not (entry / _FACTS).exists():
                self._discard(entry)
            guard.unlink(missing_ok=True)
            os.close(held)

    def _evict(self, directory: Path) -> bool:
        held = lock(directory / _FACTS, exclusive=True, wait=False)
        if held is None:
            return False
        self._discard(directory)
        os.close(held)
        return True

    def _discard(self, directory: Path) -> None:
        """Take an entry out of sight at once, then remove it."""
        trash = self._root / f".trash-{os.urandom(8).hex()}"
        with suppress(FileNotFoundError):
            os.rename(directory, trash)
        _remove(trash)


def open_cache(root: Path | None, max_bytes: int) -> Cache:
    """The cache of this user, or the one in `root`; raises OSError where it cannot be used safely."""
    root = root or default_root()
    root.mkdir(0o700, parents=True, exist_ok=True)
    status = root.stat(follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(0, "it is not a directory of the user that runs this")
    if status.st_mode & 0o077:
        root.chmod(0o700)
    if not os.access(root, os.W_OK | os.X_OK):
        raise PermissionError(0, "it is not writable")
    return Cache(root, max_bytes)


def default_root() -> Path:
    """Where the XDG conventions put it."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    # A relative path is to be ignored, say the conventions.
    parent = Path(base) if os.path.isabs(base) else Path("~/.cache").expanduser()
    return parent / "fleet.olm" / "bundles"


def sidecar_path(entry: Entry, name: str) -> Path:
    """Where another module keeps something beside an entry."""
    if not _SIDECAR.fullmatch(name):
        raise OptionError(f"{name!r} is no name for a file beside a bundle")
    return entry.directory / f"parsed-{name}"


def write_sidecar(entry: Entry, name: str, data: bytes) -> None:
    """Keep something beside an entry: there as a whole or not at all, whoever writes at the same time."""
    path = sidecar_path(entry, name)
    scratch = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(scratch, path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise SourceError(f"cannot write {path}: {reason(error)}") from error


def _read_facts(directory: Path) -> Facts | None:
    try:
        facts = json.loads((directory / _FACTS).read_bytes())
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and facts.get("format") == _FORMAT else None


def _measure(directory: Path) -> tuple[int, int]:
    """The number and the bytes of all files below: what a cut-off or half-removed tree differs in."""
    files = count = 0
    for parent, directories, names in os.walk(directory):
        files += len(directories) + len(names)
        for name in names:
            try:
                count += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                files -= 1
    return files, count


def _last_use(directory: Path) -> float:
    try:
        return (directory / _FACTS).stat().st_mtime
    except OSError:
        return 0.0


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
