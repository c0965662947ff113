# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page with the upgrade graph, looked at in a browser."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.graph import upgrade_graph
from ansible_collections.fleet.olm.plugins.module_utils.catalog.page import as_html
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

BROWSER = shutil.which("chromium")
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


def screenshot(page: str, directory: Path) -> Counter[tuple[int, int, int]]:
    """The colours of a page in a browser that is left alone and asks nobody for anything."""
    file, shot = directory / "page.html", directory / "page.png"
    file.write_text(page, encoding="utf-8")
    quiet = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --hide-scrollbars"
    )
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    command = [str(BROWSER), *quiet.split(), f"--user-data-dir={directory / 'profile'}", size]
    subprocess.run([*command, f"--screenshot={shot}", file.as_uri()], check=True, capture_output=True, timeout=120)
    return pixels(shot.read_bytes())


pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here to look at the page with: apt-get install chromium"
)


def test_a_browser_shows_all_of_the_graph(tmp_path: Path) -> None:
    found = read(tmp_path / "catalog", BLOBS)
    colours = screenshot(as_html(found, upgrade_graph(found, installed=installed("1.0.0")), "a catalog"), tmp_path)
    assert [name for name, colour in SEEN.items() if colours[colour] < 40] == []


def test_a_graph_that_is_too_wide_shows_its_newest_bundles_and_the_legend(tmp_path: Path) -> None:
    found = read(tmp_path / "catalog", chain(*(f"1.{minor}.0" for minor in range(100))))
    colours = screenshot(as_html(found, upgrade_graph(found, installed=installed("1.99.0")), "a catalog"), tmp_path)
    # A bundle of this colour alone is seen once in the legend and once, larger, in the lane.
    assert colours[SEEN["the installed bundle"]] > 400
    assert colours[SEEN["skips"]] > 40
