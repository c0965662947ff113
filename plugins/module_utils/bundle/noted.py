# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Digests of files, without reading them again where nothing was written to them since.

What a file system notes of files changes whenever they do: size, times, number. The time of the last change of what is noted
cannot be set by programs. A file that changed within the clock's grain of when it was read might change again unseen; such a one is read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..errors import SourceError
from .cache import sidecar_path, write_sidecar
from .regular_file import CHUNK, opened
from .source_options import SourceOptions
from .source_place import Place
from .unpack_limits import MEBIBYTE

_SIDECAR = "noted"
# File systems note times at most this coarsely.
_GRAIN = 2 * 10**9
# What is smaller is read in the time that it takes to look up what was noted.
_WORTH_NOTING = MEBIBYTE


@dataclass(frozen=True)
class Noted:
    """What the file system notes of one or several files, as one digest, and the latest of the times in it."""

    digest: str
    latest: int


def noted_digest(path: Path, options: SourceOptions, look: Callable[[], Noted | None], read: Callable[[], str]) -> str:
    """The digest that `read` finds, or found when `look` saw the same; None is seen where it cannot be told."""
    noted = look()
    record = Place(options)
    try:
        entry = record.entry("sha256:" + hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest())
        known = _known(sidecar_path(entry, _SIDECAR), noted) if noted else ""
        if known:
            return known
        start = time.time_ns()
        digest = read()
        if noted and noted == look():
            content = json.dumps({"noted": noted.digest, "at": start, "digest": digest}).encode()
            # A cache that cannot be written costs time and nothing else.
            with suppress(OSError, SourceError):
                write_sidecar(entry, _SIDECAR, content)
        return digest
    finally:
        record.close()


def file_digest(path: Path, options: SourceOptions, place: str) -> str:
    """The digest of one file."""
    with opened(path, place) as file:
        return open_file_digest(path, file, options)


def open_file_digest(path: Path, file: BinaryIO, options: SourceOptions) -> str:
    """The digest of one file that was opened and not read yet; nor is it afterwards."""
    if os.fstat(file.fileno()).st_size < _WORTH_NOTING:
        return _content_digest(file)
    return noted_digest(
        path, options, lambda: noted_of([("", os.fstat(file.fileno()), "")]), lambda: _content_digest(file)
    )


def _content_digest(file: BinaryIO) -> str:
    whole = hashlib.sha256()
    while data := file.read(CHUNK):
        whole.update(data)
    file.seek(0)
    return "sha256:" + whole.hexdigest()


def noted_of(found: list[tuple[str, os.stat_result, str]]) -> Noted:
    """What is noted of files: their names, what the file system says of them, and where links lead."""
    whole = hashlib.sha256()
    latest = 0
    for name, status, target in found:
        times = (status.st_mtime_ns, status.st_ctime_ns)
        latest = max(latest, *times)
        numbers = f"{status.st_mode} {status.st_size} {status.st_dev} {status.st_ino} {times}"
        whole.update(f"{name}\0{numbers} {target}\n".encode("utf-8", "surrogateescape"))
    return Noted(whole.hexdigest(), latest)


def _known(path: Path, noted: Noted) -> str:
    """The digest of an earlier run; empty where something was written since, or could have been."""
    try:
        record = json.loads(path.read_bytes())
        same = record["noted"] == noted.digest and noted.latest < record["at"] - _GRAIN
        return str(record["digest"]) if same else ""
    except (OSError, ValueError, TypeError, LookupError):
        return ""
