# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the tests of the direct engine play: a cluster, a proxy in front of it, and controllers that run `bundle_install`."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import urllib.error
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers, Run
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, Request, Then
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot
from ansible_collections.fleet.olm.tests.rig.wait import wait_for
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    deployment,
    strategy,
    write_bundle,
)

# Sweeps try everything where it is set, and a spread of it otherwise.
EVERYTHING = bool(os.environ.get("FLEET_OLM_EVERY_KILL"))

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

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
MERGE = "application/merge-patch+json"
_OF_KUBERNETES = ("default", "kube-system", "kube-public", "kube-node-lease")


class Stage:
    """A cluster on which stories are told; `proxy` is in front of it for whoever is run `through` it."""

    def __init__(self, cluster: Cluster, proxy: FaultProxy, controllers: Controllers) -> None:
        self.cluster, self.proxy, self._controllers = cluster, proxy, controllers

    def options(self, options: dict[str, Any], *, through: bool = False, user: str = ADMIN) -> dict[str, Any]:
        url, ca_file = (self.proxy.url, self.proxy.ca_file) if through else (self.cluster.url, self.cluster.ca_file)
        return {"host": url, "api_key": self.cluster.tokens[user], "ca_cert": str(ca_file), **options}

    def result(
        self,
        options: dict[str, Any],
        *,
        through: bool = False,
        user: str = ADMIN,
        check: bool = False,
        diff: bool = False,
    ) -> dict[str, Any]:
        """What came of a run, whatever it is. Nothing that can happen to a user ends in a trace."""
        given = self.options(options, through=through, user=user)
        result = self._controllers.run("bundle_install", given, check=check, diff=diff)
        assert "Traceback" not in str(result.get("msg")), result["msg"]
        return result

    def run(self, options: dict[str, Any], **how: Any) -> dict[str, Any]:
        """A run that has to succeed."""
        result = self.result(options, **how)
        assert not result.get("failed"), result["msg"]
        return result

    def refused(self, options: dict[str, Any], **how: Any) -> str:
        """A run that has to fail before it changes anything; what it says."""
        result = self.result(options, **how)
        assert result.get("failed"), "it was not refused"
        assert result["changed"] is False, result
        return str(result["msg"])

    def broken_off(self, options: dict[str, Any], **how: Any) -> str:
        """A run that has to fail after it began to change something; what it says."""
        result = self.result(options, **how)
        assert result.get("failed"), "it was not broken off"
        assert result["changed"] is True, result
        return str(result["msg"])

    def killed_after(self, request: int, options: dict[str, Any]) -> bool:
        """Run until a request; False where it came to its end before."""
        return self._killed(options, "*", ".*", request)

    def killed_at(self, method: str, path: str, options: dict[str, Any], *, nth: int = 1) -> bool:
        """Run until a request of a kind."""
        return self._killed(options, method, path, nth)

    def _killed(self, options: dict[str, Any], method: str, path: str, nth: int) -> bool:
        self.proxy.clear()
        started: queue.Queue[Run] = queue.Queue()
        self.proxy.on(method, path, Then(lambda: started.get().kill()), nth=nth)
        run = self._controllers.start("bundle_install", self.options(options, through=True))
        started.put(run)
        return run.result() is None

    def seen(self, options: dict[str, Any], **how: Any) -> list[Request]:
        """The requests of a run that nobody disturbs."""
        self.proxy.clear()
        self.run(options, through=True, **how)
        return list(self.proxy.seen)

    def after(self, method: str, path: str, action: Callable[[], object], *, nth: int = 1) -> None:
        """Do something in the moment in which the cluster has acted on a request and the controller does not know yet."""
        self.proxy.clear()
        self.proxy.on(method, path, Then(lambda: (action(), None)[1]), nth=nth)

    def snapshot(self) -> dict[str, Any]:
        return snapshot(self.cluster, *self._namespaces())

    def prepare(self, before: Iterable[dict[str, Any]]) -> None:
        """An empty cluster, and some runs on it."""
        self.clear()
        for options in before:
            self.run(options)

    def clear(self) -> None:
        """An empty cluster again."""
        self.proxy.clear()
        wait_for(self._is_cleared)

    def _is_cleared(self) -> bool:
        """Delete what there is, and whether there was nothing. Without a controller manager nobody ends namespaces, so it is done by hand."""
        found = self.snapshot()
        for path, content in found.items():
            base, plural, namespace, name = path.rsplit("/", 3)
            place = f"{base}/namespaces/{namespace}/{plural}" if namespace else f"{base}/{plural}"
            if plural == "customresourcedefinitions" and content["spec"]["conversion"]["strategy"] == "Webhook":
                # Its custom resources could not be deleted while nobody converts them.
                with contextlib.suppress(urllib.error.HTTPError):
                    self.patch(f"{place}/{name}", {"spec": {"conversion": {"strategy": "None", "webhook": None}}})
            self.delete(f"{place}/{name}")
            if plural == "namespaces":
                ended = {"metadata": {"name": name}, "spec": {"finalizers": []}}
                with contextlib.suppress(urllib.error.HTTPError):
                    self.cluster.request("PUT", f"{place}/{name}/finalize", ended)
        return not found

    def read(self, path: str) -> Any:
        """An object; None where there is none."""
        try:
            return self.cluster.request("GET", path)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None

    def is_served(self, path: str) -> bool:
        """Whether a collection can be used; for a moment after its CRD was established an API server asks to wait."""
        try:
            return self.read(path) is not None
        except urllib.error.HTTPError as error:
            if error.code != 429:
                raise
            return False

    def create(self, path: str, content: dict[str, Any]) -> Any:
        return self.cluster.request("POST", f"{path}?fieldManager=kubectl-create", content)

    def patch(self, path: str, content: dict[str, Any]) -> Any:
        return self.cluster.request("PATCH", f"{path}?fieldManager=kubectl-edit", content, MERGE)

    def delete(self, path: str) -> None:
        with contextlib.suppress(urllib.error.HTTPError):
            self.cluster.request("DELETE", path)

    def end(self, path: str) -> None:
        """Delete an object that takes a while to go."""
        self.delete(path)
        wait_for(lambda: not self.is_there(path))

    def is_there(self, path: str) -> bool:
        try:
            self.cluster.request("GET", path)
        except urllib.error.HTTPError:
            return False
        return True

    def make_namespace(self, name: str) -> None:
        self.create("/api/v1/namespaces", {"metadata": {"name": name}})

    def secrets(self, extension: str = "greeter", namespace: str = NAMESPACE) -> dict[str, dict[str, Any]]:
        """The Secrets of a ledger by name."""
        found = self.cluster.request(
            "GET", f"/api/v1/namespaces/{namespace}/secrets?labelSelector=fleet.olm/ledger%3D{extension}"
        )
        return {item["metadata"]["name"]: item for item in found["items"]}

    def _namespaces(self) -> list[str]:
        found = self.cluster.request("GET", "/api/v1/namespaces")["items"]
        return [item["metadata"]["name"] for item in found if item["metadata"]["name"] not in _OF_KUBERNETES]


