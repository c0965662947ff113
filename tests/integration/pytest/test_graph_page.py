# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page with the upgrade graph, looked at in a browser."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from pathlib import Path

from ansible_collections.fleet.olm.plugins.module_utils.catalog.graph import upgrade_graph
from ansible_collections.fleet.olm.plugins.module_utils.catalog.page import as_html
from ansible_collections.fleet.olm.tests.rig.browser import Browser
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    bundle,
    chain,
    channel,
    deprecations,
    entry,
    installed,
    package,
    read,
)

SIZE = (1400, 900)
# Colours that only these things have.
SEEN = {
    "a bundle, and replaces": (0x2F, 0x6F, 0xDE),
    "the installed bundle": (0x2A, 0x9D, 0x4A),
    "a deprecated bundle": (0xB6, 0xBE, 0xC8),
    "skips": (0xC2, 0x78, 0x03),
    "skipRange": (0x8A, 0x4F, 0xD0),
    "a lane": (0xF4, 0xF6, 0xF8),
}
BLOBS = [
    package(),
    channel("stable", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.1.0", skips=["1.0.0"])),
    channel("beta", entry("1.2.0"), entry("2.0.0", skip_range=">=1.0.0 <2.0.0")),
    *(bundle(version) for version in ("1.0.0", "1.1.0", "1.2.0", "2.0.0")),
    deprecations(("olm.bundle", "greeter.v1.1.0", "leaks memory")),
]


def pixels(png: bytes) -> Counter[tuple[int, int, int]]:
    """How often each colour occurs in a PNG as browsers write it: eight bits a channel, not interlaced."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (width, height, depth) == (*SIZE, 8)
    channels = {2: 3, 6: 4}[kind]
    data, position = b"", 8
    while position < len(png):
        length, name = struct.unpack(">I4s", png[position : position + 8])
        data += png[position + 8 : position + 8 + length] if name == b"IDAT" else b""
        position += length + 12
    raw, stride = zlib.decompress(data), width * channels
    found: Counter[tuple[int, int, int]] = Counter()
    above = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        line = unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, channels)
        found.update(zip(line[0::channels], line[1::channels], line[2::channels], strict=True))
        above = line
    return found


def unfiltered(kind: int, line: bytearray, above: bytearray, channels: int) -> bytearray:
    """A row of a PNG as it is meant: each byte may be told as the difference from its neighbours."""
    for place in range(len(line)) if kind else ():
        left = line[place - channels] if place >= channels else 0
        corner = above[place - channels] if place >= channels else 0
        nearest = min((left, above[place], corner), key=lambda one: abs(left + above[place] - corner - one))
        line[place] = (line[place] + (0, left, above[place], (left + above[place]) // 2, nearest)[kind]) % 256
    return line


def looked_at(page: str, browser: Browser, directory: Path) -> Counter[tuple[int, int, int]]:
    """The colours of a page, which asks for nothing but itself."""
    file = directory / "page.html"
    file.write_text(page, encoding="utf-8")
    browser.resize(*SIZE)
    browser.open(file.as_uri())
    assert (browser.complaints, browser.requested) == ([], [file.as_uri()])
    return pixels(browser.screenshot())


def test_a_browser_shows_all_of_the_graph(browser: Browser, tmp_path: Path) -> None:
    found = read(tmp_path / "catalog", BLOBS)
    page = as_html(found, upgrade_graph(found, installed=installed("1.0.0")), "a catalog")
    colours = looked_at(page, browser, tmp_path)
    assert [name for name, colour in SEEN.items() if colours[colour] < 40] == []


def test_a_graph_that_is_too_wide_shows_its_newest_bundles_and_the_legend(browser: Browser, tmp_path: Path) -> None:
    found = read(tmp_path / "catalog", chain(*(f"1.{minor}.0" for minor in range(100))))
    page = as_html(found, upgrade_graph(found, installed=installed("1.99.0")), "a catalog")
    colours = looked_at(page, browser, tmp_path)
    # A bundle of this colour alone is seen once in the legend and once, larger, in the lane.
    assert colours[SEEN["the installed bundle"]] > 400
    assert colours[SEEN["skips"]] > 40
