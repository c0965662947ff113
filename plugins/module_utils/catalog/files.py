# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a catalog directory: all but those that `.indexignore` files name, in the order in which OLM walks them."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..bundle.regular_file import reason
from ..bundle.unpack_limits import Limits, shown
from ..bundle.unpack_stream import read_file
from .problems import BadCatalog

IGNORE_FILE = ".indexignore"
_LARGEST_IGNORE_FILE = 1 << 20
# A checkout's own bookkeeping is no part of a catalog that lies at its top.
_NO_CONTENT = ".git"


@dataclass(frozen=True)
class Pattern:
    """One line of an ignore file, as Git reads such lines; `below` is the directory that the file lies in."""

    below: tuple[str, ...]
    names: tuple[str, ...]
    anchored: bool
    directories_only: bool
    keeps: bool

    def match(self, path: tuple[str, ...]) -> bool:
        """Whether it names a file, or a directory that the file lies in."""
        if path[: len(self.below)] != self.below:
            return False
        parts = path[len(self.below) :]
        if not self.anchored:
            ends = parts[:-1] if self.directories_only else parts
            return any(_name_matches(self.names[0], part) for part in ends)
        longest = len(parts) - 1 if self.directories_only else len(parts)
        return any(_names_match(self.names, parts[:end]) for end in range(1, longest + 1))


def catalog_files(root: Path, limits: Limits, place: str) -> Iterator[tuple[str, Path]]:
    """The files to read: their names relative to the catalog, and where they are."""
    try:
        yield from _walk(root, (), [], limits, place)
    except (OSError, ValueError) as error:
        raise BadCatalog(f"{place}: cannot be read: {reason(error)}") from error


def _walk(
    directory: Path, parents: tuple[str, ...], patterns: list[Pattern], limits: Limits, place: str
) -> Iterator[tuple[str, Path]]:
    if len(parents) > limits.depth:
        raise BadCatalog(f"{place}: has directories deeper than {limits.depth}")
    names = sorted(os.listdir(directory))
    if IGNORE_FILE in names:
        path = directory / IGNORE_FILE
        where = f"{place}: {shown('/'.join((*parents, IGNORE_FILE)))}"
        text = read_file(path, _LARGEST_IGNORE_FILE, where).decode("utf-8", "replace")
        patterns = [*patterns, *(pattern for line in text.splitlines() for pattern in _patterns(line, parents))]
    for name in names:
        path, parts = directory / name, (*parents, name)
        if path.is_dir():
            if not path.is_symlink() and not (name == _NO_CONTENT and not parents):
                yield from _walk(path, parts, patterns, limits, place)
        elif name != IGNORE_FILE and not _ignored(parts, patterns):
            yield "/".join(parts), path


def _ignored(path: tuple[str, ...], patterns: list[Pattern]) -> bool:
    """The last line that names a file decides about it."""
    return next((not pattern.keeps for pattern in reversed(patterns) if pattern.match(path)), False)


def _patterns(line: str, below: tuple[str, ...]) -> Iterator[Pattern]:
    text = line.rstrip()
    if not text or text.startswith("#"):
        return
    keeps = text.startswith("!")
    text = text[1:] if keeps else text
    directories_only = text.endswith("/")
    text = text.rstrip("/") if directories_only else text
    anchored = "/" in text
    names = tuple(name for name in text.split("/") if name)
    if names:
        yield Pattern(below, names, anchored, directories_only, keeps)


def _names_match(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether path names match a pattern's names; `**` is any number of directories."""
    reachable = {0}
    for name in names:
        if name == "**":
            reachable = set(range(min(reachable), len(parts) + 1))
        else:
            reachable = {end + 1 for end in reachable if end < len(parts) and _name_matches(name, parts[end])}
        if not reachable:
            return False
    return len(parts) in reachable


def _name_matches(pattern: str, name: str) -> bool:
    return _expression(pattern).fullmatch(name) is not None


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str]:
    # What Git escapes with a backslash, fnmatch does with brackets; and they negate in different ways.
    written = re.sub(r"\\(.)", r"[\1]", pattern).replace("[^", "[!")
    try:
        return re.compile(fnmatch.translate(written))
    except re.error:
        return re.compile(re.escape(pattern))
