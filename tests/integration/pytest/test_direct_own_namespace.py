# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The namespace that an install makes: the plan tells of it, and it goes only when nothing would be lost with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.discovery import AGGREGATED
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    INSTALL,
    NAMESPACE,
    REMOVAL,
    Stage,
    tea,
    told,
)
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import Answer
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

PATH = f"/api/v1/namespaces/{NAMESPACE}"
CONFIG_MAPS = f"{PATH}/configmaps"
ITSELF = f"Namespace {NAMESPACE}"
STATUS = {"kind": "Status", "reason": "ServiceUnavailable", "message": "no endpoints", "code": 503}
UNAVAILABLE = Answer(503, json.dumps(STATUS).encode(), {"Content-Type": "application/json"})


def goes(stage: Stage) -> bool:
    """Whether the namespace is being deleted: there is nobody who would end that."""
    return bool(stage.read(PATH)["metadata"].get("deletionTimestamp"))


def owned(name: str, owner: dict[str, Any]) -> dict[str, Any]:
    """A ConfigMap that belongs to another object."""
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], **_identity(owner["metadata"])}
    return {"metadata": {"name": name, "ownerReferences": [reference]}}


def _identity(metadata: dict[str, Any]) -> dict[str, Any]:
    return {"name": metadata["name"], "uid": metadata["uid"]}


def test_the_plan_of_an_install_begins_with_the_namespace(stage: Stage) -> None:
    predicted = stage.run(INSTALL, check=True, diff=True)
    assert stage.read(PATH) is None
    assert predicted["diff"][0]["after_header"] == f"{ITSELF}: create"
    assert f"name: {NAMESPACE}" in predicted["diff"][0]["after"]

    installed = stage.run(INSTALL)

    assert installed["plan"] == predicted["plan"]
    assert installed["plan"][0] == {"action": "create", "kind": "Namespace", "name": NAMESPACE, "namespace": None}
    again = stage.run(INSTALL)
    assert not again["changed"]
    assert "Namespace" not in {step["kind"] for step in again["plan"]}, "it is no object of the extension"
    stage.delete(f"{PATH}/serviceaccounts/greeter")
    assert "Namespace" not in {step["kind"] for step in stage.run(INSTALL)["plan"]}


def test_a_namespace_that_was_there_is_no_step(stage: Stage) -> None:
    stage.make_namespace(NAMESPACE)

    assert ITSELF not in told(stage.run(INSTALL), "create", "keep")
    assert ITSELF not in told(stage.run(REMOVAL), "prune")
    assert not goes(stage)


def test_an_install_that_is_broken_off_tells_of_the_namespace(stage: Stage) -> None:
    stage.proxy.clear()
    stage.proxy.on("PATCH", rf"{PATH}/serviceaccounts/.*", UNAVAILABLE)

    broken = stage.result(INSTALL, through=True)

    assert broken["failed"]
    assert ITSELF in told(broken, "create")


def test_the_plan_of_a_removal_ends_with_the_namespace(stage: Stage) -> None:
    stage.run(INSTALL)
    predicted = stage.run(REMOVAL, check=True, diff=True)
    assert not goes(stage)

    removed = stage.run(REMOVAL, diff=True)

    assert removed["plan"] == predicted["plan"]
    assert removed["diff"] == predicted["diff"]
    assert removed["diff"][-1]["before_header"] == f"{ITSELF}: prune (if it is empty by then)"
    assert removed["plan"][-1] == {
        "action": "prune",
        "kind": "Namespace",
        "name": NAMESPACE,
        "namespace": None,
        "why": "if it is empty by then",
    }
    assert goes(stage)
    assert "warnings" not in removed
    again = stage.run(REMOVAL)
    assert (again["changed"], again["plan"]) == (False, [])


def test_a_namespace_that_becomes_empty_later_goes_with_a_later_removal(stage: Stage) -> None:
    stage.run(INSTALL)
    stage.create(CONFIG_MAPS, {"metadata": {"name": "mine"}})

    removed = stage.run(REMOVAL)

    assert removed["warnings"] == [f"{ITSELF} stays: ConfigMap {NAMESPACE}/mine is in it"]
    again = stage.run(REMOVAL)
    assert (again["changed"], again["plan"]) == (False, [])
    assert not goes(stage)
    stage.delete(f"{CONFIG_MAPS}/mine")
    for check in (True, False):
        assert list(told(stage.run(REMOVAL, check=check), "prune")) == [ITSELF]
    assert goes(stage)
    assert not stage.run(REMOVAL)["changed"]


def test_what_a_cluster_scoped_custom_resource_owns_keeps_the_namespace(stage: Stage) -> None:
    stage.run(INSTALL)
    add_crds(stage.cluster, minimal_crd("drinks.example", "kettles", "Kettle"))
    kettle = {"apiVersion": "drinks.example/v1", "kind": "Kettle", "metadata": {"name": "big"}}
    stage.create(CONFIG_MAPS, owned("water", stage.create("/apis/drinks.example/v1/kettles", kettle)))

    removed = stage.run(REMOVAL)

    assert removed["warnings"] == [f"{ITSELF} stays: ConfigMap {NAMESPACE}/water is in it"]
    assert not goes(stage)
    assert not stage.run(REMOVAL)["changed"]


