# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An object that somebody else makes, takes or replaces between plan and apply: it is left to them, and the next run names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    INSTALL,
    NAMESPACE,
    UPGRADE,
    Stage,
    copied,
    tea,
    told,
)

DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
DEPLOYMENT = f"{DEPLOYMENTS}/greeter-controller"
# The record is written when the plan is made, and before anything else.
PLANNED = ("POST", rf"/api/v1/namespaces/{NAMESPACE}/secrets\?.*")

THEIRS: dict[str, Any] = {
    "metadata": {"name": "greeter-controller", "labels": {"team": "other"}},
    "spec": {
        "selector": {"matchLabels": {"app.kubernetes.io/name": "greeter"}},
        "template": {
            "metadata": {"labels": {"app.kubernetes.io/name": "greeter"}},
            "spec": {"containers": [{"name": "theirs", "image": "registry.example.com/theirs:1"}]},
        },
    },
}


def without_ours(content: dict[str, Any]) -> dict[str, Any]:
    """An object without what every change of it changes."""
    plain: dict[str, Any] = copied(content)
    for key in ("resourceVersion", "generation", "managedFields"):
        plain["metadata"].pop(key)
    return plain


def test_made_by_a_person_meanwhile(stage: Stage) -> None:
    made: list[dict[str, Any]] = []
    stage.after(*PLANNED, lambda: made.append(stage.create(DEPLOYMENTS, THEIRS)))

    said = stage.broken_off(INSTALL, through=True)

    assert (
        "Deployment greeter-system/greeter-controller is no longer as the plan found it: somebody else created it"
        in said
    )
    assert "kubectl-create" in said
    assert without_ours(stage.read(DEPLOYMENT)) == without_ours(made[0])
    again = stage.refused(INSTALL)
    assert "Deployment greeter-system/greeter-controller is there already and belongs to nobody" in again


def test_made_by_another_extension_meanwhile(stage: Stage, other: Stage, tmp_path: Path) -> None:
    grabbing = {**tea(tmp_path, deployments=[copied(greeter_deployment())]), "namespace": NAMESPACE}
    stage.after(*PLANNED, lambda: other.run(grabbing))

    said = stage.broken_off(INSTALL, through=True)

    assert (
        "Deployment greeter-system/greeter-controller is no longer as the plan found it: somebody else created it"
        in said
    )
    assert "fleet.olm/tea" in said
    assert not stage.run(grabbing)["changed"], "what is theirs is as they left it"
    again = stage.refused(INSTALL)
    assert "Deployment greeter-system/greeter-controller belongs to extension tea in namespace greeter-system" in again


def greeter_deployment() -> dict[str, Any]:
    return {"name": "greeter-controller", "label": {"team": "other"}, "spec": THEIRS["spec"]}


def test_replaced_meanwhile(stage: Stage) -> None:
    stage.run(INSTALL)
    made: list[dict[str, Any]] = []

    def replace() -> None:
        stage.delete(DEPLOYMENT)
        made.append(stage.create(DEPLOYMENTS, THEIRS))

    stage.after(*PLANNED, replace)
    said = stage.broken_off(UPGRADE, through=True)

    assert "Deployment greeter-system/greeter-controller is no longer as the plan found it" in said
    assert "kubectl-create" in said
    assert without_ours(stage.read(DEPLOYMENT)) == without_ours(made[0])
    again = stage.refused(UPGRADE)
    assert "Deployment greeter-system/greeter-controller is there already and belongs to nobody" in again
    assert stage.run({**UPGRADE, "adopt": True, "force_conflicts": True})["changed"]
    assert not stage.run(UPGRADE)["changed"]


def test_deleted_meanwhile(stage: Stage) -> None:
    """An object that vanished is made anew by the next run, which knows what it planned for."""
    stage.run(INSTALL)
    stage.after(*PLANNED, lambda: stage.delete(DEPLOYMENT))

    said = stage.broken_off(UPGRADE, through=True)

    assert "Deployment greeter-system/greeter-controller was deleted or made anew by somebody else" in said
    assert stage.read(DEPLOYMENT) is None
    assert "Deployment greeter-controller" in told(stage.run(UPGRADE), "create")


def test_changed_meanwhile(stage: Stage) -> None:
    """Fields that somebody took after the plan was made are theirs until the next plan."""
    stage.run(INSTALL)
    field = {
        "spec": {"template": {"spec": {"containers": [{"name": "controller", "image": "registry.example.com/x:1"}]}}}
    }
    patch = "application/strategic-merge-patch+json"
    stage.after(*PLANNED, lambda: stage.cluster.request("PATCH", f"{DEPLOYMENT}?fieldManager=someone", field, patch))

    said = stage.broken_off(UPGRADE, through=True)

    assert "someone" in said
    mended = told(stage.run(UPGRADE), "update")
    assert mended["Deployment greeter-controller"]["why"] == "it drifted"


def test_an_object_to_prune_that_was_replaced_is_left_alone(stage: Stage, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    with_it, without = tea(tmp_path, settings), tea(tmp_path, version="1.1.0")
    stage.run(with_it)
    path = "/api/v1/namespaces/tea-system/configmaps"

    def replace() -> None:
        stage.delete(f"{path}/settings")
        stage.create(path, {"metadata": {"name": "settings"}, "data": {"theirs": "yes"}})

    stage.after("POST", r"/api/v1/namespaces/tea-system/secrets\?.*", replace)
    assert stage.run(without, through=True)["changed"]

    assert stage.read(f"{path}/settings")["data"] == {"theirs": "yes"}
    assert not stage.run(without)["changed"]
