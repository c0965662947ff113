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

from .graph import Graph, Node, deprecated_channels
from .model import Channel, Entry, Package
from .stretches import first_position
from .versions import VersionKey

RADIUS, TOP, LEGEND = 13, 70, 1000
# A lane without anything below its bundles is lower.
LANE, LOW_LANE, MIDDLE = 164, 110, 70
# Names of channels and the legend stand at the left end, and again wherever scrolling takes that out of sight.
NAME_EVERY = 1200
LETTER = 8
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
.upgrades marker .skips, .upgrades marker .skipRange { stroke-dasharray: none; }
.upgrades .elsewhere circle { fill: #f4f6f8; stroke: #8a4fd0; } .upgrades .elsewhere text { fill: #6b7785; }
"""


@dataclass(frozen=True)
class _Sheet:
    """Where things stand across: the column of each bundle, how far apart, and where the first one is."""

    columns: Mapping[str, int]
    left: int
    apart: int
    width: int

    def across(self, name: str) -> int:
        return self.at(self.columns[name])

    def at(self, column: int) -> int:
        return self.left + column * self.apart + self.apart // 2


def _sheet(graph: Graph, channels: Sequence[Channel]) -> _Sheet:
    longest = max((len(_short(node.version)) for node in graph.nodes), default=0)
    name = max((len(_short(channel.name, 40)) for channel in channels), default=0)
    left, apart = max(120, 14 + LETTER * name), max(64, 16 + LETTER * longest)
    columns = {node.name: number for number, node in enumerate(graph.nodes)}
    return _Sheet(columns, left, apart, max(left + len(columns) * apart, LEGEND))


def as_svg(package: Package, graph: Graph) -> str:
    """The drawing as a document of its own."""
    channels = [one for one in package.channels if one.name in graph.channels]
    sheet = _sheet(graph, channels)
    versioned = [one for name in sheet.columns if (one := package.by_name.get(name)) is not None]
    ordered = _Ordered(
        [sheet.columns[one.name] for one in versioned if one.version_release],
        [one.version_release.version.key for one in versioned if one.version_release],
    )
    lanes: list[str] = []
    top = TOP
    for channel in channels:
        lane, height = _lane(package, graph, channel, sheet, ordered, top)
        lanes += lane
        top += height
    size = f'viewBox="0 0 {sheet.width} {top}" width="{sheet.width}" height="{top}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="upgrades" {size} role="img" '
        f'aria-label="Upgrade graph of {_text(package.name)}">',
        f"<style>{STYLE}</style>",
        *map(_marker, ("replaces", "skips", "skipRange")),
        *(line for across in (14, *_again(sheet, LEGEND)) for line in _legend(across)),
        *lanes,
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lane(
    package: Package, graph: Graph, channel: Channel, sheet: _Sheet, ordered: _Ordered, top: int
) -> tuple[list[str], int]:
    """A channel, and how high it is."""
    edges = list(_channel(channel, sheet, top + MIDDLE, ordered))
    below = any(edge.below for edge in edges)
    height = LANE if below else LOW_LANE
    deprecated = channel.name in deprecated_channels(package)
    here = set(_shown(channel, sheet.columns))
    elsewhere = {edge.start for edge in edges if edge.start is not None} - {sheet.columns[name] for name in here}
    return [
        f'<rect class="lane{" deprecated" * deprecated}" x="0" y="{top + 4}" width="{sheet.width}" height="{height - 8}" rx="6"/>',
        *_names(package, channel, sheet, top, deprecated=deprecated),
        *(edge.drawn for edge in edges),
        *(_elsewhere(graph.nodes[column], sheet.at(column), top + MIDDLE) for column in sorted(elsewhere)),
        *(
            _bundle(node, sheet.across(node.name), top + MIDDLE, channel.name)
            for node in graph.nodes
            if node.name in here
        ),
    ], height


def _names(package: Package, channel: Channel, sheet: _Sheet, top: int, *, deprecated: bool) -> Iterator[str]:
    yield f'<text x="14" y="{top + MIDDLE + 4}">{_text(_short(channel.name, 40))}</text>'
    words = ["default channel"] if channel.name == package.default_channel else []
    words += ["deprecated"] if deprecated else []
    if words:
        yield f'<text class="note" x="14" y="{top + MIDDLE + 20}">{", ".join(words)}</text>'
    for across in _again(sheet, sheet.left):
        yield f'<text class="note" x="{across}" y="{top + 20}">{_text(_short(channel.name, 40))}</text>'


@dataclass(frozen=True)
class _Ordered:
    """The bundles that have a version, the oldest first: their columns and what they are ordered by."""

    columns: Sequence[int]
    keys: Sequence[VersionKey]


def _shown(channel: Channel, columns: Mapping[str, int]) -> list[str]:
    """The bundles of a lane: its entries, and what they lead from."""
    named = [name for entry in channel.entries for name in (entry.name, entry.replaces, *entry.skips)]
    return [name for name in dict.fromkeys(named) if name in columns]


@dataclass(frozen=True)
class _Drawn:
    """An edge as it is drawn: whether below the bundles, and the column of the oldest bundle in a range."""

    drawn: str
    below: bool
    start: int | None = None


def _channel(channel: Channel, sheet: _Sheet, middle: int, ordered: _Ordered) -> Iterator[_Drawn]:
    bars = 0
    lane = sorted(sheet.across(name) for name in _shown(channel, sheet.columns))
    for entry in channel.entries:
        if entry.name not in sheet.columns:
            continue
        end = sheet.across(entry.name)
        if entry.replaces in sheet.columns:
            arc = _arc(lane, sheet.across(entry.replaces), end, middle, -1, "replaces", entry, entry.replaces)
            yield _Drawn(arc, below=False)
        for name in dict.fromkeys(entry.skips):
            if name in sheet.columns and name != entry.replaces:
                yield _Drawn(_arc(lane, sheet.across(name), end, middle, 1, "skips", entry, name), below=True)
        oldest = first_position(entry.skip_range, ordered.keys)
        if oldest is not None and sheet.at(ordered.columns[oldest]) != end:
            start, below = sheet.at(ordered.columns[oldest]), middle + 42 + BAR * (bars % BARS)
            bars += 1
            yield _Drawn(
                f'<path class="skipRange" marker-end="url(#skipRange)" d="M{start},{middle + RADIUS} V{below} H{end} V{middle + RADIUS + 2}">'
                f"<title>{_text(entry.name)} skips the range {_text(entry.skip_range)}</title></path>",
                below=True,
                start=ordered.columns[oldest],
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


def _elsewhere(node: Node, across: int, middle: int) -> str:
    """Where a range begins at a bundle of another channel."""
    return (
        f'<g class="bundle elsewhere"><title>{_text(node.name)}, in another channel</title><circle cx="{across}" cy="{middle}" r="{RADIUS // 2}"/>'
        f'<text class="note" x="{across}" y="{middle - 22}" text-anchor="middle">{_text(_short(node.version))}</text></g>'
    )


def _again(sheet: _Sheet, after: int) -> range:
    """Where to stand again in a wide drawing, each time in sight of the one before, counted from the right end."""
    return range(sheet.width - NAME_EVERY, after, -NAME_EVERY)


def _legend(across: int) -> Iterator[str]:
    for kind in ("replaces", "skips", "skipRange"):
        yield f'<path class="{kind}" marker-end="url(#{kind})" d="M{across},30 H{across + 46}"/>'
        yield f'<text x="{across + 56}" y="34">{kind}</text>'
        across += 145
    for kind, words in (("head", "head of its channel"), ("installed", "installed"), ("deprecated", "deprecated")):
        yield f'<g class="bundle {kind}"><circle cx="{across + 8}" cy="30" r="8"/></g><text x="{across + 24}" y="34">{words}</text>'
        across += 50 + LETTER * len(words)


def _marker(kind: str) -> str:
    size = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
    return f'<marker id="{kind}" {size} orient="auto"><path class="{kind}" d="M0,0 L8,4 L0,8"/></marker>'


def _short(text: str, most: int = 14) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    return escape("".join(one if one.isprintable() else " " for one in text))
