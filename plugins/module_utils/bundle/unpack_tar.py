# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading a tar as a stream, strictly: what tarfile passes over in silence is an error here."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import SourceError
from .regular_file import CHUNK
from .unpack_limits import MEBIBYTE, Budget, shown
from .unpack_stream import Stream

# tarfile reads extended headers into memory whole, however large they say they are.
_HEADER_BYTES = MEBIBYTE
_DAMAGE = (tarfile.TarError, ArithmeticError, LookupError, ValueError, RecursionError, EOFError, AttributeError)


@dataclass(frozen=True)
class Member:
    """One entry of a tar; `parts` are the names on the way to it, none of them `..`."""

    header: tarfile.TarInfo
    name: str
    parts: tuple[str, ...]
    content: TarInput

    def chunks(self) -> Iterator[bytes]:
        """The content of a file, to be read before the next member is asked for."""
        left = self.header.size
        while left:
            data = self.content.take(min(left, CHUNK))
            left -= len(data)
            yield data


class TarInput:
    """The file that tarfile sees: it goes forward only, counts, and gives headers only so much."""

    def __init__(self, stream: Stream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget
        self._buffer = memoryview(b"")
        self._position = 0
        self._header_room = 0
        self.last_block = b""

    def expect_header(self) -> None:
        self._header_room = _HEADER_BYTES

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        self._header_room -= size
        if self._header_room < 0:
            raise SourceError(f"{self._budget.place}: has a header of more than {_HEADER_BYTES} bytes")
        parts = []
        while size and (data := self._some(size)):
            parts.append(data)
            size -= len(data)
        self.last_block = b"".join(parts)
        return self.last_block

    def seek(self, position: int) -> None:
        if position < self._position:
            raise SourceError(f"{self._budget.place}: has a header with an impossible size at byte {self._position}")
        while self._position < position:
            self.take(min(position - self._position, CHUNK))

    def take(self, size: int) -> bytes:
        """Some bytes, at least one."""
        data = self._some(size)
        if not data:
            raise SourceError(f"{self._budget.place}: the tar breaks off after {self._position} bytes")
        return data

    def drain(self) -> None:
        """Read on to the end of the stream, so that its digest can be told."""
        while self._some(CHUNK):
            pass

    def _some(self, size: int) -> bytes:
        if not self._buffer:
            fresh = self._stream.read(CHUNK)
            self._budget.take_bytes(len(fresh))
            self._buffer = memoryview(fresh)
        data = bytes(self._buffer[:size])
        self._buffer = self._buffer[size:]
        self._position += len(data)
        return data


def members(stream: Stream, budget: Budget, below: tuple[str, ...] = ()) -> Iterator[Member]:
    """The members of a tar in order; the stream is at its end when they are.

    With `below` only those that have to do with that directory: an image of a catalog holds an operating system, too.
    """
    content = TarInput(stream, budget)
    archive = None
    while True:
        content.expect_header()
        try:
            # Opening reads the first header already.
            archive = archive or tarfile.TarFile(fileobj=content, mode="r")  # type: ignore[arg-type]
            header = archive.next()
        except _DAMAGE as error:
            if archive is None:
                raise SourceError(f"{budget.place}: is no tar") from error
            raise SourceError(f"{budget.place}: is damaged at byte {content.tell()}: {shown(str(error))}") from error
        if header is None:
            break
        budget.take_file()
        if not below or _concerns(header.name, below):
            yield _checked(header, content, budget)
    # tarfile takes a broken header after the first for the end; a real end is a block of zeros.
    if content.last_block.strip(b"\0") or len(content.last_block) < tarfile.BLOCKSIZE:
        raise SourceError(f"{budget.place}: the tar is damaged or breaks off at byte {content.tell()}")
    content.drain()


def _concerns(name: str, below: tuple[str, ...]) -> bool:
    """Whether a member lies in a directory, or is a whiteout that hides one on the way to it."""
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if parts[: len(below)] == below:
        return True
    return bool(parts) and parts[-1].startswith(".wh.") and parts[:-1] == below[: len(parts) - 1]


def _checked(header: tarfile.TarInfo, content: TarInput, budget: Budget) -> Member:
    name = shown(header.name)
    parts = safe_parts(header.name, budget)
    if header.issparse():
        raise SourceError(f"{budget.place}: {name} is a sparse file, which no {budget.limits.what} needs")
    if not (header.isreg() or header.isdir() or header.issym() or header.islnk()):
        kind = "a device file" if header.isdev() and not header.isfifo() else "a FIFO" if header.isfifo() else "no file"
        raise SourceError(f"{budget.place}: {name} is {kind}; accepted are files, directories and links")
    if header.size < 0 or (header.isreg() and content.tell() != header.offset_data):
        raise SourceError(f"{budget.place}: {name} has an impossible size")
    if header.isreg():
        budget.check_file(name, header.size)
    return Member(header, name, parts, content)


def safe_parts(name: str, budget: Budget) -> tuple[str, ...]:
    """The parts of a path inside an archive; refused where it could lead out of it."""
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if name.startswith("/"):
        raise SourceError(f"{budget.place}: {shown(name)} is an absolute path; paths in an archive must be relative")
    if ".." in parts:
        raise SourceError(f"{budget.place}: {shown(name)} has '..' in its path, which leads out of the archive")
    if "\0" in name:
        raise SourceError(f"{budget.place}: {shown(name)} has a zero byte in its path")
    if len(parts) > budget.limits.depth:
        raise SourceError(f"{budget.place}: {shown(name)} lies deeper than {budget.limits.depth} directories")
    return parts
