# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade graph drawn: one lane a channel, a column a version, the oldest left; as SVG that needs nothing else.

Lines and arcs above a lane are `replaces`, dashed arcs below are `skips`; a `skipRange` is one bar below the lane, from
the oldest bundle in it to the one that has it, however many lie between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .graph import Graph, Node
from .model import Channel, Entry, Package
from .stretches import first_position
from .versions import VersionKey

COLUMN, LANE, RADIUS, LEFT, TOP, LEGEND = 96, 170, 13, 150, 70, 960
# Bars of ranges lie below each other, and begin again at the top after so many.
BARS, BAR = 4, 7

STYLE = """
.upgrades { font: 13px system-ui, sans-serif; }
.upgrades .lane { fill: #f4f6f8; } .upgrades .lane.deprecated { fill: #f0f0f0; }
.upgrades text { fill: #1b2733; } .upgrades .note { fill: #6b7785; font-size: 11px; }
.upgrades .bundle circle { fill: #2f6fde; stroke: #fff; stroke-width: 2; }
.upgrades .head circle { stroke: #12326b; stroke-width: 3; }
.upgrades .deprecated circle { fill: #b6bec8; } .upgrades .deprecated text { fill: #8b95a1; }
.upgrades .installed circle { fill: #2a9d4a; stroke: #14532a; stroke-width: 4; }
.upgrades .missing circle { fill: none; stroke: #c33; stroke-dasharray: 3 3; }
.upgrades path { fill: none; stroke-width: 1.8; }
.upgrades .replaces { stroke: #2f6fde; } .upgrades .skips { stroke: #c27803; stroke-dasharray: 6 4; }
.upgrades .skipRange { stroke: #8a4fd0; stroke-dasharray: 2 3; }
"""