def changes_something(request: Request) -> bool:
    """Whether a request leaves something else behind than it found; questions are sent as POST, and rehearsals as PATCH."""
    return request.method != "GET" and "dryRun=" not in request.path and "/selfsubject" not in request.path


def told(result: dict[str, Any], *actions: str) -> dict[str, dict[str, Any]]:
    """The steps of a plan that do certain things, by `Kind name`."""
    return {f"{step['kind']} {step['name']}": step for step in result["plan"] if step["action"] in actions}


TEA = {"name": "tea", "namespace": "tea-system", "create_namespace": True, "wait_for": "applied"}


def tea(
    directory: Path,
    *manifests: dict[str, Any],
    version: str = "1.0.0",
    deployments: Sequence[dict[str, Any]] | None = None,
    **install: Any,
) -> dict[str, Any]:
    """Options that install a small bundle, which is written for it; `install` are further parts of its install strategy."""
    parts = {"deployments": list(deployments) if deployments is not None else [deployment()], **install}
    csv = bundle_csv(version=version, install=strategy(**parts))
    csv["metadata"]["name"] = f"tea.v{version}"
    return {**TEA, "source": str(write_bundle(directory / f"tea-{version}", csv, *manifests))}


def copied(content: Any) -> Any:
    """A copy to change."""
    return json.loads(json.dumps(content))
