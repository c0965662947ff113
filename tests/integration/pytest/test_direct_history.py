# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Revisions: how many are kept, how to go back to one, and ledgers that are damaged."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import compare_bundles
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    INSTALL,
    NAMESPACE,
    REMOVAL,
    ROLLBACK,
    TEA,
    UPGRADE,
    Stage,
    tea,
    told,
)
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import deployment

SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
DEPLOYMENT = "/apis/apps/v1/namespaces/tea-system/deployments/tea-operator"
BACK = {"name": "tea", "namespace": "tea-system", "state": "rolled_back", "wait_for": "applied"}


def with_image(directory: Path, number: int) -> dict[str, Any]:
    """A version of a bundle that can be told by its image."""
    container = {"name": "manager", "image": f"registry.example/tea:{number}"}
    return tea(directory, version=f"{number}.0.0", deployments=[deployment(containers=[container])])


def image(stage: Stage) -> str:
    containers = stage.read(DEPLOYMENT)["spec"]["template"]["spec"]["containers"]
    return str(containers[0]["image"]).rpartition(":")[2]


def revisions(stage: Stage) -> dict[int, str]:
    """The state of each revision in the ledger."""
    labels = [item["metadata"]["labels"] for item in stage.secrets("tea", "tea-system").values()]
    return {int(item["fleet.olm/revision"]): item["fleet.olm/state"] for item in labels if "fleet.olm/state" in item}


def test_old_revisions_are_forgotten_but_never_the_last_good_one(stage: Stage, tmp_path: Path) -> None:
    for number in range(1, 5):
        stage.run({**with_image(tmp_path, number), "history_limit": 2})
    assert revisions(stage) == {3: "superseded", 4: "installed"}

    stage.run({**with_image(tmp_path, 5), "history_limit": 1})
    assert revisions(stage) == {4: "superseded", 5: "installed"}, "there is always something to go back to"


