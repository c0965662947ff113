# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A report about 1,000 clusters with 30 extensions each: how long it takes to write, to open in a browser, and whether it stays smooth.

    python -m ansible_collections.fleet.olm.tests.benchmarks.fleet_report

Opening is measured by the browser itself, from the request to the first drawing of the matrix. While the page is scrolled, a frame every 16.7 ms is what a
screen shows; one that takes longer than two of them is a jerk that people see.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_json import as_json
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_junit import as_junit
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_page import as_page
from ansible_collections.fleet.olm.plugins.module_utils.fleet.status import fleet_status
from ansible_collections.fleet.olm.tests.benchmarks.measure import best
from ansible_collections.fleet.olm.tests.rig.browser import Browser
from ansible_collections.fleet.olm.tests.rig.browser_program import NoBrowser, find_browser
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.fleet.given import large_fleet

CLUSTERS, EXTENSIONS = 1000, 30
ROUNDS = 5
FRAME = 1000 / 60
OPENED = """new Promise(done => requestAnimationFrame(() => setTimeout(() => done({
  drawn: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now(), all: performance.now(),
}))))"""
# Steps as large as a hand on a wheel makes them, then sideways.
SCROLLED = """new Promise(done => {
  const grid = document.getElementById("grid"), frames = [];
  let last = performance.now(), steps = 0;
  const step = now => {
    frames.push(now - last); last = now; steps += 1;
    if (steps < 150) grid.scrollTop += 120; else grid.scrollLeft += 40;
    if (steps < 200) requestAnimationFrame(step); else done(frames.slice(1));
  };
  requestAnimationFrame(step);
})"""
TIMED = "(work => {{ const began = performance.now(); work(); return performance.now() - began; }})(() => {{ {0} }})"
DONE = {
    "a letter into the search": 'const s = document.getElementById("search"); s.value = "e"; s.dispatchEvent(new Event("input"));',
    "a word into the search": 'const s = document.getElementById("search"); s.value = "replicas"; s.dispatchEvent(new Event("input"));',
    "everything again": 'document.getElementById("reset").click();',
    "a filter": 'document.querySelector(".chip[data-show=failed]").click();',
    "no filter": 'document.getElementById("reset").click();',
    "sort by a column": 'document.getElementById("h-3").click();',
    "details": 'document.querySelector("[role=gridcell]").click();',
}


def main() -> None:
    """Run and print."""
    fleet = large_fleet(CLUSTERS, EXTENSIONS)
    report = fleet_status(fleet, "Operators of the fleet", None)
    print(f"{CLUSTERS} clusters with {EXTENSIONS} extensions")
    print(f"  {'putting it together':<28}{best(lambda: fleet_status(fleet, '', None), ROUNDS):>8.2f} s")
    for name, form in (("JSON", as_json), ("JUnit", as_junit), ("page", as_page)):
        size = len(form(report).encode())
        print(f"  {'writing ' + name:<28}{best(lambda form=form: form(report), ROUNDS):>8.2f} s{size / 1e6:>8.1f} MB")  # type: ignore[misc]
    try:
        program = find_browser(lambda text: print(f"  {text}"))
    except NoBrowser as error:
        sys.exit(f"  {error}")
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "report.html"
        path.write_text(as_page(report), encoding="utf-8")
        _look(Browser(program), path.as_uri())


def _look(started: Browser, address: str) -> None:
    with started as browser:
        opened = []
        for _round in range(ROUNDS):
            browser.open("about:blank")
            browser.open(address)
            opened.append(browser.evaluate(OPENED))
        drawn, everything = (min(one[name] for one in opened) for name in ("drawn", "all"))
        print(
            f"  {'opening: first drawing':<28}{drawn / 1000:>8.2f} s, ready {everything / 1000:.2f} s (best of {ROUNDS})"
        )
        frames = browser.evaluate(SCROLLED)
        ordered = sorted(frames)
        jerks = sum(frame > 2 * FRAME for frame in frames)
        middle, high = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(
            f"  {'scrolling: a frame':<28}{middle:>8.1f} ms, 95 % under {high:.1f} ms, longest {ordered[-1]:.1f} ms, {jerks} of {len(frames)} too long"
        )
        for name, script in DONE.items():
            print(f"  {name:<28}{browser.evaluate(TIMED.format(script)):>8.1f} ms")


if __name__ == "__main__":
    main()
