# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that cannot be changed in place: the object is made again, whatever happens in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import RBAC, Stage, copied, tea, told
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import deployment

DEPLOYMENT = "/apis/apps/v1/namespaces/tea-system/deployments/tea-operator"
BINDING = f"{RBAC}/clusterrolebindings/tea-reader"
BACK = {"name": "tea", "namespace": "tea-system", "state": "rolled_back", "wait_for": "applied"}


def release(directory: Path, version: str, *, app: str, role: str) -> dict[str, Any]:
    """A bundle whose Deployment has a certain selector, and whose binding a certain role."""
    runs = copied(deployment())
    runs["spec"]["selector"]["matchLabels"] = runs["spec"]["template"]["metadata"]["labels"] = {"app": app}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "tea-reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "tea-system"}],
    }
    return {**tea(directory, binding, version=version, deployments=[runs]), "accept_permissions": "all"}


@pytest.fixture
def releases(tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        release(tmp_path, "1.0.0", app="tea", role="view"),
        release(tmp_path, "2.0.0", app="green-tea", role="edit"),
    )


def test_a_binding_and_a_deployment_are_made_again(
    stage: Stage, releases: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    first, second = releases
    stage.run(first)
    uid = stage.read(DEPLOYMENT)["metadata"]["uid"]

    foretold = stage.run(second, check=True)
    done = stage.run(second)

    steps = told(done, "recreate")
    assert steps == told(foretold, "recreate")
    assert set(steps) == {"ClusterRoleBinding tea-reader", "Deployment tea-operator"}
    assert all(step["why"].startswith("cannot be changed in place: ") for step in steps.values())
    assert stage.read(BINDING)["roleRef"]["name"] == "edit"
    assert stage.read(DEPLOYMENT)["spec"]["selector"] == {"matchLabels": {"app": "green-tea"}}
    assert stage.read(DEPLOYMENT)["metadata"]["uid"] != uid
    assert not stage.run(second)["changed"]
    stage.run(BACK)
    assert stage.read(BINDING)["roleRef"]["name"] == "view"


MOMENTS = [
    (method, path)
    for path in ("clusterrolebindings/tea-reader", "deployments/tea-operator")
    for method in ("DELETE", "PATCH")
]


@pytest.mark.parametrize(("method", "path"), MOMENTS, ids=[" ".join(moment) for moment in MOMENTS])
def test_killed_in_between(
    method: str, path: str, stage: Stage, releases: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    first, second = releases
    stage.prepare([first, second])
    expected = stage.snapshot()
    stage.prepare([first])

    assert stage.killed_at(method, rf".*/{path}(\?(?!.*dryRun).*)?", second)

    stage.run(second)
    assert stage.snapshot() == expected
    assert not stage.run(second)["changed"]


def test_killed_in_between_and_taken_back(stage: Stage, releases: tuple[dict[str, Any], dict[str, Any]]) -> None:
    first, second = releases
    stage.run(first)
    assert stage.killed_at("DELETE", ".*/deployments/tea-operator", second)
    assert stage.read(DEPLOYMENT) is None

    stage.run(BACK)

    assert stage.read(DEPLOYMENT)["spec"]["selector"] == {"matchLabels": {"app": "tea"}}
    assert stage.read(BINDING)["roleRef"]["name"] == "view"
    assert not stage.run(BACK)["changed"]


def test_one_that_somebody_made_anew_in_between_is_theirs(
    stage: Stage, releases: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    first, second = releases
    stage.run(first)
    theirs = copied(stage.read(BINDING))
    theirs["metadata"] = {"name": "tea-reader"}
    stage.after("DELETE", f"{BINDING}.*", lambda: stage.create(BINDING.rpartition("/")[0], theirs))

    said = stage.broken_off(second, through=True)

    assert "ClusterRoleBinding tea-reader" in said
    assert stage.read(BINDING)["roleRef"]["name"] == "view"
    assert "fleet.olm/extension" not in stage.read(BINDING)["metadata"].get("labels", {})
    assert "ClusterRoleBinding tea-reader is there already and belongs to nobody" in stage.refused(second)
