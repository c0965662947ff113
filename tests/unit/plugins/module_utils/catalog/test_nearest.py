# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a refusal proposes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed, Platform, Query, parse_query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import resolve
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    catalog,
    chain,
    channel,
    entry,
    installed,
    package,
)

BLOBS: list[Blob] = [
    *chain("1.1.0", "1.2.0", "1.3.0", "1.4.0"),
    channel("beta", entry("2.1.0-rc.1")),
    bundle("2.1.0-rc.1"),
]


@pytest.mark.parametrize(
    ("query", "message", "options"),
    [
        pytest.param(
            {"package": "gretter"},
            "package gretter: the catalog does not have this package; did you mean package greeter?",
            {"package": "greeter"},
            id="a slip of the pen",
        ),
        pytest.param(
            {"installed": installed("1.1.0"), "version": "1.4.0"},
            "1.4.0 cannot be upgraded to from greeter.v1.1.0; 1.1.0 → 1.4.0 needs 1.2.0 first",
            {"version": "1.2.0"},
            id="one hop at a time",
        ),
        pytest.param(
            {"channels": ("stable",), "version": ">=2.0.0-0"},
            "no version matches; 2.1.0-rc.1 is in channel beta",
            {"channels": ["beta"]},
            id="another channel",
        ),
        pytest.param(
            {"channels": ("candidate",)},
            "there is no channel candidate; the package has stable, beta; ",
            {"channels": ["beta"]},
            id="no such channel",
        ),
        pytest.param(
            {"version": "2.x"},
            "2.1.0-rc.1 is a pre-release, which a range takes only where it names one: write 2.1.0-rc.1",
            {"version": "2.1.0-rc.1"},
            id="only a pre-release",
        ),
        pytest.param(
            {"version": "7.x", "channels": ("stable",)},
            "no version matches; 1.4.0 is there",
            {"version": "1.4.0"},
            id="what there is",
        ),
        pytest.param(
            {"installed": installed("1.3.0"), "version": "1.2.0"},
            "1.3.0 → 1.2.0 is no upgrade of the catalog; policy SelfCertified allows it",
            {"policy": "SelfCertified"},
            id="back",
        ),
        pytest.param(
            {"installed": Installed("greeter.v0.1.0", "0.1.0")},
            "cannot be upgraded to from greeter.v0.1.0; 0.1.0 → 2.1.0-rc.1 is no upgrade",
            {"policy": "SelfCertified"},
            id="from nowhere",
        ),
    ],
)
def test_the_nearest_change(tmp_path: Path, query: dict[str, Any], message: str, options: dict[str, Any]) -> None:
    opened = [catalog(tmp_path, BLOBS)]
    asked = Query(**{"package": "greeter", **query})
    with pytest.raises(Unresolved) as caught:
        resolve(asked, opened)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    changes = caught.value.details["changes"]
    assert changes[0]["options"] == options


@pytest.mark.parametrize(
    "query",
    [
        {"channels": ["stable"], "version": "2.x"},
        {"channels": ["nowhere"], "version": "9.x"},
        {"installed": {"name": "greeter.v1.1.0", "version": "1.1.0"}, "version": "1.4.0"},
        {"installed": {"name": "greeter.v1.4.0", "version": "1.4.0"}, "version": "<1", "channels": ["beta"]},
        {"installed": {"name": "x", "version": "0.0.1"}, "version": "1.4.x", "channels": ["stable"]},
    ],
)
def test_every_change_that_is_proposed_works(tmp_path: Path, query: dict[str, Any]) -> None:
    opened = [catalog(tmp_path, BLOBS)]
    with pytest.raises(Unresolved) as caught:
        resolve(parse_query({"package": "greeter", **query}), opened)
    assert caught.value.details["changes"]
    for change in caught.value.details["changes"]:
        changed = parse_query({"package": "greeter", **query, **change["options"]})
        assert resolve(changed, opened).bundle.name == change["bundle"]


def test_a_cluster_that_does_not_fit(tmp_path: Path) -> None:
    needs = {"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.34.0"}}
    with pytest.raises(Unresolved, match=r"1.0.0 fit this cluster not: needs Kubernetes 1.34.0"):
        resolve(Query("greeter", platform=Platform("1.30")), [catalog(tmp_path, [package(), bundle("1.0.0", needs)])])


def test_a_package_without_bundles(tmp_path: Path) -> None:
    with pytest.raises(Unresolved, match="the package has no bundles"):
        resolve(Query("greeter"), [catalog(tmp_path, [package()])])
