# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documents of a stream of JSON or YAML, one at a time, with the bytes that they lie at.

Memory holds one document and what was read ahead, however long the stream is.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..bundle.objects import after_space, decoded, no_constant
from ..bundle.problems import BadBundle
from ..bundle.unpack_limits import shown, size
from ..bundle.unpack_stream import Stream
from ..bundle.yaml_text import parse_document
from ..nested import deeper_than
from .limits import LARGEST_DOCUMENT
from .problems import BadCatalog

_AHEAD = 1 << 20
_SEPARATOR = re.compile(rb"\n---([^\n]*)(?=\n|\Z)")
_DEEPEST = 1000
# A literal, a number or an escape that was cut off is found wrong this near to the end at most.
_CUT = 16
_DECODER = json.JSONDecoder(parse_constant=no_constant)


@dataclass(frozen=True)
class Document:
    """One document: which it is, where it lies, and its data."""

    number: int
    offset: int
    length: int
    data: Any


def documents(stream: Stream, where: str, largest: int = LARGEST_DOCUMENT) -> Iterator[Document]:
    """The documents of a stream; `where` names it in messages. Empty ones are passed over."""
    head = _read(stream, _AHEAD)
    if head.lstrip()[:1] == b"{":
        yield from _json_documents(stream, head, where, largest)
    else:
        yield from _yaml_documents(stream, head, where, largest)


def parse_bytes(content: bytes, where: str) -> Any:
    """The data of the bytes of one document."""
    try:
        text = decoded(content, where)
        if text.lstrip()[:1] == "{":
            try:
                return _checked(_DECODER.decode(text), where)
            except ValueError:
                pass  # YAML can begin so, too
        return parse_document(text, where, [])
    except BadBundle as error:
        raise BadCatalog(str(error)) from None
    except RecursionError:
        raise BadCatalog(f"{where}: nested deeper than {_DEEPEST} levels") from None


def _read(stream: Stream, count: int) -> bytes:
    parts = []
    while count > 0 and (data := stream.read(count)):
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


class _Text:
    """The part of a stream of JSON that was read and not yet used, as text."""

    def __init__(self, stream: Stream, head: bytes, where: str) -> None:
        self._stream = stream
        self._where = where
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.ended = False
        self.offset = 0
        self.text = ""
        self._add(head)

    def drop(self, count: int) -> None:
        """Leave characters behind."""
        self.offset += self.bytes_of(0, count)
        self.text = self.text[count:]

    def bytes_of(self, start: int, end: int) -> int:
        """How many bytes some of the characters are."""
        return end - start if self.text.isascii() else len(self.text[start:end].encode())

    def more(self) -> bool:
        """Read on, as much as there is already; whether there was more."""
        data = b"" if self.ended else _read(self._stream, max(_AHEAD, len(self.text)))
        self._add(data)
        return bool(data)

    def _add(self, data: bytes) -> None:
        try:
            self.text += self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            position = self.offset + self.bytes_of(0, len(self.text)) + error.start + 1
            raise BadCatalog(f"{self._where}: byte {position} is not UTF-8") from None
        self.ended = not data


def _json_documents(stream: Stream, head: bytes, where: str, largest: int) -> Iterator[Document]:
    window = _Text(stream, head, where)
    number = position = 0
    while True:
        start = after_space(window.text, position)
        if start == len(window.text):
            window.drop(start)
            position = 0
            if not window.more():
                return
            continue
        here = f"{where}, document {number + 1}"
        try:
            data, end = _DECODER.raw_decode(window.text, start)
        except ValueError as error:
            if _may_be_cut_off(error, len(window.text)):
                window.drop(start)
                position = 0
                if len(window.text) > largest:
                    raise BadCatalog(f"{here}: is larger than {size(largest)}, or has no end") from None
                if window.more():
                    continue
                start = 0
            if number == 0 and len(window.text) <= largest:
                yield from _yaml_instead(stream, window, where, largest, error)
                return
            raise _broken(here, window, start, error) from None
        except RecursionError:
            raise BadCatalog(f"{here}: nested deeper than {_DEEPEST} levels") from None
        number += 1
        before = window.bytes_of(0, start)
        yield Document(number, window.offset + before, window.bytes_of(start, end), data)
        position = end
        if position > _AHEAD:
            window.drop(position)
            position = 0


def _yaml_instead(stream: Stream, window: _Text, where: str, largest: int, error: ValueError) -> Iterator[Document]:
    """A stream that begins with a brace and is no JSON: a YAML mapping can begin so, too."""
    problem = _broken(f"{where}, document 1", window, 0, error)
    head = window.text.encode()
    if not window.ended:
        head += _read(stream, largest)
    try:
        found = list(_yaml_documents(stream, head, where, largest))
    except BadCatalog:
        raise problem from None
    yield from found


def _may_be_cut_off(error: ValueError, length: int) -> bool:
    return isinstance(error, json.JSONDecodeError) and (
        error.msg.startswith("Unterminated string") or error.pos >= length - _CUT
    )


def _broken(here: str, window: _Text, start: int, error: ValueError) -> BadCatalog:
    if isinstance(error, json.JSONDecodeError):
        if window.ended and _may_be_cut_off(error, len(window.text)):
            return BadCatalog(f"{here}: breaks off at the end of the file")
        line = window.text.count("\n", start, error.pos) + 1
        return BadCatalog(f"{here}: is not valid JSON: {error.msg} in line {line} of it")
    return BadCatalog(f"{here}: is not valid JSON: {shown(str(error))}")


def _checked(data: Any, where: str) -> Any:
    if deeper_than(data, _DEEPEST):
        raise BadCatalog(f"{where}: nested deeper than {_DEEPEST} levels")
    return data


def _yaml_documents(stream: Stream, head: bytes, where: str, largest: int) -> Iterator[Document]:
    # A newline in front, so that every separator follows one; `offset` is where the window lies in the file.
    window, offset = b"\n" + head, -1
    number = start = searched = 0
    while True:
        separator = _SEPARATOR.search(window, searched)
        # One at the very end may go on in what was not read yet.
        if separator is None or separator.end() == len(window):
            data = _read(stream, max(_AHEAD, len(window) - start))
            if data:
                window, offset, start = window[start:] + data, offset + start, 0
                searched = max(0, window.rfind(b"\n", 0, len(window) - len(data)))
                if searched > largest:
                    raise BadCatalog(f"{where}, document {number + 1}: is larger than {size(largest)}")
                continue
        end = separator.start() if separator else len(window)
        content = window[start + 1 : end]
        if content and not content.isspace():
            number += 1
            here = f"{where}, document {number}"
            if len(content) > largest:
                raise BadCatalog(f"{here}: is larger than {size(largest)}")
            parsed = parse_bytes(content, here)
            if parsed is not None:
                yield Document(number, offset + start + 1, len(content), parsed)
        if separator is None:
            return
        _check_separator(separator[1], f"{where}, document {number + 1}")
        start = searched = separator.end()


def _check_separator(rest: bytes, where: str) -> None:
    rest = rest.strip()
    if rest and not rest.startswith(b"#"):
        seen = shown(rest[:40].decode(errors="replace"))
        raise BadCatalog(f"{where}: '---' must stand alone on its line, seen '{seen}' after it")
