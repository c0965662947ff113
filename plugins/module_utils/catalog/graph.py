# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade graph of a package as data: bundles, and what leads from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .model import CHANNEL, CatalogBundle, Channel, Package
from .query import Installed
from .stretches import positions
from .successors import REPLACES, SKIP_RANGE, SKIPS

# A range over a thousand bundles is a thousand edges; beyond that nobody reads them.
MOST_EDGES = 20_000


@dataclass(frozen=True)
class Node:
    """A bundle in the graph, or a name that an edge leads from without there being such a bundle."""

    name: str
    version: str
    channels: tuple[str, ...]
    heads: tuple[str, ...] = ()
    deprecated: str | None = None
    installed: bool = False
    missing: bool = False


@dataclass(frozen=True)
class Edge:
    """An upgrade in a channel, from an older bundle to a newer one; `kind` is the field of the entry that says so."""

    older: str
    newer: str
    kind: str
    channel: str


@dataclass(frozen=True)
class Graph:
    """All of it; nodes are in the order of their versions. `left_out` is how many edges were too many."""

    package: str
    channels: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int = 0


def upgrade_graph(
    package: Package, channel_names: Sequence[str] = (), installed: Installed | None = None, most: int = MOST_EDGES
) -> Graph:
    """The graph of a package, or of some of its channels."""
    channels = [one for one in package.channels if not channel_names or one.name in channel_names]
    heads: dict[str, list[str]] = {}
    for channel in channels:
        for name in channel_heads(channel):
            heads.setdefault(name, []).append(channel.name)
    names = dict.fromkeys(entry.name for channel in channels for entry in channel.entries)
    bundles = in_version_order([package.by_name[name] for name in names if name in package.by_name])
    edges: list[Edge] = []
    left_out = 0
    for edge in _edges(channels, bundles):
        if len(edges) < most:
            edges.append(edge)
        else:
            left_out += 1
            if left_out >= most:
                break
    known = {bundle.name for bundle in bundles}
    missing = dict.fromkeys(
        [name for name in names if name not in known] + [edge.older for edge in edges if edge.older not in known]
    )
    nodes = [_missing_node(name, package) for name in missing]
    nodes += [_node(bundle, package, heads, installed) for bundle in bundles]
    return Graph(package.name, tuple(dict.fromkeys(one.name for one in channels)), tuple(nodes), tuple(edges), left_out)


def channel_heads(channel: Channel) -> list[str]:
    """The entries that no other replaces or skips. A sound channel has one."""
    followed = {entry.replaces for entry in channel.entries} | {
        name for entry in channel.entries for name in entry.skips
    }
    return list(dict.fromkeys(entry.name for entry in channel.entries if entry.name not in followed))


def in_version_order(bundles: Sequence[CatalogBundle]) -> list[CatalogBundle]:
    """The oldest first; those without a valid version before them."""

    def key(bundle: CatalogBundle) -> tuple[Any, ...]:
        return (1, bundle.version_release.key) if bundle.version_release else (0,)

    return sorted(bundles, key=key)


def _node(bundle: CatalogBundle, package: Package, heads: dict[str, list[str]], installed: Installed | None) -> Node:
    return Node(
        bundle.name,
        str(bundle.version_release or bundle.version or bundle.name),
        package.channels_of(bundle.name),
        tuple(heads.get(bundle.name, ())),
        package.deprecated_bundles.get(bundle.name),
        installed is not None and bundle.name == installed.name,
    )


def _missing_node(name: str, package: Package) -> Node:
    return Node(name, name.removeprefix(f"{package.name}.").removeprefix("v"), package.channels_of(name), missing=True)


def _edges(channels: Sequence[Channel], bundles: Sequence[CatalogBundle]) -> Iterator[Edge]:
    """Those that are written out first, so that ranges are what is left out where there are too many."""
    for channel in channels:
        for entry in channel.entries:
            if entry.replaces:
                yield Edge(entry.replaces, entry.name, REPLACES, channel.name)
            for name in dict.fromkeys(entry.skips):
                if name and name != entry.replaces:
                    yield Edge(name, entry.name, SKIPS, channel.name)
    versioned = [one for one in bundles if one.version_release]
    keys = [one.version_release.version.key for one in versioned if one.version_release]
    for channel in channels:
        for entry in channel.entries:
            known = {entry.name, entry.replaces, *entry.skips}
            for place in positions(entry.skip_range, keys):
                name = versioned[place].name
                if name not in known:
                    known.add(name)
                    yield Edge(name, entry.name, SKIP_RANGE, channel.name)


def as_data(graph: Graph) -> dict[str, Any]:
    """The graph as plain data."""
    return {
        "nodes": [
            {
                "name": node.name,
                "version": node.version,
                "channels": list(node.channels),
                "head_of": list(node.heads),
                "deprecated": node.deprecated,
                "installed": node.installed,
                "missing": node.missing,
            }
            for node in graph.nodes
        ],
        "edges": [
            {"from": edge.older, "to": edge.newer, "kind": edge.kind, "channel": edge.channel} for edge in graph.edges
        ],
        "edges_left_out": graph.left_out,
    }


def deprecated_channels(package: Package) -> dict[str, str]:
    """The messages of deprecated channels by name."""
    return {item.name: item.message for item in reversed(package.deprecations) if item.schema == CHANNEL}
