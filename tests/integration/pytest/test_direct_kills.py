# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller that is killed after any of its requests: the next run ends where an undisturbed one does.

The server has acted on the request, and the answer never arrives: the worst moment. Every request of an install, an upgrade, a rollback
and a removal that changes something is tried, and a spread of the others; all of them where FLEET_OLM_EVERY_KILL is set.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    EVERYTHING,
    INSTALL,
    REMOVAL,
    ROLLBACK,
    UPGRADE,
    Stage,
    changes_something,
)

# What is there before, and what is done then.
STORIES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "install": ([], INSTALL),
    "upgrade": ([INSTALL], UPGRADE),
    "rollback": ([INSTALL, UPGRADE], ROLLBACK),
    "removal": ([INSTALL, UPGRADE], REMOVAL),
}

# Of the requests that change nothing one in so many is tried: whoever is killed after one has left nothing new behind.
SPREAD = 8


@pytest.mark.parametrize("story", STORIES)
def test_a_run_after_a_kill_ends_where_an_undisturbed_one_does(story: str, stage: Stage) -> None:
    before, options = STORIES[story]
    stage.prepare(before)
    seen = stage.seen(options)
    expected = stage.snapshot()
    moments = [
        number
        for number, request in enumerate(seen, 1)
        if EVERYTHING or changes_something(request) or number % SPREAD == 1
    ]
    kills = 0
    for moment in moments:
        stage.prepare(before)
        if not stage.killed_after(moment, options):
            # What was gone at once need not be waited for: not every run needs as many requests.
            continue
        kills += 1
        stage.run(options)
        assert stage.snapshot() == expected, f"killed after request {moment}, {seen[moment - 1]}"
        assert not stage.run(options)["changed"], f"killed after request {moment}, {seen[moment - 1]}"
    assert kills > 10
