# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page of a fleet report, used in a browser."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_page import as_page
from ansible_collections.fleet.olm.plugins.module_utils.fleet.status import fleet_status
from ansible_collections.fleet.olm.tests.rig.browser import Browser
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.fleet.given import (
    DIGEST,
    GAINS,
    large_fleet,
    small_fleet,
)

SIZE = (1400, 900)
CLUSTERS = '[...document.querySelectorAll("[role=rowheader] .name")].map(e => e.textContent)'
COLUMNS = '[...document.querySelectorAll("[role=columnheader] .name span:first-child")].map(e => e.textContent)'
ROWS = 'document.querySelectorAll("[role=row]").length'
PLACE = 'document.getElementById("grid").getAttribute("aria-activedescendant")'
DETAILS = 'document.getElementById("details").hidden ? null : document.getElementById("details").innerText'
COUNT = 'document.getElementById("count").textContent'

# The lowest contrast of texts and of symbols, each with the nearest ground that is not transparent.
CONTRAST = r"""(() => {
  const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(value => linear(Number(value) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const ratio = element => {
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const worst = selector => Math.min(...[...document.querySelectorAll(selector)].map(ratio));
  return {
    texts: worst(".value span, .notes span, .cluster .name, .cluster .facts, .chip, .sub, .count"),
    symbols: worst(".value .icon, .notes .icon, .chip .icon"),
  };
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of two pages."""
    home = tmp_path_factory.mktemp("pages")
    fleets: dict[str, list[dict[str, Any]]] = {"small": small_fleet(), "large": large_fleet(1000, 30)}
    for name, fleet in fleets.items():
        (home / f"{name}.html").write_text(as_page(fleet_status(fleet, f"A {name} fleet", None)), encoding="utf-8")
    return {name: (home / f"{name}.html").as_uri() for name in fleets}


@pytest.fixture
def small(browser: Browser, pages: dict[str, str]) -> Iterator[Browser]:
    """The small page, freshly opened; nothing may go wrong in it, and it asks for nothing but itself."""
    yield from opened(browser, pages["small"])


@pytest.fixture
def large(browser: Browser, pages: dict[str, str]) -> Iterator[Browser]:
    """The same for a thousand clusters."""
    yield from opened(browser, pages["large"])


def opened(browser: Browser, address: str) -> Iterator[Browser]:
    browser.resize(*SIZE)
    browser.prefer("light")
    # Of a page that is open already another part of the address would be shown, and what was done to it would still be there.
    browser.open("about:blank")
    browser.open(address)
    browser.evaluate("localStorage.clear()")
    yield browser
    assert (browser.complaints, browser.requested) == ([], [address])


def test_the_matrix_tells_everything(small: Browser) -> None:
    assert small.evaluate(CLUSTERS) == ["edge-1", "edge-2", "edge-10", "prod-1"]
    assert small.evaluate(COLUMNS) == ["Cluster", "cert-manager", "greeter", "stamper"]
    told = small.evaluate('[...document.querySelectorAll("[role=gridcell]")].map(e => e.getAttribute("aria-label"))')
    assert told == [
        "cert-manager: Healthy, version 1.16.2",
        "greeter: Healthy, version 1.0.0, waits for approval, 1.1.x is wanted",
        "stamper: Healthy, version 2.0.0, can be upgraded to 2.2.0, deprecated",
        "cert-manager: Failed, version 1.15.0",
        "greeter: Absent, not installed, blocked by cert-manager",
        "stamper: not wanted",
        "cert-manager: Healthy, version 1.16.2",
        "greeter: Degraded, version 1.0.0, waits for approval, 1.1.x is wanted",
        "stamper: not wanted",
        "cert-manager: not wanted",
        "greeter: Unknown, not installed",
        "stamper: not wanted",
    ]


def test_every_health_has_a_shape_and_a_text_of_its_own(small: Browser) -> None:
    legend = '[...document.querySelectorAll(".legend span")]'
    shapes = small.evaluate(f'{legend}.map(e => [e.textContent, e.querySelector("svg").innerHTML])')
    assert len(shapes) == 11
    assert len({text for text, _shape in shapes}) == len({shape for _text, shape in shapes}) == 11


def test_a_search_from_the_keyboard_and_back(small: Browser) -> None:
    small.press("/")
    small.write("edge greeter")
    assert (small.evaluate(CLUSTERS), small.evaluate(COLUMNS)) == (
        ["edge-1", "edge-2", "edge-10"],
        ["Cluster", "greeter"],
    )
    assert small.evaluate(COUNT) == "3 of 4 clusters, 1 extension"
    small.press("Escape")
    assert small.evaluate(COUNT) == "4 clusters"
    small.press("/")
    small.write("replicas")
    assert small.evaluate(CLUSTERS) == ["edge-2"]
    small.press("Escape", "/")
    small.write("nothing like it")
    assert small.evaluate(
        '!document.getElementById("empty").hidden && document.querySelectorAll("[role=rowheader]").length === 0'
    )


def test_arrows_move_enter_opens_and_escape_closes(small: Browser) -> None:
    small.press("ArrowRight", "ArrowRight")
    assert small.evaluate(PLACE) == "c-0-2"
    small.press("Enter")
    told = small.evaluate(DETAILS)
    for text in (
        "greeter",
        "on edge-1",
        "held until accepted",
        *GAINS,
        f"accept_permissions: {DIGEST}",
        "greeter-system",
        "1.1.x",
    ):
        assert text in told
    # Details follow the place, so that one can walk along a column.
    small.press("ArrowDown")
    assert "blocked by" in small.evaluate(DETAILS).lower()
    small.click("#details [data-do=go]")
    assert "</script><b>not bold</b>" in small.evaluate(DETAILS)
    small.press("Escape")
    assert small.evaluate(DETAILS) is None
    assert small.evaluate('document.activeElement.id === "grid"')


