# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller that is killed after any of its writes to a cluster with OLM v1: the next run ends where an undisturbed one does.

The server has acted on the request, and the answer never arrives: the worst moment. A kill after a read leaves what a kill after the write before it does.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers, Run
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, Then
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

NAMESPACE, OTHER = "killed-system", "killed-new"
CRD = "greetings.greeter.example.com"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GREETINGS = f"/apis/greeter.example.com/v1/namespaces/{NAMESPACE}/greetings"
INSTALL = {"name": "greeter", "namespace": NAMESPACE, "package": "greeter", "version": "1.0.0", "validate": "false"}
REMOVAL = {"name": "greeter", "namespace": NAMESPACE, "state": "absent", "wait": False}
EVERYTHING = {**REMOVAL, "delete_crds": [CRD], "delete_custom_resources": [CRD], "wait": True}
WRITES = ("DELETE", "PATCH", "POST")


class Stage:
    """A cluster with OLM v1, reached directly and through a proxy that ends runs."""

    def __init__(self, server: Cluster, proxy: FaultProxy, controllers: Controllers) -> None:
        self.server, self._proxy, self._controllers = server, proxy, controllers
        self._direct = {"host": server.url, "api_key": server.tokens[ADMIN], "ca_cert": str(server.ca_file)}
        self._proxied = {**self._direct, "host": proxy.url, "ca_cert": str(proxy.ca_file)}

    def run(self, options: dict[str, Any], module: str = "cluster_extension") -> dict[str, Any]:
        wait = {"wait_timeout": 60} if module.startswith("cluster") else {}
        result = self._controllers.run(module, {**self._direct, **wait, **options})
        assert not result.get("failed"), result
        return result

    def killed_after(self, method: str, nth: int, options: dict[str, Any]) -> bool:
        """Run until a write; False where it came to its end before."""
        self._proxy.clear()
        started: queue.Queue[Run] = queue.Queue()
        self._proxy.on(method, r"(?!.*dryRun=All).*", Then(lambda: started.get().kill()), nth=nth)
        run = self._controllers.start("cluster_extension", {**self._proxied, "wait_timeout": 60, **options})
        started.put(run)
        return run.result() is None

    def snapshot(self) -> dict[str, Any]:
        found = snapshot(self.server, NAMESPACE, "olmv1-system")
        greetings = []
        if any(CRD in path for path in found):
            with Client(connection_to(self.server)) as client:
                greetings = list(client.each(GREETINGS))
        # The garbage collector and the controllers take their time for what belongs to Deployments.
        passing = ("replicasets", "pods")
        kept = {path: content for path, content in found.items() if not any(f"/{word}/" in path for word in passing)}
        return {**kept, "greetings": [item["spec"] for item in greetings]}

    def prepare(self) -> None:
        """The greeter with a custom resource and a conversion webhook, as it always is before a removal."""
        self.run(EVERYTHING)
        self.run(INSTALL)
        metadata, spec = {"name": "kept"}, {"name": "kept"}
        kind = {"apiVersion": "greeter.example.com/v1", "kind": "Greeting"}
        # The API server asks for a pause while it begins to serve a CRD; the client keeps it.
        with Client(connection_to(self.server)) as client:
            client.apply(f"{GREETINGS}/kept", {**kind, "metadata": metadata, "spec": spec})
        service = {"name": "greeter", "namespace": NAMESPACE}
        webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
        patch = {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}}
        self.server.request("PATCH", f"{CRDS}/{CRD}", patch, "application/merge-patch+json")


@pytest.fixture(scope="module")
def stage(olm_cluster: Cluster) -> Iterator[Stage]:
    with Controllers() as controllers, FaultProxy(olm_cluster.url, olm_cluster.ca_file) as proxy:
        made = Stage(olm_cluster, proxy, controllers)
        olm_cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        made.run({"name": "example", "image": "registry.example.com/catalog:v1"}, "cluster_catalog")
        yield made
        made.run(EVERYTHING)
        made.run({"name": "example", "state": "absent"}, "cluster_catalog")


def test_a_removal_after_a_kill_ends_where_an_undisturbed_one_does(stage: Stage) -> None:
    stage.prepare()
    stage.run(REMOVAL)
    expected = stage.snapshot()
    assert expected["greetings"] == [{"name": "kept"}]
    assert expected[f"{CRDS}//{CRD}"]["spec"]["conversion"] == {"strategy": "None"}
    kills = 0
    for method in WRITES:
        for nth in range(1, 100):
            stage.prepare()
            if not stage.killed_after(method, nth, REMOVAL):
                break
            kills += 1
            stage.run(REMOVAL)
            wait_for(lambda: stage.snapshot() == expected)
            assert not stage.run(REMOVAL)["changed"], f"killed after {method} {nth}"
    assert kills > 8


def test_a_fleet_removes_what_a_kill_left_without_its_cluster_extension(stage: Stage) -> None:
    stage.prepare()
    stage.run(REMOVAL)
    expected = stage.snapshot()
    stage.prepare()
    assert stage.killed_after("DELETE", 2, REMOVAL)
    assert stage.snapshot() != expected
    described = {key: INSTALL[key] for key in ("name", "namespace", "package", "version")}
    removal = {"state": "absent", "extensions": [described]}
    (told,) = stage.run(removal, "fleet_extensions")["extensions"]
    assert (told["engine"], told["changed"]) == ("olm", True)
    wait_for(lambda: stage.snapshot() == expected)
    assert not stage.run(removal, "fleet_extensions")["changed"]


def test_an_install_after_a_kill_ends_where_an_undisturbed_one_does(stage: Stage) -> None:
    fresh = {**INSTALL, "namespace": OTHER, "create_namespace": True}
    kills = 0
    for method in ("POST", "PATCH"):
        for nth in range(1, 10):
            stage.run({**EVERYTHING, "namespace": OTHER})
            stage.run({**EVERYTHING})
            if not stage.killed_after(method, nth, fresh):
                break
            kills += 1
            assert stage.run(fresh)["bundle"]["version"] == "1.0.0"
            assert not stage.run(fresh)["changed"], f"killed after {method} {nth}"
    stage.run({**EVERYTHING, "namespace": OTHER})
    assert kills == 2
