# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade graph as Mermaid text, which code hosts draw where it stands in Markdown."""

from __future__ import annotations

from .graph import Graph, Node
from .successors import REPLACES, SKIP_RANGE, SKIPS

# Solid, dashed, thick.
ARROWS = {REPLACES: "-->", SKIPS: "-.->", SKIP_RANGE: "==>"}
CLASSES = {
    "deprecated": "fill:#eee,stroke:#999,color:#888,stroke-dasharray:4 3",
    "installed": "fill:#d6f5d6,stroke:#2a7a2a,stroke-width:3px,color:#123",
    "head": "stroke-width:3px",
    "missing": "fill:none,stroke:#c33,color:#c33,stroke-dasharray:2 2",
}


def as_mermaid(graph: Graph) -> str:
    """The graph from left to right, the oldest version first."""
    lines = ["flowchart LR"]
    places = {node.name: f"b{number}" for number, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        classes = ",".join(_classes(node))
        lines.append(f'  {places[node.name]}["{_label(node)}"]' + (f":::{classes}" if classes else ""))
    drawn: dict[tuple[str, str, str], list[str]] = {}
    for edge in graph.edges:
        if edge.newer in places and edge.older in places:
            drawn.setdefault((edge.older, edge.newer, edge.kind), []).append(edge.channel)
    for (older, newer, kind), channels in drawn.items():
        # Which channel an edge is in goes without saying where there is one.
        label = f'|"{_escaped(", ".join(dict.fromkeys(channels)))}"|' if len(graph.channels) > 1 else ""
        lines.append(f"  {places[older]} {ARROWS[kind]}{label} {places[newer]}")
    used = {name for node in graph.nodes for name in _classes(node)}
    lines += [f"  classDef {name} {style}" for name, style in CLASSES.items() if name in used]
    return "\n".join(lines) + "\n"


def _label(node: Node) -> str:
    notes = [f"head of {', '.join(node.heads)}"] if node.heads else []
    notes += ["deprecated"] if node.deprecated is not None else []
    notes += ["installed"] if node.installed else []
    notes += ["not in the catalog"] if node.missing else []
    return _escaped(node.version) + "".join(f"<br/>{_escaped(note)}" for note in notes)


def _classes(node: Node) -> list[str]:
    if node.missing:
        return ["missing"]
    if node.installed:
        return ["installed"]
    if node.deprecated is not None:
        return ["deprecated"]
    return ["head"] if node.heads else []


def _escaped(text: str) -> str:
    """Text that ends no label and starts nothing: all but the plainest characters as numbers."""
    return "".join(one if one.isalnum() or one in " .,-_+/" else f"#{ord(one)};" for one in text)
