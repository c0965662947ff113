# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters in waves."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.waves import wave_list

GROUPS = {"all": ["e1", "e2", "p1", "p2"], "edge": ["e1", "e2"], "prod": ["p1", "p2"]}


@pytest.mark.parametrize(
    ("clusters", "waves", "canary", "expected"),
    [
        (["e1", "e2", "p1", "p2"], None, None, [["e1", "e2", "p1", "p2"]]),
        (["e1", "e2", "p1", "p2"], ["edge", "prod"], None, [["e1", "e2"], ["p1", "p2"]]),
        (["p1", "e1", "p2", "e2"], ["edge"], None, [["e1", "e2"], ["p1", "p2"]]),
        (["e1", "e2", "p1", "p2"], ["edge"], "p2", [["p2"], ["e1", "e2"], ["p1"]]),
        (["e1", "e2", "p1", "p2"], "edge,prod", "e2,p1", [["e2", "p1"], ["e1"], ["p2"]]),
        (["e1", "e2", "p1", "p2"], [["e1", "prod"]], None, [["e1", "p1", "p2"], ["e2"]]),
        (["e1", "e2", "p1", "p2"], [1, 2], None, [["e1"], ["e2", "p1"], ["p2"]]),
        # From the command line: -e fleet_waves=1,2 and -e canary=1.
        (["e1", "e2", "p1", "p2"], "1,2", None, [["e1"], ["e2", "p1"], ["p2"]]),
        (["e1", "e2", "p1", "p2"], "3", "1", [["e1"], ["e2", "p1", "p2"]]),
        (["p1"], ["edge", "prod"], "e1", [["p1"]]),
        ([], ["edge", "prod"], None, []),
    ],
)
def test_waves(clusters: list[str], waves: Any, canary: Any, expected: list[list[str]]) -> None:
    assert wave_list(clusters, GROUPS, waves, canary) == expected


def test_a_name_of_digits_is_a_name() -> None:
    assert wave_list(["1", "2", "3"], {"all": ["1", "2", "3"]}, "3") == [["3"], ["1", "2"]]


def test_a_slice_of_the_inventory_may_lack_what_a_wave_names() -> None:
    assert wave_list(["e1"], {"all": ["e1"], "edge": ["e1"]}, ["prod", "edge"], "p2", partial=True) == [["e1"]]


@pytest.mark.parametrize(
    ("waves", "said"),
    [
        (["edgy"], "waves: edgy is neither a group nor a cluster of the inventory, did you mean 'edge'?"),
        ([0], "waves: 0 is no number of clusters"),
        ("0", "waves: 0 is no number of clusters"),
    ],
)
def test_what_no_wave_can_be_made_of(waves: Any, said: str) -> None:
    with pytest.raises(FleetError) as refused:
        wave_list(["e1"], GROUPS, waves)
    assert str(refused.value) == said
