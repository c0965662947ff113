# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shortest way from one bundle to another."""

from __future__ import annotations

import random
import time
from collections import deque
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import CatalogBundle, Channel, Entry, Package
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed, Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.rollback import rollback_candidates
from ansible_collections.fleet.olm.plugins.module_utils.catalog.successors import edge, successors
from ansible_collections.fleet.olm.plugins.module_utils.catalog.upgrade_path import upgrade_path
from ansible_collections.fleet.olm.plugins.module_utils.catalog.versions import parse_version
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    NOWHERE,
    Blob,
    bundle,
    catalog,
    chain,
    channel,
    entry,
    installed,
    package,
    read,
)

SKIPPING = [
    package(),
    channel(
        "stable",
        entry("1.0.0"),
        entry("1.1.0", "1.0.0"),
        entry("1.2.0", "1.1.0", skips=["1.0.0"]),
        entry("1.3.0", "1.2.0"),
        entry("2.0.0", "1.3.0", skip_range=">=1.2.0 <2.0.0"),
    ),
    *(bundle(version) for version in ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0")),
]


def way(tmp_path: Path, blobs: list[Blob], start: Installed, target: str) -> list[tuple[str, str]] | None:
    found = read(tmp_path, blobs)
    hops = upgrade_path(start, found.by_name[f"greeter.v{target}"], found, found.channels)
    return None if hops is None else [(hop.bundle.version, hop.edge) for hop in hops]


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [
        (installed("1.0.0"), "1.1.0", [("1.1.0", "replaces")]),
        (installed("1.0.0"), "2.0.0", [("1.2.0", "skips"), ("2.0.0", "skipRange")]),
        (installed("1.1.0"), "1.3.0", [("1.2.0", "replaces"), ("1.3.0", "replaces")]),
        (installed("2.0.0"), "2.0.0", []),
        (installed("2.0.0"), "1.0.0", None),
        (Installed("gone", "1.2.5"), "2.0.0", [("2.0.0", "skipRange")]),
        (Installed("gone", "0.1.0"), "2.0.0", None),
    ],
)
def test_ways(tmp_path: Path, start: Installed, target: str, expected: list[tuple[str, str]] | None) -> None:
    assert way(tmp_path, SKIPPING, start, target) == expected


def test_a_circle_ends(tmp_path: Path) -> None:
    blobs = [
        package(),
        channel("c", entry("1.0.0", "1.1.0"), entry("1.1.0", "1.0.0")),
        bundle("1.0.0"),
        bundle("1.1.0"),
        bundle("1.2.0"),
    ]
    assert way(tmp_path, blobs, installed("1.0.0"), "1.1.0") == [("1.1.0", "replaces")]
    assert way(tmp_path, blobs, installed("1.0.0"), "1.2.0") is None


def test_no_hop_goes_over_a_bundle_that_olm_refuses(tmp_path: Path) -> None:
    blobs = [blob for blob in chain("1.0.0", "1.1.0", "1.2.0") if blob.get("name") != "greeter.v1.1.0"]
    blobs.append(bundle("1.1.0", {"type": "olm.constraint", "value": {}}))
    assert way(tmp_path, blobs, installed("1.0.0"), "1.2.0") is None


def random_package(chance: random.Random, count: int) -> Package:
    names = [f"b{number}" for number in range(count)]
    versions = [f"{chance.randint(0, 2)}.{chance.randint(0, 3)}.{chance.randint(0, 3)}" for _name in names]

    def some_range() -> str:
        low, high = chance.choice(versions), chance.choice(versions)
        return chance.choice(
            ["", "", f">={low} <{high}", f">{low} <={high} !{chance.choice(versions)}", f"{low} || <{high}", "bad"]
        )

    entries = tuple(
        Entry(
            name,
            chance.choice([*names, ""]),
            tuple(chance.sample(names, chance.randint(0, min(2, count)))),
            some_range(),
        )
        for name in names
    )
    bundles = tuple(CatalogBundle(name, "", version, NOWHERE) for name, version in zip(names, versions, strict=True))
    return Package("p", (), (Channel("c", entries, NOWHERE),), bundles)


def plain_search(start: Installed, target: str, found: Package) -> int | None:
    """The length of the shortest way, by trying all."""
    queue, seen = deque([(start, 0)]), {start.name}
    while queue:
        here, length = queue.popleft()
        if here.name == target:
            return length
        for name, _edge, _channel in successors(here, found.channels):
            if name not in seen:
                seen.add(name)
                queue.append((Installed(name, found.by_name[name].version), length + 1))
    return None


def test_it_finds_what_trying_everything_finds() -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    for _round in range(300):
        found = random_package(chance, chance.randint(1, 12))
        first, last = chance.choice(found.bundles), chance.choice(found.bundles)
        start = Installed(first.name, first.version)
        hops = upgrade_path(start, last, found, found.channels)
        assert (None if hops is None else len(hops)) == plain_search(start, last.name, found)
        here = start
        for hop in hops or ():
            entries = [one for _channel, one in found.entries[hop.bundle.name]]
            assert any(edge(one, here.name, parse_version(here.version)) == hop.edge for one in entries)
            here = Installed(hop.bundle.name, hop.bundle.version)


def test_ten_thousand_bundles_with_wide_ranges_take_no_time() -> None:
    count = 10_000
    entries = tuple(Entry(f"b{n}", f"b{n - 1}", (), f">=0.0.0 <{max(0, n - 2)}.0.0") for n in range(count))
    bundles = tuple(CatalogBundle(f"b{n}", "", f"{n}.0.0", NOWHERE) for n in range(count))
    found = Package("p", (), (Channel("c", entries, NOWHERE),), bundles)
    start = time.monotonic()
    assert len(upgrade_path(Installed("b0", "0.0.0"), bundles[-1], found, found.channels) or ()) == 1
    assert upgrade_path(Installed("x", "999999.0.0"), bundles[-1], found, found.channels) is None
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [("1.2.0", "SelfCertified"), ("1.1.0", "SelfCertified"), ("1.0.0", "SelfCertified")]),
        ({"version": "<1.2.0"}, [("1.1.0", "SelfCertified"), ("1.0.0", "SelfCertified")]),
        ({"channels": ("beta",)}, []),
    ],
)
def test_ways_back(tmp_path: Path, query: dict[str, str], expected: list[tuple[str, str]]) -> None:
    opened = catalog(tmp_path, SKIPPING)
    asked = Query("greeter", installed=installed("1.3.0"), **query)  # type: ignore[arg-type]
    found = rollback_candidates(asked, opened)
    assert [(one.bundle.version, one.policy) for one in found] == expected


def test_a_way_back_that_the_catalog_provides(tmp_path: Path) -> None:
    blobs = [package(), channel("c", entry("1.0.0", "1.1.0"), entry("1.1.0")), bundle("1.0.0"), bundle("1.1.0")]
    found = rollback_candidates(Query("greeter", installed=installed("1.1.0")), catalog(tmp_path, blobs))
    assert [(one.bundle.version, one.policy) for one in found] == [("1.0.0", "CatalogProvided")]
