# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Upgrade edges: which bundles of a package follow an installed one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .model import Channel, Entry
from .problems import BadRange, BadVersion
from .query import Installed
from .ranges import parse_range
from .versions import Version, parse_version

REPLACES, SKIPS, SKIP_RANGE = "replaces", "skips", "skipRange"


def edge(entry: Entry, name: str, version: Version | None) -> str:
    """How an entry follows a bundle: by what it says in `replaces`, `skips` or `skipRange`; empty where it does not."""
    if entry.replaces == name:
        return REPLACES
    if name in entry.skips:
        return SKIPS
    if entry.skip_range and version is not None:
        try:
            return SKIP_RANGE if parse_range(entry.skip_range).match(version) else ""
        except BadRange:
            return ""  # OLM v1 passes over a range that it cannot read
    return ""


def successors(installed: Installed, channels: Iterable[Channel]) -> Iterator[tuple[str, str, str]]:
    """The entries in channels that follow the installed bundle: their names, by which edge, in which channel."""
    version = version_of(installed)
    for channel in channels:
        for entry in channel.entries:
            found = edge(entry, installed.name, version)
            if found:
                yield entry.name, found, channel.name


def version_of(installed: Installed) -> Version:
    """The version of the installed bundle."""
    try:
        return parse_version(installed.version)
    except BadVersion as error:
        raise BadVersion(f"installed: version {error}") from None
