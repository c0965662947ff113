# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The digest of a catalog's directory, without reading all of it again where nothing was written to it since.

What a file system notes of files changes whenever they do: size, times, number. The time of the last change of what is noted
cannot be set by programs. A file that changed within the clock's grain of when it was read might change again unseen; such a directory is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..bundle.cache import sidecar_path, write_sidecar
from ..bundle.source_options import SourceOptions
from ..bundle.source_place import Place
from ..bundle.source_tree import examine_tree
from ..errors import SourceError

_SIDECAR = "noted"
# File systems note times at most this coarsely.
_GRAIN = 2 * 10**9


@dataclass(frozen=True)
class Noted:
    """What the file system notes of all files below a directory, as one digest, and the latest of the times in it."""

    digest: str
    latest: int


def directory_digest(path: Path, options: SourceOptions, place: str) -> str:
    """The digest of all files below a directory, which are safe to read."""
    noted = _noted(path)
    record = Place(options)
    try:
        entry = record.entry("sha256:" + hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest())
        known = _known(sidecar_path(entry, _SIDECAR), noted) if noted else ""
        if known:
            return known
        start = time.time_ns()
        digest = examine_tree(path, options.limits, place)
        if noted and noted == _noted(path):
            content = json.dumps({"noted": noted.digest, "at": start, "digest": digest}).encode()
            # A cache that cannot be written costs time and nothing else.
            with suppress(OSError, SourceError):
                write_sidecar(entry, _SIDECAR, content)
        return digest
    finally:
        record.close()


def _known(path: Path, noted: Noted) -> str:
    """The digest of an earlier run; empty where something was written since, or could have been."""
    try:
        record = json.loads(path.read_bytes())
        same = record["noted"] == noted.digest and noted.latest < record["at"] - _GRAIN
        return str(record["digest"]) if same else ""
    except (OSError, ValueError, TypeError, LookupError):
        return ""


def _noted(root: Path) -> Noted | None:
    """What is noted now; None where it cannot be told, which reading will tell better."""
    whole = hashlib.sha256()
    latest = 0
    try:
        for name, status, target in sorted(_walk(str(root), "")):
            times = (status.st_mtime_ns, status.st_ctime_ns)
            latest = max(latest, *times)
            whole.update(
                f"{name}\0{status.st_mode} {status.st_size} {status.st_ino} {times} {target}\n".encode(
                    "utf-8", "surrogateescape"
                )
            )
    except (OSError, ValueError, RecursionError):
        return None
    return Noted(whole.hexdigest(), latest)


def _walk(directory: str, below: str) -> Iterator[tuple[str, os.stat_result, str]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            name = f"{below}{entry.name}"
            yield name, entry.stat(follow_symlinks=False), os.readlink(entry.path) if entry.is_symlink() else ""
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{name}/")
