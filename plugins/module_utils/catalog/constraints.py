# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ranges that users ask for, in the language of the Go library Masterminds/semver, which OLM v1 reads them with.

    ~1.2      ^1      >=1.2 <2      1.x      1.2 - 1.4      >=1.0.0-0, <2 || 3.0.1

Where its rules surprise, they are kept, since the answers are to be OLM v1's: `1||2 - 3` is `>=1` or `2, <=3`,
`~0.0.0` is any version, and pre-releases match only where a constraint of the same group names one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..bundle.unpack_limits import shown
from .problems import BadRange, BadVersion
from .versions import LARGEST_NUMBER, Version, parse_identifiers

LONGEST = 512
MOST_GROUPS = 32
LONGEST_VERSION = 256

_SPACE = r"[\t\n\f\r ]"
# A part may hold a bar: groups are split only after hyphen ranges were rewritten.
_PART = r"[0-9|xX*]+"
_WORDS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_PATTERN = rf"v?{_PART}(?:\.{_PART})?(?:\.{_PART})?(?:-{_WORDS})?(?:\+{_WORDS})?"
_HYPHEN_RANGE = re.compile(rf"{_SPACE}*({_PATTERN}){_SPACE}+-{_SPACE}+({_PATTERN}){_SPACE}*")
_CONSTRAINT = re.compile(
    rf"{_SPACE}*(=>|>=|=<|<=|!=|~>|=|>|<|~|\^|){_SPACE}*"
    rf"v?({_PART})(?:\.({_PART}))?(?:\.({_PART}))?(?:-({_WORDS}))?(?:\+({_WORDS}))?"
)
_SEPARATOR = re.compile(rf"{_SPACE}*,|{_SPACE}+")
_END = re.compile(rf"{_SPACE}*\Z")
_WILDCARDS = ("x", "X", "*")


@dataclass(frozen=True)
class Constraint:
    """One comparison. `given` is how many of the three numbers were written and are no wildcard."""

    operator: str
    version: Version
    given: int


@dataclass(frozen=True)
class Constraints:
    """Groups of comparisons: all of one group must hold. A group that names a pre-release takes pre-releases."""

    text: str
    groups: tuple[tuple[Constraint, ...], ...]

    def match(self, version: Version) -> bool:
        """Whether a version is in the range."""
        return any(_group_matches(group, version) for group in self.groups)

    def match_but_for_pre_release(self, version: Version) -> bool:
        """Whether it would be if pre-releases were taken."""
        return any(all(_OPERATORS[one.operator](version, one) for one in group) for group in self.groups)


@lru_cache(maxsize=4096)
def parse_constraints(text: str) -> Constraints:
    """A range from its text."""
    if len(text.encode("utf-8", "replace")) > LONGEST:
        raise BadRange(f"version {shown(repr(text))} has more than {LONGEST} characters")
    rewritten = text
    for match in _HYPHEN_RANGE.finditer(text):
        rewritten = rewritten.replace(match[0], f">= {match[1]}, <= {match[2]} ", 1)
    groups = rewritten.split("||")
    if len(groups) > MOST_GROUPS:
        raise BadRange(f"version {shown(repr(text))} has more than {MOST_GROUPS} ranges")
    return Constraints(text, tuple(_parse_group(group, text) for group in groups))


def _parse_group(group: str, text: str) -> tuple[Constraint, ...]:
    found = []
    position = 0
    while True:
        match = _CONSTRAINT.match(group, position)
        if match is None:
            raise _improper(group, text)
        found.append(_constraint(match, text))
        position = match.end()
        if _END.match(group, position):
            return tuple(found)
        separator = _SEPARATOR.match(group, position)
        if separator is None:
            raise _improper(group, text)
        position = separator.end()


def _constraint(match: re.Match[str], text: str) -> Constraint:
    parts = match.group(2, 3, 4)
    given = next((number for number, part in enumerate(parts) if part is None or part in _WILDCARDS), 3)
    numbers = [_number(part, match[0], text) for part in parts[:given]] + [0] * (3 - given)
    try:
        pre = parse_identifiers_of_any_length(match[5] or "")
    except BadVersion as error:
        raise BadRange(f"version {shown(repr(text))}: {error}") from None
    if given == 3 and len(match[0].strip()) - len(match[1]) > LONGEST_VERSION:
        raise _improper(match[0], text)
    return Constraint(match[1], Version(numbers[0], numbers[1], numbers[2], pre), given)


