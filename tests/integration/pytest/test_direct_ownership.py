# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that are there already, and objects that drifted: who owns what, and what is mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    CRDS,
    INSTALL,
    NAMESPACE,
    RBAC,
    TEA,
    UPGRADE,
    Stage,
    copied,
    tea,
    told,
)
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import crd

ACCOUNTS = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller"
DEFINITION = f"{CRDS}/greetings.greeter.example.com"
OWNERS: dict[str, tuple[dict[str, Any], str]] = {
    "Helm": (
        {"annotations": {"meta.helm.sh/release-name": "hello", "meta.helm.sh/release-namespace": "apps"}},
        "belongs to Helm release apps/hello; uninstall it with Helm first",
    ),
    "OLM v0": (
        {"labels": {"olm.owner": "greeter.v0.9.0", "olm.owner.kind": "ClusterServiceVersion"}},
        "belongs to ClusterServiceVersion greeter.v0.9.0 of OLM v0",
    ),
    "OLM v0 by reference": (
        {
            "ownerReferences": [
                {
                    "apiVersion": "operators.coreos.com/v1alpha1",
                    "kind": "ClusterServiceVersion",
                    "name": "greeter.v0.9.0",
                    "uid": "0a0a0a0a-0000-0000-0000-000000000000",
                }
            ]
        },
        "belongs to ClusterServiceVersion greeter.v0.9.0 of OLM v0",
    ),
    "ClusterExtension": (
        {
            "labels": {
                "olm.operatorframework.io/owner-kind": "ClusterExtension",
                "olm.operatorframework.io/owner-name": "hello",
            }
        },
        "belongs to ClusterExtension hello of OLM v1",
    ),
    "Argo CD": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "hello:/ServiceAccount:greeter-system/greeter"}},
        "belongs to Argo CD Application hello",
    ),
    "Flux": (
        {
            "labels": {
                "kustomize.toolkit.fluxcd.io/name": "apps",
                "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            }
        },
        "belongs to Flux Kustomization flux-system/apps",
    ),
    "nobody": ({}, "is there already and belongs to nobody; set adopt: true to take it over"),
}


@pytest.mark.parametrize("owner", OWNERS)
def test_what_others_own_is_refused_before_the_first_change(owner: str, stage: Stage) -> None:
    metadata, expected = OWNERS[owner]
    stage.make_namespace(NAMESPACE)
    stage.create(ACCOUNTS, {"metadata": {"name": "greeter", **metadata}})
    before = stage.snapshot()

    said = stage.refused(INSTALL)

    assert f"ServiceAccount greeter-system/greeter {expected}" in said
    assert "\n" not in said
    assert stage.snapshot() == before
    if owner == "nobody":
        adopted = stage.run({**INSTALL, "adopt": True})
        assert told(adopted, "update")["ServiceAccount greeter"]["why"] == "adopted"
        assert not stage.run(INSTALL)["changed"]
    else:
        assert expected in stage.refused({**INSTALL, "adopt": True, "force_conflicts": True})


def test_what_another_extension_owns_is_refused(stage: Stage, tmp_path: Path) -> None:
    stage.run({**tea(tmp_path), "namespace": NAMESPACE})

    said = stage.refused({**tea(tmp_path, version="1.1.0"), "name": "coffee", "namespace": NAMESPACE})

    assert f"Deployment {NAMESPACE}/tea-operator belongs to extension tea in namespace {NAMESPACE}" in said


def test_a_name_is_unique_on_a_cluster(stage: Stage) -> None:
    stage.run(INSTALL)

    assert "extension greeter is installed in namespace greeter-system already" in stage.refused(
        {**INSTALL, "namespace": "elsewhere"}
    )


def definition(*short_names: str) -> dict[str, Any]:
    return crd("cups.drinks.example", names={"kind": "Cup", "plural": "cups", "shortNames": list(short_names)})


def test_two_extensions_that_bring_the_same_crd_share_it(stage: Stage, tmp_path: Path) -> None:
    first = tea(tmp_path / "tea", definition())
    second = {**tea(tmp_path / "coffee", definition()), "name": "coffee", "namespace": "coffee-system"}
    stage.run(first)

    shared = stage.run(second)

    assert told(shared, "keep")["CustomResourceDefinition cups.drinks.example"]["why"] == (
        "shared with extension tea in namespace tea-system"
    )
    assert not stage.run(first)["changed"]
    assert not stage.run(second)["changed"]
    stage.run({"name": "coffee", "namespace": "coffee-system", "state": "absent", "wait": False})
    assert stage.read(f"{CRDS}/cups.drinks.example")["metadata"]["labels"] == {"fleet.olm/extension": "tea"}
    assert not stage.run(first)["changed"]


