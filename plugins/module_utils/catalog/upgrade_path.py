# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shortest way of upgrades from an installed bundle to another, hop by hop.

The search goes backwards from the target. A range names a stretch of the bundles in the order of their versions; those of a
stretch that were met before are jumped over, so that ten thousand bundles with as many wide ranges take no longer than one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .model import CatalogBundle, Channel, Entry, Package
from .query import Installed
from .stretches import readable, stretch
from .successors import edge, version_of
from .versions import Version


@dataclass(frozen=True)
class Hop:
    """One upgrade: to which bundle, by which edge, in which channel."""

    bundle: CatalogBundle
    edge: str
    channel: str


@dataclass(frozen=True)
class _Node:
    """A bundle that an upgrade can start from; the installed one need not be in the catalog."""

    name: str
    version: Version
    bundle: CatalogBundle | None


def upgrade_path(
    installed: Installed, target: CatalogBundle, package: Package, channels: Sequence[Channel]
) -> tuple[Hop, ...] | None:
    """The hops from the installed bundle to the target; None where there is no way, nothing where it is there already."""
    if target.name == installed.name:
        return ()
    search = _Search(installed, package, channels)
    towards = search.backwards_from(target)
    if installed.name not in towards:
        return None
    hops: list[Hop] = []
    name = installed.name
    while name != target.name:
        hop = towards[name]
        hops.append(hop)
        name = hop.bundle.name
    return tuple(hops)


class _Search:
    def __init__(self, installed: Installed, package: Package, channels: Sequence[Channel]) -> None:
        nodes = {
            bundle.name: _Node(bundle.name, bundle.version_release.version, bundle)
            for bundle in package.by_name.values()
            if bundle.version_release is not None and not bundle.dependency
        }
        self._start = installed.name
        nodes[installed.name] = _Node(installed.name, version_of(installed), None)
        self._nodes = sorted(nodes.values(), key=lambda node: node.version.key)
        self._keys = [node.version.key for node in self._nodes]
        self._place = {node.name: number for number, node in enumerate(self._nodes)}
        # The next place at or after each one that was not met yet.
        self._next = list(range(len(self._nodes) + 1))
        self._entries: dict[str, list[tuple[str, Entry]]] = {}
        for channel in channels:
            for entry in channel.entries:
                self._entries.setdefault(entry.name, []).append((channel.name, entry))

    def backwards_from(self, target: CatalogBundle) -> dict[str, Hop]:
        """For every bundle from which the target can be reached, the first hop; until the installed one is found."""
        towards: dict[str, Hop] = {}
        level = [target]
        self._meet(target.name)
        while level and self._start not in towards:
            found: list[CatalogBundle] = []
            # Of ways of the same length, the one with the highest versions.
            for bundle in sorted(level, key=self._rank, reverse=True):
                for channel, entry in self._entries.get(bundle.name, ()):
                    for node in self._predecessors(entry):
                        self._meet(node.name)
                        towards[node.name] = Hop(bundle, edge(entry, node.name, node.version), channel)
                        if node.bundle is not None:
                            found.append(node.bundle)
            level = found
        return towards

    def _rank(self, bundle: CatalogBundle) -> int:
        return self._place.get(bundle.name, -1)

    def _predecessors(self, entry: Entry) -> Iterator[_Node]:
        for name in (entry.replaces, *entry.skips):
            place = self._place.get(name)
            if place is not None and self._unmet(place) == place:
                yield self._nodes[place]
        skipped = readable(entry.skip_range)
        for group in skipped.groups if skipped else ():
            first, last, excluded = stretch(group, self._keys)
            place = self._unmet(first)
            while place < last:
                if self._keys[place] not in excluded:
                    yield self._nodes[place]
                place = self._unmet(place + 1)

    def _meet(self, name: str) -> None:
        place = self._place.get(name)
        if place is not None:
            self._next[place] = place + 1

    def _unmet(self, place: int) -> int:
        """The first place from here on that was not met; the way to it is made short for the next time."""
        end = place
        while self._next[end] != end:
            end = self._next[end]
        while self._next[place] != end and place != end:
            self._next[place], place = end, self._next[place]
        return end