def parse_identifiers_of_any_length(text: str) -> tuple[tuple[int, int, str], ...]:
    """Identifiers of a pre-release; a number too large to be one is taken for a text."""
    found: list[tuple[int, int, str]] = []
    for part in text.split(".") if text else ():
        if part.isdecimal() and part[:1] != "0" and (len(part) > 20 or int(part) > LARGEST_NUMBER):
            found.append((1, 0, part))
        else:
            found += parse_identifiers(part)
    return tuple(found)


def _number(part: str | None, constraint: str, text: str) -> int:
    # Leading zeros are taken here, though not in versions.
    if part is None or not part.isdecimal() or len(part) > LONGEST_VERSION or int(part) > LARGEST_NUMBER:
        raise _improper(constraint, text)
    return int(part)


def _improper(group: str, text: str) -> BadRange:
    seen = f": '{shown(group.strip())}' is none" if group.strip() != text.strip() else ""
    return BadRange(
        f"version {shown(repr(text))} is no range of versions{seen}; write 1.2.3, 1.2.x, ~1.2, ^1, >=1.2 <2 or 1.2 - 1.4"
    )


def _group_matches(group: tuple[Constraint, ...], version: Version) -> bool:
    if version.pre and not any(one.version.pre for one in group):
        return False
    return all(_OPERATORS[one.operator](version, one) for one in group)


def _greater(version: Version, bound: Constraint) -> bool:
    if bound.given in (1, 2):
        # More than 11 is 12 and later, more than 11.1 is 11.2 and later.
        return _numbers(version, bound.given) > _numbers(bound.version, bound.given)
    if bound.given == 0 and version.major != bound.version.major:
        return version.major > bound.version.major
    return version.key > bound.version.key


def _at_most(version: Version, bound: Constraint) -> bool:
    if bound.given == 3:
        return version.key <= bound.version.key
    shown_numbers = 1 if bound.given == 1 else 2
    return _numbers(version, shown_numbers) <= _numbers(bound.version, shown_numbers)


def _tilde(version: Version, bound: Constraint) -> bool:
    if version.key < bound.version.key:
        return False
    if bound.given in (0, 3) and _numbers(bound.version, 3) == (0, 0, 0):
        return True
    same = 1 if bound.given == 1 else 2
    return _numbers(version, same) == _numbers(bound.version, same)


def _equal(version: Version, bound: Constraint) -> bool:
    return version.key == bound.version.key if bound.given == 3 else _tilde(version, bound)


def _different(version: Version, bound: Constraint) -> bool:
    if bound.given == 3:
        return version.key != bound.version.key
    if bound.given == 2 and _numbers(version, 2) == _numbers(bound.version, 2):
        return version.pre != bound.version.pre
    if bound.given == 0:
        return version.key != bound.version.key
    return _numbers(version, bound.given) != _numbers(bound.version, bound.given)


def _caret(version: Version, bound: Constraint) -> bool:
    if version.key < bound.version.key:
        return False
    # The first number that is not zero must stay; numbers that were not written need not.
    if bound.version.major > 0 or bound.given == 1:
        same = 1
    elif bound.version.minor > 0 or bound.given == 2:
        same = 2
    else:
        same = 3
    return _numbers(version, same) == _numbers(bound.version, same)


def _numbers(version: Version, count: int) -> tuple[int, ...]:
    return (version.major, version.minor, version.patch)[:count]


_OPERATORS: Mapping[str, Callable[[Version, Constraint], bool]] = {
    "": _equal,
    "=": _equal,
    "!=": _different,
    ">": _greater,
    "<": lambda version, bound: version.key < bound.version.key,
    ">=": lambda version, bound: version.key >= bound.version.key,
    "=>": lambda version, bound: version.key >= bound.version.key,
    "<=": _at_most,
    "=<": _at_most,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
