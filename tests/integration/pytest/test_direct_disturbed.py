# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A network and an API server that misbehave at any step of an install and an upgrade.

Each run ends well, or with one error in words; a change that was begun says so. The next undisturbed run ends where it always does.
By default each fault meets every seventh step, each another one; with FLEET_OLM_EVERY_KILL every fault meets every step.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    EVERYTHING,
    INSTALL,
    REMOVAL,
    ROLLBACK,
    UPGRADE,
    Stage,
)
from ansible_collections.fleet.olm.tests.rig.faults import Answer, Delay, Fault, ResetAfter, ResetBefore, Truncate

_JSON = {"Content-Type": "application/json"}


def status(code: int, reason: str) -> bytes:
    """What an API server says when it refuses."""
    content = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return json.dumps({**content, "message": f"{reason} for a test"}).encode()


# With each, whether a run gets over it by itself wherever it happens.
FAULTS: dict[str, tuple[Fault, bool]] = {
    "429 with Retry-After": (Answer(429, status(429, "TooManyRequests"), {**_JSON, "Retry-After": "0"}), True),
    "500": (Answer(500, status(500, "InternalError"), _JSON), False),
    "503 with Retry-After": (Answer(503, status(503, "ServiceUnavailable"), {**_JSON, "Retry-After": "0"}), True),
    "503": (Answer(503, b"no healthy upstream\n", {"Content-Type": "text/plain"}), False),
    "reset before": (ResetBefore(), False),
    "reset after": (ResetAfter(), False),
    "slow": (Delay(0.3), True),
    "truncated": (Truncate(), False),
}
STORIES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "install": ([], INSTALL),
    "upgrade": ([INSTALL], UPGRADE),
    **({"rollback": ([INSTALL, UPGRADE], ROLLBACK), "removal": ([INSTALL, UPGRADE], REMOVAL)} if EVERYTHING else {}),
}
SPREAD = 7


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_disturbed_run_ends_in_words_and_the_next_one_in_the_same_state(
    story: str, fault: str, stage: Stage, undisturbed: dict[str, tuple[int, dict[str, Any]]]
) -> None:
    before, options = STORIES[story]
    if story not in undisturbed:
        stage.prepare(before)
        undisturbed[story] = len(stage.seen(options)), stage.snapshot()
    steps, expected = undisturbed[story]
    what, is_got_over = FAULTS[fault]
    for step in range(1, steps + 1) if EVERYTHING else range(1 + list(FAULTS).index(fault) % SPREAD, steps + 1, SPREAD):
        stage.prepare(before)
        earlier = stage.snapshot()
        stage.proxy.on("*", ".*", what, nth=step)
        result = stage.result(options, through=True)
        asked = stage.proxy.seen[step - 1] if len(stage.proxy.seen) >= step else None
        where = f"{fault} at request {step}, {asked}: {result.get('msg')}"
        if result.get("failed"):
            assert not is_got_over, where
            assert "\n" not in result["msg"], where
            assert result["changed"] or stage.snapshot() == earlier, where
        else:
            assert result["changed"], where
        is_done = not result.get("failed")
        again = stage.run(options)
        assert stage.snapshot() == expected, where
        assert not (is_done and again["changed"]), where
        assert not stage.run(options)["changed"], where


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, tuple[int, dict[str, Any]]]:
    """How many requests a story takes and what it leaves behind; found out once."""
    return {}