def test_a_rollback_goes_to_the_last_good_revision_and_no_further(stage: Stage, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        stage.run(with_image(tmp_path, number))
    foretold = stage.run(BACK, check=True)

    done = stage.run(BACK)

    assert image(stage) == "2"
    assert done["plan"] == foretold["plan"]
    assert done["bundle"]["version"] == "2.0.0"
    assert revisions(stage) == {1: "superseded", 2: "superseded", 3: "superseded", 4: "installed"}
    assert not stage.run(BACK)["changed"]
    assert image(stage) == "2"


def test_a_rollback_to_a_named_revision(stage: Stage, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        stage.run(with_image(tmp_path, number))

    stage.run({**BACK, "revision": 1})

    assert image(stage) == "1"
    assert not stage.run({**BACK, "revision": 1})["changed"]
    assert stage.run({**BACK, "revision": 3})["changed"]
    assert image(stage) == "3"
    assert stage.run(with_image(tmp_path, 2))["changed"]
    assert image(stage) == "2"


def test_a_rollback_to_what_is_not_there_says_what_is(stage: Stage, tmp_path: Path) -> None:
    assert "extension tea in namespace tea-system is not installed" in stage.refused(BACK)
    stage.run(with_image(tmp_path, 1))
    assert "has no earlier revision: there is nothing to roll back to" in stage.refused(BACK)
    stage.run(with_image(tmp_path, 2))
    assert "revision 7 of extension tea in namespace tea-system is not in its ledger, which has 2, 1" in stage.refused(
        {**BACK, "revision": 7}
    )


def test_an_upgrade_that_never_gets_ready_says_what_serves_and_can_be_taken_back(stage: Stage, tmp_path: Path) -> None:
    """Nothing runs Deployments on this cluster: none ever gets ready."""
    stage.run(with_image(tmp_path, 1))
    impatient = {"wait_for": "ready", "wait_timeout": 1}

    said = stage.broken_off({**with_image(tmp_path, 2), **impatient})

    assert "tea: revision 2 did not become ready within 1 s: " in said
    assert "Deployment tea-system/tea-operator" in said
    assert "Revision 1 keeps serving where it still can; roll back with state: rolled_back, or run again" in said
    assert revisions(stage) == {1: "installed", 2: "failed"}
    assert stage.run(BACK)["revision"] == 3
    assert image(stage) == "1"
    assert revisions(stage) == {1: "superseded", 2: "superseded", 3: "installed"}
    assert "was never finished" in stage.refused({**BACK, "revision": 2})
    assert not stage.run(BACK)["changed"]


def test_a_first_install_that_failed_has_nothing_to_go_back_to(stage: Stage, tmp_path: Path) -> None:
    options = {**with_image(tmp_path, 1), "wait_for": "ready", "wait_timeout": 1}

    assert "Run it again to go on, or remove it with state: absent" in stage.broken_off(options)

    assert "has no revision that was ever finished" in stage.refused(BACK)
    assert stage.run(with_image(tmp_path, 1))["revision"] == 1
    assert revisions(stage) == {1: "installed"}


def test_failed_attempts_do_not_push_the_good_revision_out(stage: Stage, tmp_path: Path) -> None:
    stage.run(with_image(tmp_path, 1))
    for number in (2, 3, 4):
        stage.broken_off({**with_image(tmp_path, number), "wait_for": "ready", "wait_timeout": 1, "history_limit": 1})
    assert revisions(stage)[1] == "installed"

    stage.run({**BACK, "history_limit": 1})

    assert image(stage) == "1"
    assert not stage.run(BACK)["changed"]


def test_what_a_later_revision_no_longer_has_comes_back_with_a_rollback(stage: Stage, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    path = f"/api/v1/namespaces/{TEA['namespace']}/configmaps/settings"
    stage.run(tea(tmp_path, settings))
    assert "ConfigMap settings" in told(stage.run(tea(tmp_path, version="1.1.0")), "prune")
    assert stage.read(path) is None

    stage.run(BACK)

    assert stage.read(path)["data"] == {"a": "b"}


def test_the_digest_of_a_comparison_accepts_what_the_upgrade_gains(stage: Stage) -> None:
    old, new = (read_bundle(Path(str(options["source"]))) for options in (INSTALL, UPGRADE))
    told_before = compare_bundles(old, new).permissions_digest
    stage.run(INSTALL)
    held = stage.refused({**UPGRADE, "accept_permissions": "sha256:0000"})
    assert f"accept with accept_permissions: {told_before} (not sha256:0000" in held
    assert stage.run({**UPGRADE, "accept_permissions": told_before})["permissions"]["digest"] == told_before


NAMES = ["", "Greeter", "greeter_1", "-greeter", "greeter.", "g" * 53, "a/b", "a b", "../secrets", "greeter\n"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_kubernetes_does_not_take(name: str, stage: Stage) -> None:
    assert stage.refused({**INSTALL, "name": name}).startswith(f"name: '{name}' cannot be the name of an extension")


@pytest.mark.parametrize("name", ["", "Greeter", "greeter.system", "g" * 64, "a/b"])
def test_namespaces_that_kubernetes_does_not_take(name: str, stage: Stage) -> None:
    assert stage.refused({**INSTALL, "namespace": name}).startswith(f"namespace: '{name}' cannot be the name")


def packed(text: bytes) -> str:
    return base64.b64encode(gzip.compress(text)).decode()


DAMAGES: dict[str, dict[str, Any]] = {
    "not base64 of gzip": {"data": {"record": base64.b64encode(b"hello").decode()}},
    "not JSON": {"data": {"record": packed(b"hello")}},
    "not a record": {"data": {"record": packed(b"[]")}},
    "a record without its parts": {"data": {"record": packed(b'{"format": 1}')}},
    "of another format": {"data": {"record": packed(b'{"format": 2}')}},
    "cut off": {"data": {"record": base64.b64encode(gzip.compress(b"{}")[:-6]).decode()}},
    "gone": {"data": {"record": None}},
    "a number that is none": {"metadata": {"labels": {"fleet.olm/revision": "one"}}},
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("options", [UPGRADE, ROLLBACK, REMOVAL], ids=["upgrade", "rollback", "removal"])
def test_a_damaged_ledger_is_named_and_nothing_is_changed(damage: str, options: dict[str, Any], damaged: Stage) -> None:
    whole = damaged.read(f"{SECRETS}/fleet.olm.greeter.v1")
    damaged.patch(f"{SECRETS}/fleet.olm.greeter.v1", DAMAGES[damage])

    said = damaged.refused(options)

    damaged.patch(
        f"{SECRETS}/fleet.olm.greeter.v1", {"data": whole["data"], "metadata": {"labels": whole["metadata"]["labels"]}}
    )
    assert (
        "extension greeter in namespace greeter-system: the record Secret greeter-system/fleet.olm.greeter.v1 " in said
    )
    assert ("format 2" in said) == (damage == "of another format")
    assert "\n" not in said


@pytest.fixture(scope="module")
def damaged(direct_cluster: Any, direct_proxy: Any, controllers: Any) -> Stage:
    """A cluster with an extension; each damage is repaired again."""
    stage = Stage(direct_cluster, direct_proxy, controllers)
    stage.prepare([INSTALL])
    return stage


def test_damaged_manifests_hinder_only_who_needs_them(stage: Stage) -> None:
    stage.prepare([INSTALL, UPGRADE])
    broken = {"data": {"manifests": base64.b64encode(b"hello").decode()}}
    stage.patch(f"{SECRETS}/fleet.olm.greeter.v1", broken)

    assert "the record Secret greeter-system/fleet.olm.greeter.v1 cannot be read" in stage.refused(ROLLBACK)
    assert not stage.run(UPGRADE)["changed"]
    assert stage.run(REMOVAL)["changed"]


def test_an_extension_whose_ledger_was_deleted_is_taken_over_as_it_is(stage: Stage) -> None:
    stage.prepare([INSTALL])
    stage.delete(f"{SECRETS}/fleet.olm.greeter.v1")

    again = stage.run(INSTALL)

    assert again["changed"]
    assert not told(again, "create", "recreate", "prune")
    assert not stage.run(INSTALL)["changed"]
