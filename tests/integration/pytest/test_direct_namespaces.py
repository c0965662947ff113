# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Namespaces that go away: before a run, in the middle of it, and after it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import CRD, CRDS, EXAMPLES, RBAC, Stage, told
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

_numbers = itertools.count(1)


@pytest.fixture
def live(full_cluster: Cluster, controllers: Controllers) -> Iterator[Stage]:
    """A cluster with controllers, which end namespaces."""
    with FaultProxy(full_cluster.url, full_cluster.ca_file) as proxy:
        yield Stage(full_cluster, proxy, controllers)


@pytest.fixture
def options(live: Stage) -> Iterator[dict[str, Any]]:
    extension = {"name": "greeter", "namespace": f"greeter-going-{next(_numbers)}"}
    yield {
        **extension,
        "source": str(EXAMPLES / "greeter"),
        "create_namespace": True,
        "wait_timeout": 60,
    }
    path = f"/api/v1/namespaces/{extension['namespace']}"
    found = live.read(path)
    if found is not None and found["metadata"].get("finalizers"):
        live.patch(path, {"metadata": {"finalizers": None}})
    wait_for(lambda: not (live.read(path) or {}).get("metadata", {}).get("deletionTimestamp"), 60)
    live.run({**extension, "create_namespace": True, "source": str(EXAMPLES / "greeter"), "wait_for": "applied"})
    live.run({**extension, "state": "absent", "delete_crds": [CRD]})
    live.delete(path)
    assert left_behind(live) == []


def left_behind(live: Stage) -> list[str]:
    """What is on the cluster of the extension outside its namespace."""
    places = (CRDS, f"{RBAC}/clusterroles", f"{RBAC}/clusterrolebindings")
    found = [live.cluster.request("GET", f"{place}?labelSelector=fleet.olm/extension%3Dgreeter") for place in places]
    return [item["metadata"]["name"] for answer in found for item in answer["items"]]


def test_a_namespace_that_is_being_deleted_is_refused(live: Stage, options: dict[str, Any]) -> None:
    path = f"/api/v1/namespaces/{options['namespace']}"
    live.create("/api/v1/namespaces", {"metadata": {"name": options["namespace"], "finalizers": ["example.com/hold"]}})
    live.delete(path)

    said = live.refused(options)

    assert f"greeter: namespace {options['namespace']} is being deleted since " in said
    assert "wait until it is gone, or choose another" in said
    assert left_behind(live) == []


def test_a_namespace_that_is_deleted_in_the_middle_of_an_install(live: Stage, options: dict[str, Any]) -> None:
    path = f"/api/v1/namespaces/{options['namespace']}"
    live.after("POST", rf"{path}/secrets\?.*", lambda: live.delete(path))

    said = live.broken_off(options, through=True)

    assert options["namespace"] in said
    assert "\n" not in said
    wait_for(lambda: live.read(path) is None, 60)
    again = live.run(options)
    assert again["changed"]
    assert not live.run(options)["changed"]


def test_a_namespace_that_is_gone_is_made_again_and_what_was_left_outside_taken_over(
    live: Stage, options: dict[str, Any]
) -> None:
    live.run(options)
    path = f"/api/v1/namespaces/{options['namespace']}"
    live.delete(path)
    wait_for(lambda: live.read(path) is None, 60)

    again = live.run(options)

    assert again["revision"] == 1
    assert "Deployment greeter-controller" in told(again, "create")
    assert not [name for name in told(again, "create") if name.startswith(("Custom", "ClusterRole"))]
    assert not live.run(options)["changed"]
    live.run({"name": "greeter", "namespace": options["namespace"], "state": "absent", "delete_crds": [CRD]})
    assert live.read(path) is None
    assert left_behind(live) == []


def test_what_is_left_outside_a_namespace_that_is_gone_can_be_removed(live: Stage, options: dict[str, Any]) -> None:
    live.run(options)
    path = f"/api/v1/namespaces/{options['namespace']}"
    live.delete(path)
    wait_for(lambda: live.read(path) is None, 60)
    extension = {"name": "greeter", "namespace": options["namespace"], "state": "absent"}
    assert not live.run({**extension, "namespace": "elsewhere"})["changed"], "it is not of an extension there"

    removed = live.run({**extension, "delete_crds": [CRD]})

    assert {step["kind"] for step in told(removed, "prune").values()} == {
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
    }
    assert left_behind(live) == []
    assert not live.run(extension)["changed"]
