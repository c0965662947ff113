# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ranges that catalogs hold in `skipRange`, in the language of the Go library blang/semver, in which OLM has them.

    >=1.0.0 <1.2.0      <2.0.0 || >=3.0.0 !3.1.0      1.2.x

It is another language than that of `constraints`: there are no `~` and `^`, versions are written out or end in `x`,
and pre-releases are versions like any other. Its slips are kept, since they decide about upgrades: a part of a single
character is passed over, so that `! 1.0.0` means `1.0.0`, and `1.x.x` ends where 1.1.0 begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..bundle.unpack_limits import shown
from .problems import BadRange, BadVersion
from .versions import Version, VersionKey, parse_version

# What Go takes for white space around an operator.
_GO_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_DIGIT = re.compile("[0-9]")
_LARGEST_INTEGER = 2**63 - 1
# How an operator before a wildcard is written out: what stands before the version, what before its successor.
_WILDCARD_OPERATORS: Mapping[str, tuple[str | None, str | None]] = {
    ">": (None, ">="),
    ">=": (">=", None),
    "<": ("<", None),
    "<=": (None, "<"),
    "": (">=", "<"),
    "=": (">=", "<"),
    "==": (">=", "<"),
    "!": ("<", ">="),
    "!=": ("<", ">="),
}


@dataclass(frozen=True)
class Comparison:
    """One comparison with a version."""

    operator: str
    key: VersionKey


@dataclass(frozen=True)
class Range:
    """Groups of comparisons; all of one group must hold."""

    groups: tuple[tuple[Comparison, ...], ...]

    def match(self, version: Version) -> bool:
        """Whether a version is in the range."""
        key = version.key
        return any(all(_OPERATORS[one.operator](key, one.key) for one in group) for group in self.groups)


@lru_cache(maxsize=65536)
def parse_range(text: str) -> Range:
    """A range from its text."""
    try:
        return Range(tuple(_group(group) for group in _groups(_parts(text))))
    except (BadRange, BadVersion) as error:
        raise BadRange(f"{shown(repr(text))} is no range of versions: {error}") from None


def _parts(text: str) -> list[str]:
    """Split at spaces, unless they follow an operator; a part of one character is lost."""
    found = []
    start, last = 0, ""
    for position, character in enumerate(text):
        if character == " " and last not in (">", "<", "="):
            if start < position - 1:
                found.append(text[start:position])
            start = position + 1
        elif character != " ":
            last = character
    if start < len(text) - 1:
        found.append(text[start:])
    return [part.replace(" ", "") for part in found]


def _groups(parts: list[str]) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "||":
            groups.append([])
        else:
            groups[-1].append(part)
    if not groups[0] or not groups[-1]:
        raise BadRange("there is nothing before or after '||'" if len(groups) > 1 else "it is empty")
    return [group for group in groups if group]


def _group(parts: list[str]) -> tuple[Comparison, ...]:
    return tuple(_comparison(part) for written in parts for part in _written_out(written))


def _comparison(part: str) -> Comparison:
    operator, version = _split(part)
    if operator not in _OPERATORS:
        raise BadRange(f"{shown(operator)!r} is no operator")
    return Comparison(operator, parse_version(version).key)


def _split(part: str) -> tuple[str, str]:
    digit = _DIGIT.search(part)
    if digit is None:
        raise BadRange(f"{shown(part)!r} holds no version")
    return part[: digit.start()].strip(_GO_SPACE), part[digit.start() :]


def _written_out(part: str) -> list[str]:
    """A version with the wildcard `x` as comparisons with whole versions."""
    if "x" not in part:
        return [part]
    operator, version = _split(part)
    numbers = version.split(".")
    wildcard = len(numbers) if numbers[-1] == "x" else 0
    flat = version.replace(".x.x", ".x", 1).replace(".x", ".0", 1)
    if flat.count(".") == 1:
        flat += ".0"
    # An operator that is unknown here is dropped.
    at_version, at_next = _WILDCARD_OPERATORS.get(operator, ("", None))
    written = [] if at_version is None else [at_version + flat]
    return written if at_next is None else [*written, at_next + _next(flat, wildcard)]


def _next(version: str, wildcard: int) -> str:
    """The version after all that a wildcard stands for; empty, and so refused, where there is none."""
    numbers = version.split(".")
    place = wildcard - 2
    if (
        place not in (0, 1)
        or not re.fullmatch("[-+]?[0-9]{1,19}", numbers[place])
        or int(numbers[place]) >= _LARGEST_INTEGER
    ):
        return ""
    numbers[place] = str(int(numbers[place]) + 1)
    return ".".join(numbers)


_OPERATORS: Mapping[str, Callable[[VersionKey, VersionKey], bool]] = {
    "": lambda version, bound: version == bound,
    "=": lambda version, bound: version == bound,
    "==": lambda version, bound: version == bound,
    "!": lambda version, bound: version != bound,
    "!=": lambda version, bound: version != bound,
    ">": lambda version, bound: version > bound,
    ">=": lambda version, bound: version >= bound,
    "<": lambda version, bound: version < bound,
    "<=": lambda version, bound: version <= bound,
}
