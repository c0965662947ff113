# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Semantic versions, and the releases that bundles of the format registry+v1 hide in their build metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ..bundle.unpack_limits import shown
from .problems import BadVersion

# Versions are held in 64 bits where OLM runs; a longer number is no version there.
LARGEST_NUMBER = 2**64 - 1
# What is longer is no release to OLM v1, but build metadata, which says nothing about the order.
_LONGEST_RELEASE = 20

# One identifier in an order that Python compares as semantic versioning does: numbers first, by value; then texts.
Identifier: TypeAlias = "tuple[int, int, str]"
VersionKey: TypeAlias = "tuple[int, int, int, int, tuple[Identifier, ...]]"

_NUMBER = r"(0|[1-9][0-9]*)"
_WORDS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_WORDS}))?(?:\+({_WORDS}))?")


@dataclass(frozen=True)
class Version:
    """A semantic version. Build metadata is kept and does not count when versions are compared."""

    major: int
    minor: int
    patch: int
    pre: tuple[Identifier, ...] = ()
    build: str = ""

    @property
    def key(self) -> VersionKey:
        """What versions are ordered by; without a pre-release comes after any with one."""
        return (self.major, self.minor, self.patch, 0 if self.pre else 1, self.pre)

    def __str__(self) -> str:
        pre = identifiers_text(self.pre)
        numbers = f"{self.major}.{self.minor}.{self.patch}"
        return numbers + (f"-{pre}" if pre else "") + (f"+{self.build}" if self.build else "")


@dataclass(frozen=True)
class VersionRelease:
    """The version of a bundle, and which release of that version it is; none comes before any."""

    version: Version
    release: tuple[Identifier, ...] = ()

    @property
    def key(self) -> tuple[VersionKey, tuple[Identifier, ...]]:
        return (self.version.key, self.release)

    def __str__(self) -> str:
        release = identifiers_text(self.release)
        return f"{self.version}+{release}" if release else str(self.version)


@lru_cache(maxsize=65536)
def parse_version(text: str) -> Version:
    """A version that is exactly as the specification has it: three numbers, no `v`, no leading zeros."""
    match = _VERSION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise BadVersion(f"{shown(repr(text))} is no semantic version such as 1.2.3, 1.2.3-rc.1 or 1.2.3+4")
    numbers = [int(number) for number in match.group(1, 2, 3)] if len(text) < 1000 else [LARGEST_NUMBER + 1]
    if max(numbers) > LARGEST_NUMBER:
        raise BadVersion(f"{shown(repr(text))} is no semantic version: its numbers go up to {LARGEST_NUMBER}")
    return Version(numbers[0], numbers[1], numbers[2], parse_identifiers(match[4] or ""), match[5] or "")


def parse_identifiers(text: str) -> tuple[Identifier, ...]:
    """The identifiers of a pre-release or a release; numbers among them have no leading zeros."""
    return tuple(_identifier(part) for part in text.split(".")) if text else ()


def identifiers_text(identifiers: tuple[Identifier, ...]) -> str:
    """Identifiers as they are written."""
    return ".".join(str(number) if kind == 0 else word for kind, number, word in identifiers)


def _identifier(text: str) -> Identifier:
    if not text.isdecimal():
        return (1, 0, text)
    if (text[0] == "0" and len(text) > 1) or len(text) > 20 or int(text) > LARGEST_NUMBER:
        raise BadVersion(
            f"{shown(repr(text))} is no identifier of a version: numbers have no leading zeros and go up to {LARGEST_NUMBER}"
        )
    return (0, int(text), "")


@lru_cache(maxsize=65536)
def parse_version_release(text: str) -> VersionRelease:
    """The version of a registry+v1 bundle: its build metadata is its release where it reads as one, and stays what it is where not."""
    version = parse_version(text)
    try:
        release = parse_identifiers(version.build) if len(version.build) <= _LONGEST_RELEASE else ()
    except BadVersion:
        release = ()
    if not release:
        return VersionRelease(version)
    return VersionRelease(Version(version.major, version.minor, version.patch, version.pre), release)