def test_a_click_opens_details_of_an_extension_or_of_a_cluster(small: Browser) -> None:
    small.click("#c-0-3")
    assert re.search(r"2\.0\.0\s*→\s*2\.1\.0\s*→\s*2\.2\.0", small.evaluate(DETAILS))
    assert "use stable-v2" in small.evaluate(DETAILS)
    small.click("#c-3-0")
    assert "no route to host" in small.evaluate(DETAILS)


def test_a_column_sorts_by_health_then_by_version_then_not_at_all(small: Browser) -> None:
    orders = []
    for _click in range(3):
        small.click("#h-1")
        orders.append(small.evaluate(CLUSTERS))
    assert orders == [
        ["edge-2", "edge-1", "edge-10", "prod-1"],
        ["edge-2", "edge-1", "edge-10", "prod-1"],
        ["edge-1", "edge-2", "edge-10", "prod-1"],
    ]
    small.press("ArrowUp", "ArrowRight", "ArrowRight", "Enter")
    assert small.evaluate(CLUSTERS) == ["edge-10", "edge-2", "prod-1", "edge-1"]
    assert small.evaluate('document.getElementById("h-2").getAttribute("aria-sort")') == "ascending"


def test_filters_can_be_sent_to_somebody(small: Browser, pages: dict[str, str]) -> None:
    small.click(".chip[data-show=approval]")
    assert small.evaluate(CLUSTERS) == ["edge-1", "edge-10"]
    small.click(".chip[data-show=degraded]")
    assert small.evaluate(CLUSTERS) == ["edge-10"]
    address = small.evaluate("location.href")
    small.open("about:blank")
    small.open(address)
    assert small.evaluate(CLUSTERS) == ["edge-10"]
    small.open("about:blank")
    small.open(pages["small"])


def test_dark_as_the_system_has_it_or_as_one_chooses(small: Browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = small.evaluate(ground)
    small.prefer("dark")
    dark = small.evaluate(ground)
    assert dark != light
    small.press("t")
    assert small.evaluate(ground) == light
    small.press("t")
    small.prefer("light")
    assert small.evaluate(ground) == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(small: Browser, scheme: str) -> None:
    """As the guidelines for accessible pages want it: a ratio of 4.5 for texts, of 3 for symbols."""
    small.prefer(scheme)
    measured = small.evaluate(CONTRAST)
    assert measured["texts"] >= 4.5
    assert measured["symbols"] >= 3


def test_a_narrow_window_has_no_sideways_scrolling_but_in_the_matrix(small: Browser) -> None:
    small.resize(400, 800)
    small.settle()
    assert small.evaluate("document.documentElement.scrollWidth") == 400
    small.click("#c-0-2")
    assert small.evaluate('document.getElementById("details").getBoundingClientRect().width') == 400


def test_what_is_printed_holds_every_cluster(small: Browser) -> None:
    printed = small.pdf()
    assert printed.startswith(b"%PDF")
    small.evaluate('dispatchEvent(new Event("beforeprint"))')
    told = small.evaluate('document.getElementById("print").textContent')
    for text in (
        "edge-1",
        "edge-2",
        "edge-10",
        "prod-1",
        "no route to host",
        "blocked by cert-manager",
        "can be 2.2.0",
    ):
        assert text in told


def test_paper_is_printed_whole(large: Browser) -> None:
    large.click(".chip[data-show=failed]")
    failed = int(large.evaluate(COUNT).split(" of ")[0])
    # Each page is an object of the document; forty lines or so fit on one.
    pages = len(re.findall(rb"/Type\s*/Page\b", unpacked(large.pdf())))
    assert pages >= failed * 4 / 50


def unpacked(document: bytes) -> bytes:
    """A PDF with the streams that hold objects unpacked."""
    found = [document]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", document, re.DOTALL):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return b"\n".join(found)


def test_only_what_can_be_seen_of_a_large_fleet_is_in_the_page(large: Browser) -> None:
    assert large.evaluate(COUNT) == "1,000 clusters"
    assert large.evaluate(ROWS) < 50
    large.evaluate('document.getElementById("grid").scrollTop = 1e9')
    large.settle()
    assert large.evaluate(CLUSTERS)[-1] == large.evaluate(
        'JSON.parse(document.getElementById("data").textContent).clusters.at(-1).name'
    )
    assert large.evaluate(ROWS) < 50


def test_one_gets_from_problem_to_problem_with_a_key(large: Browser) -> None:
    large.click(".chip[data-show=failed]")
    large.evaluate('document.getElementById("grid").focus()')
    seen = []
    for _step in range(12):
        large.press("n")
        place = large.evaluate(PLACE)
        seen.append((place, large.evaluate(f'document.getElementById("{place}").getAttribute("aria-label")')))
        inside = f'(r => r.left >= 236 && r.right <= innerWidth && r.bottom <= innerHeight)(document.getElementById("{place}").getBoundingClientRect())'
        assert large.evaluate(inside)
    assert all(": Failed, " in text for _place, text in seen)
    assert len({place for place, _text in seen}) == 12
