# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The whole matrix of clusters and extensions, before the first change: what stands in the way, and what would happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import lines_of
from .told_once import ToldOnce


def preflight_told(plans: Mapping[str, Mapping[str, Any]], lock: Mapping[str, Any]) -> dict[str, Any]:
    """From what each cluster answered in check mode, and from the lock, to problems and plans that people can read; what is the same on several
    clusters is told once."""
    troubled, planned = ToldOnce(), ToldOnce()
    for cluster, plan in plans.items():
        for line in _troubles(plan):
            troubled.add(line, [cluster])
        for item in _extensions(plan):
            if item.get("changed") and item.get("state") != "failed":
                planned.add(_plan_line(item), [cluster])
    problems = [*lock.get("problems", ()), *troubled.lines]
    pairs = sum(len(_extensions(plan)) for plan in plans.values())
    count = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}" if problems else "no problems"
    newer = [
        f"{item['name']}: {item['available']} is in the catalog, {item['locked']} is locked"
        for item in lock.get("newer", ())
    ]
    return {
        "problems": problems,
        "summary": [f"{len(plans)} clusters, {pairs} extensions on them: {count}", *planned.lines, *newer],
        "changing": [
            cluster for cluster, plan in plans.items() if any(item.get("changed") for item in _extensions(plan))
        ],
    }


def _extensions(plan: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return plan.get("extensions") or ()


def _troubles(plan: Mapping[str, Any]) -> Iterator[str]:
    """What is not tried because another failed says nothing new."""
    extensions = _extensions(plan)
    if not extensions:
        yield from str(plan.get("msg") or "").splitlines()
    for item in extensions:
        if item.get("state") == "failed":
            yield from lines_of(item["name"], str(item["message"]))


def _plan_line(item: Mapping[str, Any]) -> str:
    counted = {action: sum(1 for step in item["plan"] if step["action"] == action) for action in _ACTIONS}
    what = ", ".join(f"{number} {_ACTIONS[action]}" for action, number in counted.items() if number)
    return f"{item['name']} {item['version'] or item['wanted_version']} ({item['engine']}): {what or 'to finish'}"


_ACTIONS = {"create": "to create", "update": "to change", "recreate": "to make anew", "prune": "to remove"}
