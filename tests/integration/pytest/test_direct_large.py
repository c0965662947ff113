# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Revisions that do not fit into one Secret."""

from __future__ import annotations

import base64
import random
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import EVERYTHING, Stage, tea

CONFIG_MAPS = "/api/v1/namespaces/tea-system/configmaps"
SECRETS = "/api/v1/namespaces/tea-system/secrets"
BACK = {"name": "tea", "namespace": "tea-system", "state": "rolled_back", "wait_for": "applied"}
GONE = {"name": "tea", "namespace": "tea-system", "state": "absent", "wait": False}


def large(directory: Path, number: int) -> dict[str, Any]:
    """A bundle of three megabytes that cannot be compressed."""
    noise = random.Random(number)  # noqa: S311 - the same in every run
    maps = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"noise-{index}"},
            "data": {"noise": base64.b64encode(noise.randbytes(700_000)).decode()},
        }
        for index in range(3)
    ]
    return tea(directory, *maps, version=f"{number}.0.0")


def parts(stage: Stage) -> dict[str, int]:
    """How many Secrets each revision takes beyond its first."""
    found: dict[str, int] = {}
    for secret in stage.secrets("tea", "tea-system").values():
        labels = secret["metadata"]["labels"]
        if "fleet.olm/part-of" in labels:
            found[labels["fleet.olm/part-of"]] = found.get(labels["fleet.olm/part-of"], 0) + 1
    return found


@pytest.fixture
def bundles(tmp_path: Path) -> dict[int, dict[str, Any]]:
    return {number: {**large(tmp_path, number), "history_limit": 2} for number in (1, 2, 3)}


def test_large_revisions_are_kept_in_parts_rolled_back_from_them_and_forgotten_whole(
    stage: Stage, bundles: dict[int, dict[str, Any]]
) -> None:
    stage.run(bundles[1])
    assert parts(stage) == {"v1": 2}
    first = stage.read(f"{CONFIG_MAPS}/noise-2")["data"]
    assert not stage.run(bundles[1])["changed"]

    stage.run(bundles[2])
    assert stage.read(f"{CONFIG_MAPS}/noise-2")["data"] != first
    assert parts(stage) == {"v1": 2, "v2": 2}

    stage.run({**BACK, "history_limit": 2})
    assert stage.read(f"{CONFIG_MAPS}/noise-2")["data"] == first
    assert parts(stage) == {"v2": 2, "v3": 2}

    stage.run(GONE)
    assert stage.secrets("tea", "tea-system") == {}


# The parts are written first, then the record.
@pytest.mark.parametrize("request_number", [1, 2, 3] if EVERYTHING else [2])
def test_killed_between_the_parts(request_number: int, stage: Stage, bundles: dict[int, dict[str, Any]]) -> None:
    stage.prepare([bundles[1], bundles[2]])
    expected = stage.snapshot()
    stage.prepare([bundles[1]])
    assert stage.killed_at("POST", rf"{SECRETS}\?.*", bundles[2], nth=request_number)

    stage.run(bundles[2])

    assert stage.snapshot() == expected
    assert not stage.run(bundles[2])["changed"]


def test_parts_of_an_attempt_that_nobody_goes_on_with_are_cleared_away(
    stage: Stage, bundles: dict[int, dict[str, Any]]
) -> None:
    stage.run(bundles[1])
    assert stage.killed_at("POST", rf"{SECRETS}\?.*", bundles[2], nth=2)
    assert parts(stage) == {"v1": 2, "v2": 2}

    assert stage.run(bundles[3])["revision"] == 2

    assert parts(stage) == {"v1": 2, "v2": 2}
    assert len(stage.secrets("tea", "tea-system")) == 6
    assert stage.killed_at("POST", rf"{SECRETS}\?.*", bundles[2], nth=1)
    stage.run(GONE)
    assert stage.secrets("tea", "tea-system") == {}


def test_a_part_that_is_missing_is_named(stage: Stage, bundles: dict[int, dict[str, Any]]) -> None:
    stage.prepare([bundles[1], bundles[2]])
    lost = next(name for name in stage.secrets("tea", "tea-system") if name.startswith("fleet.olm.tea.v1."))
    stage.delete(f"{SECRETS}/{lost}")

    assert lost in stage.refused(BACK)
    assert not stage.run(bundles[2])["changed"]
