# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A controller that is killed after any of its requests: the next run ends where an undisturbed one does.

The server has acted on the request, and the answer never arrives: the worst moment. Every request of an install, an upgrade, a rollback
and a removal is tried.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers, Run
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, Then
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
NAMESPACE = "greeter-system"
CRD = "greetings.greeter.example.com"

EXTENSION = {"name": "greeter", "namespace": NAMESPACE}
INSTALL = {
    **EXTENSION,
    "source": str(EXAMPLES / "greeter"),
    "create_namespace": True,
    # Nothing runs Deployments here.
    "wait_for": "applied",
}
UPGRADE = {**INSTALL, "source": str(EXAMPLES / "greeter-1.1.0"), "accept_permissions": "all"}
ROLLBACK = {**EXTENSION, "state": "rolled_back", "wait_for": "applied"}
# Nor does anybody end namespaces.
REMOVAL = {**EXTENSION, "state": "absent", "delete_crds": [CRD], "wait": False}

# What is there before, and what is done then.
STORIES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "install": ([], INSTALL),
    "upgrade": ([INSTALL], UPGRADE),
    "rollback": ([INSTALL, UPGRADE], ROLLBACK),
    "removal": ([INSTALL, UPGRADE], REMOVAL),
}


@pytest.fixture(scope="module")
def controllers() -> Iterator[Controllers]:
    with Controllers() as running:
        yield running


@pytest.fixture(scope="module")
def server(rig: Any) -> Iterator[Cluster]:
    yield rig.add_cluster("kills")
    rig.remove_cluster("kills")


@pytest.fixture(scope="module")
def proxy(server: Cluster) -> Iterator[FaultProxy]:
    with FaultProxy(server.url, server.ca_file) as running:
        yield running


class Stage:
    """A cluster on which one story is told again and again."""

    def __init__(self, server: Cluster, proxy: FaultProxy, controllers: Controllers) -> None:
        self._server, self._proxy, self._controllers = server, proxy, controllers
        self._direct = {"host": server.url, "api_key": server.tokens[ADMIN], "ca_cert": str(server.ca_file)}
        self._proxied = {"host": proxy.url, "api_key": server.tokens[ADMIN], "ca_cert": str(proxy.ca_file)}

    def clear(self) -> None:
        """An empty cluster again. Without a controller manager nobody ends namespaces, so it is done by hand."""
        for path in self.snapshot():
            base, plural, namespace, name = path.rsplit("/", 3)
            place = f"{base}/namespaces/{namespace}/{plural}" if namespace else f"{base}/{plural}"
            self._server.request("DELETE", f"{place}/{name}")
            if plural == "namespaces":
                ended = {"metadata": {"name": name}, "spec": {"finalizers": []}}
                self._server.request("PUT", f"{place}/{name}/finalize", ended)
        wait_for(lambda: not self.snapshot())

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        result = self._controllers.run("bundle_install", {**self._direct, **options})
        assert not result.get("failed"), result["msg"]
        return result

    def prepare(self, before: list[dict[str, Any]]) -> None:
        self.clear()
        for options in before:
            self.run(options)

    def killed_after(self, request: int, options: dict[str, Any]) -> bool:
        """Run until a request; False where it came to its end before."""
        self._proxy.clear()
        started: queue.Queue[Run] = queue.Queue()
        self._proxy.on("*", ".*", Then(lambda: started.get().kill()), nth=request)
        run = self._controllers.start("bundle_install", {**self._proxied, **options})
        started.put(run)
        return run.result() is None

    def snapshot(self) -> dict[str, Any]:
        return snapshot(self._server, NAMESPACE)


@pytest.fixture(scope="module")
def stage(server: Cluster, proxy: FaultProxy, controllers: Controllers) -> Stage:
    return Stage(server, proxy, controllers)


@pytest.mark.parametrize("story", STORIES)
def test_a_run_after_a_kill_ends_where_an_undisturbed_one_does(story: str, stage: Stage) -> None:
    before, options = STORIES[story]
    stage.prepare(before)
    stage.run(options)
    expected = stage.snapshot()
    kills = 0
    for request in range(1, 1000):
        stage.prepare(before)
        if not stage.killed_after(request, options):
            break
        kills += 1
        stage.run(options)
        assert stage.snapshot() == expected, f"killed after request {request}"
        assert not stage.run(options)["changed"], f"killed after request {request}"
    assert kills > 15
