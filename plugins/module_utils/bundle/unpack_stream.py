# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bytes on their way from a file or a registry: verified against a digest, and decompressed within limits."""

from __future__ import annotations

import hashlib
import importlib
import zlib
from pathlib import Path
from typing import Any, Protocol

from ..errors import SourceError
from .regular_file import CHUNK, opened
from .unpack_limits import MEBIBYTE, Budget

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_OTHER_COMPRESSIONS = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip"}
_ZSTD_WINDOW = 128 * MEBIBYTE


class Stream(Protocol):
    """Anything with bytes to read: at most `size` at a time, none at the end."""

    def read(self, size: int, /) -> bytes: ...


class Verified:
    """A stream that must have this sha256 digest, and exactly this size where it is known; more is never read."""

    def __init__(self, stream: Stream, digest: str, size: int | None, place: str) -> None:
        self._stream = stream
        self._digest = digest
        self._size = size
        self._place = place
        self._read = 0
        self._hash = hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(size)
        self._read += len(data)
        if self._size is not None and self._read > self._size:
            raise SourceError(f"{self._place}: has more than the {self._size} bytes that it should have")
        self._hash.update(data)
        return data

    def finish(self) -> None:
        """Read what is left, and refuse the whole where size or digest differ."""
        while self.read(CHUNK):
            pass
        if self._size is not None and self._read < self._size:
            raise SourceError(f"{self._place}: broke off after {self._read} of {self._size} bytes")
        found = "sha256:" + self._hash.hexdigest()
        if found != self._digest:
            raise SourceError(
                f"{self._place}: has the digest {found}, not {self._digest}: it is damaged or was changed"
            )


def read_document(stream: Verified, limit: int, size: int, place: str) -> bytes:
    """A small blob as a whole, verified."""
    if size > limit:
        raise SourceError(f"{place}: says that it has {size} bytes; {limit} are the most accepted")
    parts = []
    while data := stream.read(CHUNK):
        parts.append(data)
    stream.finish()
    return b"".join(parts)


def read_file(path: Path, limit: int, place: str) -> bytes:
    """A small file as a whole."""
    with opened(path, place) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise SourceError(f"{place}: has more than {limit} bytes")
    return data


def decompressed(stream: Stream, budget: Budget) -> Stream:
    """The bytes inside gzip or zstd, or as they are; told apart by their first bytes, as container tools do."""
    head = b""
    while len(head) < 6 and (data := stream.read(6 - len(head))):
        head += data
    for magic, name in _OTHER_COMPRESSIONS.items():
        if head.startswith(magic):
            raise SourceError(f"{budget.place}: is compressed with {name}; accepted are tar, gzip and zstd")
    if head.startswith(_GZIP):
        return _Gunzip(stream, head, budget)
    if head.startswith(_ZSTD):
        return _zstd(_Ahead(stream, head), budget)
    return _Ahead(stream, head)


class _Ahead:
    """A stream whose first bytes were looked at."""

    def __init__(self, stream: Stream, head: bytes) -> None:
        self._stream = stream
        self._head = head
        self.taken = 0

    def read(self, size: int, /) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
        else:
            data = self._stream.read(size)
        self.taken += len(data)
        return data


class _Gunzip:
    """gzip, of one or several members, never more out than asked for."""

    def __init__(self, stream: Stream, head: bytes, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget
        self._input = head
        self._compressed = len(head)
        self._expanded = 0
        self._member: Any = None

    def read(self, size: int, /) -> bytes:
        while self._fill():
            if self._member is None:
                self._input = self._input.lstrip(b"\0")  # padding is allowed after a member
                if not self._input:
                    continue
                self._member = zlib.decompressobj(wbits=31)
            try:
                data: bytes = self._member.decompress(self._input, size)
            except zlib.error as error:
                raise SourceError(
                    f"{self._budget.place}: is no sound gzip ({error}), after {self._compressed} bytes"
                ) from error
            self._input = self._member.unconsumed_tail
            if self._member.eof:
                self._input, self._member = self._member.unused_data, None
            if data:
                self._expanded += len(data)
                self._budget.check_ratio(self._compressed, self._expanded)
                return data
        return b""

    def _fill(self) -> bool:
        if not self._input:
            self._input = self._stream.read(CHUNK)
            self._compressed += len(self._input)
        if not self._input and self._member is not None:
            raise SourceError(f"{self._budget.place}: the gzip breaks off after {self._compressed} bytes")
        return bool(self._input)


def _zstd(stream: _Ahead, budget: Budget) -> Stream:
    try:
        library: Any = importlib.import_module("zstandard")
    except ImportError as error:
        raise SourceError(
            f"{budget.place}: is compressed with zstd, for which the Python library 'zstandard' is needed; install it, "
            "or build the image with gzip layers"
        ) from error
    decoder = library.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    return _Unzstd(decoder.stream_reader(stream, read_across_frames=True), stream, library.ZstdError, budget)


class _Unzstd:
    def __init__(self, reader: Any, stream: _Ahead, problem: type[Exception], budget: Budget) -> None:
        self._reader = reader
        self._stream = stream
        self._problem = problem
        self._budget = budget
        self._expanded = 0

    def read(self, size: int, /) -> bytes:
        try:
            data: bytes = self._reader.read(size)
        except self._problem as error:
            raise SourceError(f"{self._budget.place}: is no sound zstd ({error})") from error
        self._expanded += len(data)
        self._budget.check_ratio(self._stream.taken, self._expanded)
        return data
