# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How much a source may hold. Every limit is enforced while bytes stream in, before they are kept."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SourceError

MEBIBYTE = 1 << 20

# Small archives may compress as well as they like: the ratio counts once this much came out.
_RATIO_COUNTS_FROM = 16 * MEBIBYTE


@dataclass(frozen=True)
class Limits:
    """Far above any real bundle, far below what hurts: real ones hold some hundred files and some MiB."""

    files: int = 10_000
    total_bytes: int = 512 * MEBIBYTE
    file_bytes: int = 64 * MEBIBYTE
    ratio: int = 200
    depth: int = 64
    document_bytes: int = 4 * MEBIBYTE
    what: str = "bundle"


class Budget:
    """What is left of the limits while one source is read; `place` names the source in messages."""

    def __init__(self, limits: Limits, place: str) -> None:
        self.limits = limits
        self.place = place
        self._files = 0
        self._bytes = 0

    def take_file(self) -> None:
        """Count one file, directory or link."""
        self._files += 1
        if self._files > self.limits.files:
            raise SourceError(
                f"{self.place}: holds more than {self.limits.files} files, which no {self.limits.what} does"
            )

    def take_bytes(self, count: int) -> None:
        """Count bytes that came out of an archive."""
        self._bytes += count
        if self._bytes > self.limits.total_bytes:
            raise SourceError(
                f"{self.place}: holds more than {size(self.limits.total_bytes)}, which no {self.limits.what} does"
            )

    def check_file(self, name: str, count: int) -> None:
        """Refuse a single file that is too large."""
        if count > self.limits.file_bytes:
            raise SourceError(
                f"{self.place}: {name} has {size(count)}; a file of a {self.limits.what} may have "
                f"{size(self.limits.file_bytes)}"
            )

    def check_ratio(self, compressed: int, expanded: int) -> None:
        """Refuse what expands as only archives made to fill disks do."""
        if expanded > _RATIO_COUNTS_FROM and expanded > compressed * self.limits.ratio:
            raise SourceError(
                f"{self.place}: expands to more than {self.limits.ratio} times its size, as only archives made to "
                "fill disks do"
            )


def size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / MEBIBYTE:.0f} MiB" if count >= MEBIBYTE else f"{count} bytes"


def shown(name: str) -> str:
    """A name from an archive or a server, fit for a message: one line, printable, not too long."""
    text = name
    if not name.isprintable():
        text = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in name)
    return text if len(text) <= 200 else text[:200] + "…"