def as_svg(package: Package, graph: Graph) -> str:
    """The drawing as a document of its own."""
    nodes = {node.name: node for node in graph.nodes}
    columns = {node.name: number for number, node in enumerate(graph.nodes)}
    channels = [one for one in package.channels if one.name in graph.channels]
    width = max(LEFT + len(columns) * COLUMN, LEGEND)
    height = TOP + max(len(channels), 1) * LANE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="upgrades" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="Upgrade graph of {_text(package.name)}">',
        f"<style>{STYLE}</style>",
        *map(_marker, ("replaces", "skips", "skipRange")),
        *_legend(),
    ]
    versioned = [one for name in columns if (one := package.by_name.get(name)) is not None and one.version_release]
    ordered = _Ordered(
        [columns[one.name] for one in versioned],
        [one.version_release.version.key for one in versioned if one.version_release],
    )
    for number, channel in enumerate(channels):
        middle = TOP + number * LANE + LANE // 2 - 8
        parts.append(
            f'<rect class="lane" x="0" y="{TOP + number * LANE + 4}" width="{width}" height="{LANE - 8}" rx="6"/>'
        )
        parts.append(f'<text x="14" y="{middle + 4}">{_text(channel.name)}</text>')
        if channel.name == package.default_channel:
            parts.append(f'<text class="note" x="14" y="{middle + 20}">default channel</text>')
        parts += _channel(channel, columns, middle, ordered)
        parts += [
            _bundle(nodes[name], _column(columns[name]), middle, channel.name) for name in _shown(channel, columns)
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


@dataclass(frozen=True)
class _Ordered:
    """The bundles that have a version, the oldest first: their columns and what they are ordered by."""

    columns: Sequence[int]
    keys: Sequence[VersionKey]


def _shown(channel: Channel, columns: Mapping[str, int]) -> list[str]:
    """The bundles of a lane: its entries, and what they lead from."""
    named = [name for entry in channel.entries for name in (entry.name, entry.replaces, *entry.skips)]
    return [name for name in dict.fromkeys(named) if name in columns]


def _channel(channel: Channel, columns: Mapping[str, int], middle: int, ordered: _Ordered) -> Iterator[str]:
    bars = 0
    lane = sorted(_column(columns[name]) for name in _shown(channel, columns))
    for entry in channel.entries:
        if entry.name not in columns:
            continue
        end = _column(columns[entry.name])
        if entry.replaces in columns:
            yield _arc(lane, _column(columns[entry.replaces]), end, middle, -1, "replaces", entry, entry.replaces)
        for name in dict.fromkeys(entry.skips):
            if name in columns and name != entry.replaces:
                yield _arc(lane, _column(columns[name]), end, middle, 1, "skips", entry, name)
        oldest = first_position(entry.skip_range, ordered.keys)
        if oldest is not None and _column(ordered.columns[oldest]) != end:
            start, below = _column(ordered.columns[oldest]), middle + 42 + BAR * (bars % BARS)
            bars += 1
            yield (
                f'<path class="skipRange" marker-end="url(#skipRange)" d="M{start},{middle + RADIUS} V{below} H{end} V{middle + RADIUS + 2}">'
                f"<title>{_text(entry.name)} skips the range {_text(entry.skip_range)}</title></path>"
            )


def _arc(lane: Sequence[int], start: int, end: int, middle: int, side: int, kind: str, entry: Entry, older: str) -> str:
    """A straight line to the next bundle of the lane, an arc over others; to the left where a catalog leads back."""
    direction = 1 if end >= start else -1
    between = bisect_left(lane, max(start, end)) > bisect_right(lane, min(start, end))
    if not between and side < 0:
        path = f"M{start + direction * RADIUS},{middle} L{end - direction * (RADIUS + 2)},{middle}"
    else:
        bend = middle + side * min(60, 14 + abs(end - start) // 10)
        edge = middle + side * RADIUS
        path = f"M{start},{edge} C{start},{bend + side * 8} {end},{bend + side * 8} {end},{edge + side * 2}"
    return (
        f'<path class="{kind}" marker-end="url(#{kind})" d="{path}">'
        f"<title>{_text(entry.name)} {kind} {_text(older)}</title></path>"
    )


def _bundle(node: Node, across: int, middle: int, channel: str) -> str:
    classes = ["bundle"]
    classes += ["head"] if channel in node.heads else []
    classes += ["deprecated"] if node.deprecated is not None else []
    classes += ["installed"] if node.installed else []
    classes += ["missing"] if node.missing else []
    told = node.name + (f"; deprecated: {node.deprecated}" if node.deprecated is not None else "")
    notes = [
        word
        for word, holds in (
            ("installed", node.installed),
            ("deprecated", node.deprecated is not None),
            ("not there", node.missing),
        )
        if holds
    ]
    note = (
        f'<text class="note" x="{across}" y="{middle - 36}" text-anchor="middle">{", ".join(notes)}</text>'
        if notes
        else ""
    )
    return (
        f'<g class="{" ".join(classes)}"><title>{_text(told)}</title><circle cx="{across}" cy="{middle}" r="{RADIUS}"/>'
        f'<text x="{across}" y="{middle - 22}" text-anchor="middle">{_text(_short(node.version))}</text>{note}</g>'
    )


def _legend() -> Iterator[str]:
    across = 14
    for kind in ("replaces", "skips", "skipRange"):
        yield f'<path class="{kind}" marker-end="url(#{kind})" d="M{across},30 H{across + 46}"/>'
        yield f'<text x="{across + 56}" y="34">{kind}</text>'
        across += 150
    for kind, words in (("head", "head of its channel"), ("installed", "installed"), ("deprecated", "deprecated")):
        yield f'<g class="bundle {kind}"><circle cx="{across + 8}" cy="30" r="8"/></g><text x="{across + 24}" y="34">{words}</text>'
        across += 160


def _marker(kind: str) -> str:
    size = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
    return f'<marker id="{kind}" {size} orient="auto"><path class="{kind}" d="M0,0 L8,4 L0,8"/></marker>'


def _column(number: int) -> int:
    return LEFT + number * COLUMN + COLUMN // 2


def _short(version: str) -> str:
    return version if len(version) <= 14 else version[:13] + "…"


def _text(text: str) -> str:
    return escape("".join(one if one.isprintable() else " " for one in text))