def test_what_objects_of_the_namespace_own_goes_with_them(stage: Stage) -> None:
    stage.run(INSTALL)
    operator = stage.read(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller")
    stage.create(CONFIG_MAPS, owned("state", operator))

    assert "warnings" not in stage.run(REMOVAL)
    assert goes(stage)


def test_all_of_a_kind_is_looked_at(stage: Stage) -> None:
    stage.run(INSTALL)
    operator = stage.read(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller")
    for number in range(60):
        stage.create(CONFIG_MAPS, owned(f"state-{number}", operator))
    stage.create(CONFIG_MAPS, {"metadata": {"name": "the-last"}})

    assert stage.run(REMOVAL)["warnings"] == [f"{ITSELF} stays: ConfigMap {NAMESPACE}/the-last is in it"]
    assert not goes(stage)


def test_custom_resources_that_are_called_like_notes_of_kubernetes_keep_the_namespace(stage: Stage) -> None:
    stage.run(INSTALL)
    add_crds(stage.cluster, minimal_crd("concerts.example", "events", "Event", scope="Namespaced"))
    concert = {"apiVersion": "concerts.example/v1", "kind": "Event", "metadata": {"name": "opera"}}
    stage.create(f"/apis/concerts.example/v1/namespaces/{NAMESPACE}/events", concert)
    stage.create(f"{PATH}/events", {"metadata": {"name": "seen"}, "involvedObject": {"namespace": NAMESPACE}})

    assert stage.run(REMOVAL)["warnings"] == [f"{ITSELF} stays: Event {NAMESPACE}/opera is in it"]
    assert not goes(stage)


def aggregated(stage: Stage, group: str, plural: str, kind: str, verbs: list[str], answer: Answer) -> None:
    """Let another server, behind the API server, serve a kind, and answer so to whoever lists it."""
    with Client(connection_to(stage.cluster)) as client:
        served = client.read("/apis", accept=AGGREGATED)
    resource = {"resource": plural, "responseKind": {"kind": kind}, "scope": "Namespaced", "verbs": verbs}
    served["items"].append({"metadata": {"name": group}, "versions": [{"version": "v1", "resources": [resource]}]})
    document = Answer(200, json.dumps(served).encode(), {"Content-Type": "application/json"})
    stage.proxy.clear()
    stage.proxy.on("GET", "/apis", document, times=100)
    stage.proxy.on("GET", rf"/apis/{group}/v1/namespaces/{NAMESPACE}/{plural}\?.*", answer, times=100)


def test_what_is_only_measured_keeps_no_namespace(stage: Stage) -> None:
    stage.run(INSTALL)
    measured = {"kind": "PodMetricsList", "items": [{"metadata": {"name": "greeter", "namespace": NAMESPACE}}]}
    answer = Answer(200, json.dumps(measured).encode(), {"Content-Type": "application/json"})
    aggregated(stage, "metrics.k8s.io", "pods", "PodMetrics", ["get", "list"], answer)

    assert "warnings" not in stage.run(REMOVAL, through=True)
    assert goes(stage)


@pytest.mark.parametrize(
    "answer",
    # An API server numbers all that it answers.
    [Answer(503, b"service unavailable\n", {"Content-Type": "text/plain", "Audit-Id": "1"}), UNAVAILABLE],
    ids=["of the server in front", "of the server behind"],
)
def test_a_namespace_that_cannot_be_looked_into_stays_and_the_removal_is_done(answer: Answer, stage: Stage) -> None:
    stage.run(INSTALL)
    aggregated(stage, "shop.example", "orders", "Order", ["get", "list", "delete"], answer)

    removed = stage.run(REMOVAL, through=True)

    (warning,) = removed["warnings"]
    assert warning.startswith(f"{ITSELF} stays: orders in it cannot be seen (reading /apis/shop.example/v1/namespaces/")
    assert not goes(stage)
    assert not stage.run(REMOVAL, through=True)["changed"]
    assert stage.run(REMOVAL)["changed"], "now that nobody speaks of orders"
    assert goes(stage)


def test_a_namespace_of_custom_resources_that_stay_stays(stage: Stage, tmp_path: Path) -> None:
    definition = minimal_crd("drinks.example", "teas", "Teas", scope="Namespaced")
    del definition["metadata"]["annotations"]
    stage.run({**tea(tmp_path, definition), "namespace": NAMESPACE})
    wait_for(lambda: stage.is_served("/apis/drinks.example/v1/teas"))
    green = {"apiVersion": "drinks.example/v1", "kind": "Teas", "metadata": {"name": "green"}}
    stage.create(f"/apis/drinks.example/v1/namespaces/{NAMESPACE}/teas", green)

    removed = stage.run({"name": "tea", "namespace": NAMESPACE, "state": "absent", "wait": False})

    assert removed["warnings"] == [f"{ITSELF} stays: Teas {NAMESPACE}/green is in it"]
    assert not goes(stage)
