# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all clusters answered, in lines for people."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.fleet.preflight import preflight_told


def answered(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "wanted_version": "1.0.0",
        "version": "1.0.0",
        "engine": "direct",
        "state": "installed",
        "changed": False,
        "plan": [],
        **more,
    }


def test_the_same_on_several_clusters_is_told_once() -> None:
    new = answered("greeter", changed=True, plan=[{"action": "create"}, {"action": "create"}, {"action": "prune"}])
    closed = answered("greeter", state="failed", message="greeter: namespace x is not there\nno permission")
    blocked = answered("stamper", state="blocked", message="not tried, because greeter failed")
    told = preflight_told(
        {
            "edge-1": {"extensions": [new]},
            "edge-2": {"extensions": [new]},
            "prod-1": {"extensions": [closed, blocked]},
            "gone": {"msg": "no answer from cluster gone"},
            "idle": {},
        },
        {"problems": ["edge-3: greeter: bad"], "newer": [{"name": "greeter", "locked": "1.0.0", "available": "1.1.0"}]},
    )
    assert told["problems"] == [
        "edge-3: greeter: bad",
        "prod-1: greeter: namespace x is not there",
        "prod-1: greeter: no permission",
        "gone: no answer from cluster gone",
    ]
    assert told["summary"] == [
        "5 clusters, 4 extensions on them: 4 problems",
        "edge-1, edge-2: greeter 1.0.0 (direct): 2 to create, 1 to remove",
        "greeter: 1.1.0 is in the catalog, 1.0.0 is locked",
    ]
    assert told["changing"] == ["edge-1", "edge-2"]
