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


@pytest.mark.skipif(BROWSER is None, reason="no chromium here to look at the page with: apt-get install chromium")
def test_a_browser_shows_all_of_the_graph(tmp_path: Path) -> None:
    found = read(tmp_path / "catalog", BLOBS)
    page, shot = tmp_path / "page.html", tmp_path / "page.png"
    page.write_text(as_html(found, upgrade_graph(found, installed=installed("1.0.0")), "a catalog"), encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    command = [str(BROWSER), *options, size, f"--screenshot={shot}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    colours = pixels(shot.read_bytes())
    assert [name for name, colour in SEEN.items() if colours[colour] < 40] == []
