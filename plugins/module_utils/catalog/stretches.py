# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ranges over bundles that are in the order of their versions: a group of comparisons is a stretch of them.

Finding its ends by halving is what keeps ten thousand bundles with ten thousand ranges bounded.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from .problems import BadRange
from .ranges import Comparison, Range, parse_range
from .versions import VersionKey


def readable(text: str) -> Range | None:
    """A `skipRange`; None where there is none, or it cannot be read: it then counts for nothing."""
    try:
        return parse_range(text) if text else None
    except BadRange:
        return None


def stretch(group: tuple[Comparison, ...], keys: Sequence[VersionKey]) -> tuple[int, int, set[VersionKey]]:
    """Where the versions of a group begin and end among sorted ones, and which of those between it leaves out."""
    first, last = 0, len(keys)
    excluded: set[VersionKey] = set()
    for one in group:
        if one.operator in ("!", "!="):
            excluded.add(one.key)
        if one.operator in ("", "=", "==", ">="):
            first = max(first, bisect_left(keys, one.key))
        if one.operator in ("", "=", "==", "<="):
            last = min(last, bisect_right(keys, one.key))
        if one.operator == ">":
            first = max(first, bisect_right(keys, one.key))
        if one.operator == "<":
            last = min(last, bisect_left(keys, one.key))
    return first, last, excluded


def positions(text: str, keys: Sequence[VersionKey]) -> Iterator[int]:
    """The places of the versions that are in a range; those in several of its groups are named for each."""
    found = readable(text)
    for group in found.groups if found else ():
        first, last, excluded = stretch(group, keys)
        for place in range(first, last):
            if keys[place] not in excluded:
                yield place


def first_position(text: str, keys: Sequence[VersionKey]) -> int | None:
    """The place of the lowest version in a range."""
    found = readable(text)
    firsts = []
    for group in found.groups if found else ():
        first, last, excluded = stretch(group, keys)
        firsts += [
            place for place in range(first, min(last, first + len(excluded) + 1)) if keys[place] not in excluded
        ][:1]
    return min(firsts, default=None)
