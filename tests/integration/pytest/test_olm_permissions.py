# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles in docs/olm.md are enough for the modules, and every rule in them is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.olm_roles import documented, give, take_away, used
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds
from ansible_collections.fleet.olm.tests.rig.olm_samples import example_shelf
from ansible_collections.fleet.olm.tests.rig.operator_controller import OperatorController
from ansible_collections.fleet.olm.tests.rig.reach import connection_to

CATALOGD = r"/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/.*"
CRD = "greetings.greeter.example.com"
# The API server asks for it when an apply creates; nobody sees that in a request.
WITH_APPLY = {("create", "olm.operatorframework.io", plural) for plural in ("clusterextensions", "clustercatalogs")}
# Kinds that the greeter does not have are only looked for.
LOOKED_FOR = {
    "configmaps", "networkpolicies", "poddisruptionbudgets", "priorityclasses", "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations", "services", "roles", "rolebindings",
}  # fmt: skip


class Stage:
    """A cluster with OLM v1, reached as a user with few rights."""

    def __init__(self, server: Cluster, proxy: FaultProxy, controllers: Controllers) -> None:
        self.server, self.proxy, self._controllers = server, proxy, controllers
        self._reach = {"host": proxy.url, "api_key": server.tokens[LIMITED], "ca_cert": str(proxy.ca_file)}

    def run(self, module: str, options: dict[str, Any]) -> dict[str, Any]:
        return self._controllers.run(module, {**self._reach, **options})


@pytest.fixture(scope="module")
def stage(rig: Any) -> Iterator[Stage]:
    server = rig.add_cluster("permissions")
    add_crds(server, *olm_crds())
    server.request("POST", "/api/v1/namespaces", {"metadata": {"name": "olmv1-system"}})
    olm = OperatorController(connection_to(server), example_shelf(), lets_go=True)
    with olm, Controllers() as controllers, FaultProxy(server.url, server.ca_file) as proxy:
        yield Stage(server, proxy, controllers)
    rig.remove_cluster("permissions")


def test_the_documented_roles_are_enough_and_used(stage: Stage) -> None:
    install = {
        "name": "greeter",
        "namespace": "greeter-system",
        "create_namespace": True,
        "package": "greeter",
        "version": "1.0.0",
    }
    catalog = {"name": "example", "image": "registry.example.com/catalog:v1"}
    assert stage.run("cluster_catalog", catalog)["failed"]
    give(stage.server, "fleet-olm-install")
    stage.proxy.clear()
    stage.proxy.on("GET", CATALOGD, Answer(404, b""), times=1000)
    results = [stage.run("cluster_catalog", catalog), stage.run("cluster_extension", install)]
    results.append(stage.run("cluster_extension", {**install, "version": "1.1.0"}))
    assert not [result for result in results if result.get("failed")], results
    assert documented("fleet-olm-install") - used(stage.proxy.seen) == WITH_APPLY
    refused = stage.run("cluster_extension", {"name": "greeter", "state": "absent"})
    assert "cannot list" in refused["msg"] or "may not" in refused["msg"], refused
    take_away(stage.server, "fleet-olm-install")
    give(stage.server, "fleet-olm-remove")
    stage.proxy.clear()
    # A conversion webhook makes the removal change the CRD.
    service = {"name": "greeter", "namespace": "greeter-system"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    patch = {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}}
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}"
    stage.server.request("PATCH", path, patch, "application/merge-patch+json")
    # What lies in a namespace that was made for it is not ours to see: it stays.
    stage.server.request(
        "PATCH",
        "/api/v1/namespaces/greeter-system",
        {"metadata": {"annotations": None}},
        "application/merge-patch+json",
    )
    removed = stage.run("cluster_extension", {"name": "greeter", "state": "absent"})
    assert not removed.get("failed"), removed
    assert not removed.get("warnings"), removed
    gone = stage.run("cluster_catalog", {"name": "example", "state": "absent"})
    assert not gone.get("failed"), gone
    unused = documented("fleet-olm-remove") - used(stage.proxy.seen)
    assert {
        (verb, resource) for verb, _group, resource in unused if resource not in LOOKED_FOR and verb != "watch"
    } == {("delete", "customresourcedefinitions")}
    take_away(stage.server, "fleet-olm-remove")
