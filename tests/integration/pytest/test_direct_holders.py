# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two controllers at once: one works, the other is told who does and since when."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    INSTALL,
    NAMESPACE,
    REMOVAL,
    ROLLBACK,
    UPGRADE,
    Stage,
)

SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller"
# The first object of a phase in the middle of the work.
AT_WORK = ("PATCH", rf"{DEPLOYMENT}\?(?!.*dryRun).*")


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [
        pytest.param([], INSTALL, INSTALL, id="two installs"),
        pytest.param([INSTALL], UPGRADE, INSTALL, id="an upgrade and a run that would undo it"),
        pytest.param([INSTALL], UPGRADE, UPGRADE, id="two upgrades"),
        pytest.param([INSTALL, UPGRADE], ROLLBACK, UPGRADE, id="a rollback and an upgrade"),
        pytest.param([INSTALL], UPGRADE, REMOVAL, id="an upgrade and a removal"),
    ],
)
def test_who_comes_second_is_told_who_is_at_work(
    before: list[dict[str, Any]], first: dict[str, Any], second: dict[str, Any], stage: Stage, other: Stage
) -> None:
    stage.prepare(before)
    said: list[str] = []
    stage.after(*AT_WORK, lambda: said.append(other.refused(second)))

    stage.run(first, through=True)

    today = datetime.now(UTC).strftime("%Y-")
    assert "extension greeter in namespace greeter-system is being changed by " in said[0]
    assert f" since {today}" in said[0]
    assert not stage.run(first)["changed"]


def test_a_mending_and_an_upgrade_at_once(stage: Stage, other: Stage) -> None:
    stage.prepare([INSTALL])
    stage.patch(DEPLOYMENT, {"spec": {"replicas": 5}})
    said: list[str] = []
    stage.after(*AT_WORK, lambda: said.append(other.refused(UPGRADE)))

    assert stage.run(INSTALL, through=True)["changed"]

    assert "is being changed by" in said[0]
    assert other.run(UPGRADE)["revision"] == 2


def test_two_who_planned_at_the_same_moment(stage: Stage, other: Stage) -> None:
    """Both saw that nobody was at work; the API server lets one through."""
    stage.prepare([INSTALL])
    results: list[dict[str, Any]] = []
    stage.after("PATCH", rf"{DEPLOYMENT}\?.*dryRun.*", lambda: results.append(other.run(UPGRADE)))

    said = stage.refused({**UPGRADE, "config": {"watchNamespace": NAMESPACE}}, through=True)

    assert results[0]["changed"]
    assert "was changed by somebody else at the same moment" in said
    assert not stage.run(UPGRADE)["changed"]


def test_two_first_installs_that_planned_at_the_same_moment(stage: Stage, other: Stage) -> None:
    stage.make_namespace(NAMESPACE)
    results: list[dict[str, Any]] = []
    stage.after("PATCH", rf"{DEPLOYMENT}\?.*dryRun.*", lambda: results.append(other.run(INSTALL)))

    said = stage.refused(UPGRADE, through=True)

    assert results[0]["revision"] == 1
    assert "extension greeter in namespace greeter-system was changed by somebody else at the same moment" in said
    assert not stage.run(INSTALL)["changed"]


def holder(seconds_ago: int) -> dict[str, Any]:
    """The mark of a controller on another machine that was last heard of some seconds ago."""
    moment = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
    claim = {"id": "1", "who": "ada@far-away", "machine": "x", "process": "1:1", "since": moment, "renewed": moment}
    return {"metadata": {"annotations": {"fleet.olm/holder": json.dumps(claim)}}}


def test_somebody_on_another_machine_is_believed_for_a_while(stage: Stage) -> None:
    stage.prepare([INSTALL])
    stage.patch(f"{SECRETS}/fleet.olm.greeter.v1", holder(60))

    assert "is being changed by ada@far-away since" in stage.refused(UPGRADE)
    assert not stage.run(INSTALL)["changed"], "who has nothing to do need not wait"


@pytest.mark.parametrize("options", [UPGRADE, REMOVAL], ids=["upgrade", "removal"])
def test_who_was_silent_for_too_long_is_followed_by_the_next(options: dict[str, Any], stage: Stage) -> None:
    stage.prepare([INSTALL])
    stage.patch(f"{SECRETS}/fleet.olm.greeter.v1", holder(600))

    assert stage.run(options)["changed"]
    assert not stage.run(options)["changed"]


def test_who_was_taken_over_from_notices_and_stops(stage: Stage, other: Stage) -> None:
    """A controller that hung comes back to life after another one went on in its place."""
    stage.prepare([INSTALL])

    def take_over() -> None:
        stage.patch(f"{SECRETS}/fleet.olm.greeter.v2", holder(600))
        assert other.run(INSTALL)["changed"]

    stage.after(*AT_WORK, take_over)
    said = stage.broken_off(UPGRADE, through=True)

    assert "extension greeter in namespace greeter-system was changed by somebody else at the same moment" in said
    assert not stage.run(INSTALL)["changed"]


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"process": "x", "machine": 5, "renewed": null}'])
def test_a_mark_that_is_none_holds_nobody_up(text: str, stage: Stage) -> None:
    stage.prepare([INSTALL])
    stage.patch(f"{SECRETS}/fleet.olm.greeter.v1", {"metadata": {"annotations": {"fleet.olm/holder": text}}})

    assert stage.run(UPGRADE)["changed"]
