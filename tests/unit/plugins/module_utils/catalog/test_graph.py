# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade graph, as data and drawn."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from ansible_collections.fleet.olm.plugins.module_utils.catalog.drawing import as_svg
from ansible_collections.fleet.olm.plugins.module_utils.catalog.graph import as_data, upgrade_graph
from ansible_collections.fleet.olm.plugins.module_utils.catalog.mermaid import as_mermaid
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import CatalogBundle, Channel, Entry, Package
from ansible_collections.fleet.olm.plugins.module_utils.catalog.page import as_html
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    NOWHERE,
    bundle,
    chain,
    channel,
    deprecations,
    entry,
    installed,
    package,
    read,
)

BLOBS = [
    package(),
    channel(
        "stable",
        entry("1.0.0", "0.9.0"),
        entry("1.1.0", "1.0.0"),
        entry("1.2.0", "1.1.0", skips=["1.0.0"], skip_range=">=1.0.0 <1.2.0"),
    ),
    channel("beta", entry("2.0.0", skip_range="<2.0.0")),
    *(bundle(version) for version in ("2.0.0", "1.2.0", "1.1.0", "1.0.0")),
    deprecations(("olm.bundle", "greeter.v1.1.0", "leaks <memory>")),
]


def test_data(tmp_path: Path) -> None:
    data = as_data(upgrade_graph(read(tmp_path, BLOBS), installed=installed("1.0.0")))
    nodes = {node["version"]: node for node in data["nodes"]}
    assert list(nodes) == ["0.9.0", "1.0.0", "1.1.0", "1.2.0", "2.0.0"]
    assert nodes["0.9.0"]["missing"]
    assert nodes["1.0.0"]["installed"]
    assert nodes["1.1.0"]["deprecated"] == "leaks <memory>"
    assert [nodes[version]["head_of"] for version in ("1.1.0", "1.2.0", "2.0.0")] == [[], ["stable"], ["beta"]]
    edges = {(edge["from"][9:], edge["to"][9:], edge["kind"], edge["channel"]) for edge in data["edges"]}
    assert edges == {
        ("0.9.0", "1.0.0", "replaces", "stable"),
        ("1.0.0", "1.1.0", "replaces", "stable"),
        ("1.1.0", "1.2.0", "replaces", "stable"),
        ("1.0.0", "1.2.0", "skips", "stable"),
        ("1.0.0", "2.0.0", "skipRange", "beta"),
        ("1.1.0", "2.0.0", "skipRange", "beta"),
        ("1.2.0", "2.0.0", "skipRange", "beta"),
    }


def test_one_channel(tmp_path: Path) -> None:
    graph = upgrade_graph(read(tmp_path, BLOBS), ["beta"])
    assert [node.version for node in graph.nodes] == ["2.0.0"]
    assert graph.edges == ()


def test_too_many_edges_are_left_out_and_counted(tmp_path: Path) -> None:
    graph = upgrade_graph(read(tmp_path, BLOBS), most=4)
    assert {edge.kind for edge in graph.edges} == {"replaces", "skips"}
    assert graph.left_out == 3


def test_mermaid(tmp_path: Path) -> None:
    text = as_mermaid(upgrade_graph(read(tmp_path, BLOBS), installed=installed("1.0.0")))
    assert text.splitlines() == [
        "flowchart LR",
        '  b0["0.9.0<br/>not in the catalog"]:::missing',
        '  b1["1.0.0<br/>installed"]:::installed',
        '  b2["1.1.0<br/>deprecated"]:::deprecated',
        '  b3["1.2.0<br/>head of stable"]:::head',
        '  b4["2.0.0<br/>head of beta"]:::head',
        '  b0 -->|"stable"| b1',
        '  b1 -->|"stable"| b2',
        '  b2 -->|"stable"| b3',
        '  b1 -.->|"stable"| b3',
        '  b1 ==>|"beta"| b4',
        '  b2 ==>|"beta"| b4',
        '  b3 ==>|"beta"| b4',
        *(line for line in text.splitlines() if line.startswith("  classDef")),
    ]
    assert len(re.findall("classDef", text)) == 4


def test_names_cannot_break_out_of_a_drawing(tmp_path: Path) -> None:
    evil = '"]; click b0 "javascript:alert(1)" <script>alert(1)</script>\n'
    blobs = [package(), channel(evil, entry("1.0.0", evil)), bundle("1.0.0", image=evil), bundle(evil, name="x")]
    found = read(tmp_path, [*blobs, channel("stable", {"name": "x"}), deprecations(("olm.bundle", "x", evil))])
    graph = upgrade_graph(found)
    assert "<script" not in as_mermaid(graph) + as_svg(found, graph) + as_html(found, graph, evil)
    assert '"]; click' not in as_mermaid(graph)
    ElementTree.fromstring(as_svg(found, graph))  # noqa: S314 - our own


def test_the_page_is_whole_and_loads_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, BLOBS)
    page = as_html(found, upgrade_graph(found, installed=installed("1.0.0")), "a catalog")
    assert not re.search(r"(src|href|@import|url\((?!#))", page)
    svg = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    kinds = [path.get("class") for path in svg.iter(f"{space}path") if path.find(f"{space}title") is not None]
    assert sorted(filter(None, kinds)) == ["replaces"] * 3 + ["skipRange"] * 2 + ["skips"]
    classes = " ".join(group.get("class", "") for group in svg.iter(f"{space}g"))
    assert all(word in classes for word in ("installed", "deprecated", "head", "missing"))
    parser = HTMLParser()
    parser.feed(page)
    assert page.count("<tr") == 6


def test_lanes_show_what_is_deprecated_and_where_ranges_begin(tmp_path: Path) -> None:
    blobs = [*BLOBS, deprecations(("olm.channel", "beta", "over"))]
    found = read(tmp_path, [blob for blob in blobs if blob is not BLOBS[-1]])
    svg = ElementTree.fromstring(as_svg(found, upgrade_graph(found)))  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    lanes = {rect.get("class"): int(rect.get("height", "")) for rect in svg.iter(f"{space}rect")}
    assert lanes == {"lane": 156, "lane deprecated": 156}
    assert [note.text for note in svg.iter(f"{space}text") if note.get("class") == "note"][:3] == [
        "default channel",
        "not there",
        "deprecated",
    ]
    elsewhere = [group for group in svg.iter(f"{space}g") if group.get("class") == "bundle elsewhere"]
    assert [group.findtext(f"{space}title") for group in elsewhere] == ["greeter.v1.0.0, in another channel"]


def test_a_lane_with_nothing_below_its_bundles_is_lower(tmp_path: Path) -> None:
    found = read(tmp_path, chain("1.0.0", "1.1.0"))
    svg = ElementTree.fromstring(as_svg(found, upgrade_graph(found)))  # noqa: S314 - our own
    assert [rect.get("height") for rect in svg.iter("{http://www.w3.org/2000/svg}rect")] == ["102"]


def test_ten_thousand_bundles_are_drawn_in_bounded_time() -> None:
    count = 10_000
    entries = tuple(Entry(f"b{n}", f"b{n - 1}" if n else "", (), f">=0.0.0 <{n}.0.0") for n in range(count))
    bundles = tuple(CatalogBundle(f"b{n}", "", f"{n}.0.0", NOWHERE) for n in range(count))
    found = Package("p", (), (Channel("c", entries, NOWHERE),), bundles)
    start = time.monotonic()
    graph = upgrade_graph(found)
    assert graph.left_out
    assert len(as_svg(found, graph)) + len(as_mermaid(graph)) < 20_000_000
    assert time.monotonic() - start < 30