def test_who_shared_a_crd_takes_it_over_when_its_owner_is_gone(stage: Stage, tmp_path: Path) -> None:
    first = tea(tmp_path / "tea", definition())
    second = {**tea(tmp_path / "coffee", definition()), "name": "coffee", "namespace": "coffee-system"}
    stage.run(first)
    stage.run(second)

    stage.run({"name": "tea", "namespace": "tea-system", "state": "absent", "wait": False})

    assert stage.read(f"{CRDS}/cups.drinks.example") is not None, "the other one needs it, and data stays anyway"
    stage.run({**second, "adopt": True})
    assert not stage.run(second)["changed"]


def test_a_crd_that_others_use_is_not_deleted_with_the_extension_that_brought_it(stage: Stage, tmp_path: Path) -> None:
    first = tea(tmp_path / "tea", definition())
    second = {**tea(tmp_path / "coffee", definition()), "name": "coffee", "namespace": "coffee-system"}
    stage.run(first)
    stage.run(second)

    said = stage.refused({**second, "state": "absent", "delete_crds": ["cups.drinks.example"]})

    assert "delete_crds: cups.drinks.example is no CRD of extension coffee" in said


def test_two_extensions_whose_crds_differ_are_refused(stage: Stage, tmp_path: Path) -> None:
    stage.run(tea(tmp_path / "tea", definition()))
    other = definition("mug")

    said = stage.refused({**tea(tmp_path / "coffee", other), "name": "coffee", "namespace": "coffee-system"})

    assert "CustomResourceDefinition cups.drinks.example belongs to extension tea in namespace tea-system" in said


def test_fields_that_we_never_set_are_left_to_others(stage: Stage) -> None:
    stage.run(INSTALL)
    stage.patch(DEPLOYMENT, {"spec": {"minReadySeconds": 7}})

    assert not told(stage.run(INSTALL), "create", "update", "recreate", "prune")
    assert stage.read(DEPLOYMENT)["spec"]["minReadySeconds"] == 7


def test_fields_of_an_adopted_object_stay_with_whoever_set_them_unless_forced(stage: Stage) -> None:
    stage.run(INSTALL)
    live = copied(stage.read(DEPLOYMENT))
    stage.clear()
    stage.make_namespace(NAMESPACE)
    metadata = {"name": live["metadata"]["name"]}
    stage.create(DEPLOYMENT.rpartition("/")[0], {"metadata": metadata, "spec": {**live["spec"], "replicas": 3}})

    said = stage.refused({**INSTALL, "adopt": True})

    assert f"Deployment {NAMESPACE}/greeter-controller has fields that others set (.spec.replicas: " in said
    assert "kubectl-create" in said
    assert "set force_conflicts: true to take them over" in said
    forced = told(stage.run({**INSTALL, "adopt": True, "force_conflicts": True}), "update")
    assert {"path": "spec.replicas", "before": 3, "after": 1} in forced["Deployment greeter-controller"]["fields"]
    assert not stage.run(INSTALL)["changed"]


def _first(stage: Stage, plural: str) -> str:
    found = stage.cluster.request("GET", f"{RBAC}/{plural}?labelSelector=fleet.olm/extension")["items"]
    return str(found[0]["metadata"]["name"])


Drift = Callable[[Stage], object]
DRIFTS: dict[str, tuple[Drift, str, str, dict[str, Any]]] = {
    "a field of a Deployment": (
        lambda stage: stage.patch(DEPLOYMENT, {"spec": {"replicas": 4}}),
        "Deployment greeter-controller",
        "update",
        {"why": "it drifted", "fields": [{"path": "spec.replicas", "before": 4, "after": 1}]},
    ),
    "a Deployment deleted": (
        lambda stage: stage.delete(DEPLOYMENT),
        "Deployment greeter-controller",
        "create",
        {"why": "it was deleted"},
    ),
    "a ServiceAccount deleted": (
        lambda stage: stage.delete(f"{ACCOUNTS}/greeter"),
        "ServiceAccount greeter",
        "create",
        {"why": "it was deleted"},
    ),
    "a CRD deleted": (
        lambda stage: stage.end(DEFINITION),
        "CustomResourceDefinition greetings.greeter.example.com",
        "create",
        {"why": "it was deleted"},
    ),
    "an annotation removed": (
        lambda stage: stage.patch(DEPLOYMENT, {"metadata": {"annotations": {"fleet.olm/namespace": None}}}),
        "Deployment greeter-controller",
        "update",
        {"fields": [{"path": "metadata.annotations.fleet.olm/namespace", "before": None, "after": NAMESPACE}]},
    ),
    "a label changed": (
        lambda stage: stage.patch(DEPLOYMENT, {"metadata": {"labels": {"app.kubernetes.io/name": "other"}}}),
        "Deployment greeter-controller",
        "update",
        {
            "fields": [{"path": "metadata.labels.app.kubernetes.io/name", "before": "other", "after": "greeter"}],
            "why": "it drifted",
        },
    ),
    "the label of the extension removed from a Deployment": (
        lambda stage: stage.patch(DEPLOYMENT, {"metadata": {"labels": {"fleet.olm/extension": None}}}),
        "Deployment greeter-controller",
        "update",
        {"fields": [{"path": "metadata.labels.fleet.olm/extension", "before": None, "after": "greeter"}]},
    ),
    "the label of the extension removed from a ServiceAccount": (
        lambda stage: stage.patch(f"{ACCOUNTS}/greeter", {"metadata": {"labels": {"fleet.olm/extension": None}}}),
        "ServiceAccount greeter",
        "update",
        {"fields": [{"path": "metadata.labels", "before": None, "after": {"fleet.olm/extension": "greeter"}}]},
    ),
    "a rule taken from a role": (
        lambda stage: stage.patch(
            f"{RBAC}/clusterroles/{_first(stage, 'clusterroles')}",
            {"rules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]},
        ),
        "ClusterRole",
        "update",
        {"why": "it drifted"},
    ),
}


@pytest.mark.parametrize("drift", DRIFTS)
def test_drift_is_found_mended_and_told(drift: str, stage: Stage) -> None:
    stage.run(INSTALL)
    expected = stage.snapshot()
    happens, name, action, details = DRIFTS[drift]
    happens(stage)

    foretold = stage.run(INSTALL, check=True)
    mended = stage.run(INSTALL)

    assert mended["changed"]
    assert mended["plan"] == foretold["plan"]
    steps = told(mended, "create", "update", "recreate", "prune")
    assert [step["action"] for step in steps.values()] == [action]
    found = next(step for key, step in steps.items() if key.startswith(name))
    assert {key: found.get(key) for key in details} == details
    assert stage.snapshot() == expected
    assert not stage.run(INSTALL)["changed"]


def test_what_drifted_is_mended_by_an_upgrade_too(stage: Stage) -> None:
    stage.prepare([INSTALL, UPGRADE])
    expected = stage.snapshot()
    stage.prepare([INSTALL])
    stage.patch(DEPLOYMENT, {"spec": {"replicas": 4}})
    stage.delete(f"{ACCOUNTS}/greeter")

    stage.run(UPGRADE)

    assert _without_revisions(stage.snapshot()) == _without_revisions(expected)
    assert not stage.run(UPGRADE)["changed"]


def _without_revisions(found: dict[str, Any]) -> dict[str, Any]:
    """Without the ledger, which tells that an object was made anew by another revision."""
    plain = {path: copied(item) for path, item in found.items() if "/secrets/" not in path}
    for item in plain.values():
        item["metadata"].get("annotations", {}).pop("fleet.olm/revision", None)
    return plain


def test_one_object_twice_in_a_bundle_is_applied_once(stage: Stage, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    options = tea(tmp_path, settings, settings)

    created = [step for step in stage.run(options)["plan"] if step["kind"] != "Namespace"]
    assert len(created) == len(stage.run(options)["plan"])
    assert stage.read(f"/api/v1/namespaces/{TEA['namespace']}/configmaps/settings")["data"] == {"a": "b"}


def test_what_lost_its_label_is_still_pruned_and_removed(stage: Stage, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}
    path = "/api/v1/namespaces/tea-system/configmaps/settings"
    unlabelled = {"metadata": {"labels": {"fleet.olm/extension": None}}}
    stage.run(tea(tmp_path, settings))
    stage.patch(path, unlabelled)
    assert "ConfigMap settings" in told(stage.run(tea(tmp_path, version="1.1.0")), "prune")
    assert stage.read(path) is None

    stage.run(tea(tmp_path, settings, version="1.2.0"))
    stage.patch(path, unlabelled)
    stage.run({"name": "tea", "namespace": "tea-system", "state": "absent", "wait": False})
    assert stage.read(path) is None
