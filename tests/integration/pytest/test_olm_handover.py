# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An extension changes hands between bundle_install and OLM v1, and back: nothing is restarted, nothing is lost, and half of it is undone.

Runs are killed after a spread of their writes; after each of them where FLEET_OLM_EVERY_KILL is set.
"""

from __future__ import annotations

import json
import queue
import shutil
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import EVERYTHING
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers, Run
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy, Then
from ansible_collections.fleet.olm.tests.rig.wait import meanwhile, wait_for

NAMESPACE = "handed-system"
CRD = "greetings.greeter.example.com"
API = "/apis/olm.operatorframework.io/v1/clusterextensions/greeter"
WATCHED = (
    f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller",
    f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}",
)
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
DIRECT = {"name": "greeter", "namespace": NAMESPACE, "source": str(EXAMPLES / "greeter"), "wait_for": "applied"}
OLM = {"name": "greeter", "namespace": NAMESPACE, "package": "greeter", "version": "1.0.0", "retry_grace": 1}
TO_OLM, TO_DIRECT = {**OLM, "adopt_from": "direct"}, {**DIRECT, "adopt_from": "olm"}
GONE = {"name": "greeter", "namespace": NAMESPACE, "state": "absent", "delete_crds": [CRD]}
CATALOG = {"name": "example", "image": "registry.example.com/catalog:v1"}


BY_DIRECT = {"fleet.olm/extension", "fleet.olm/namespace", "fleet.olm/revision"}
BY_OLM = {
    "olm.operatorframework.io/owner-kind",
    "olm.operatorframework.io/owner-name",
    "meta.helm.sh/release-name",
    "meta.helm.sh/release-namespace",
}


class Stage:
    """A cluster with OLM v1, reached directly or through a proxy."""

    def __init__(self, server: Cluster, proxy: FaultProxy, controllers: Controllers) -> None:
        self.server, self.proxy, self._controllers = server, proxy, controllers
        self._direct = {"host": server.url, "api_key": server.tokens[ADMIN], "ca_cert": str(server.ca_file)}
        self._proxied = {**self._direct, "host": proxy.url, "ca_cert": str(proxy.ca_file)}

    def tried(self, module: str, options: dict[str, Any], *, proxied: bool = False, **how: bool) -> dict[str, Any]:
        reach = self._proxied if proxied else self._direct
        return self._controllers.run(module, {**reach, "wait_timeout": 60, **options}, **how)

    def run(self, module: str, options: dict[str, Any], **how: bool) -> dict[str, Any]:
        result = self.tried(module, options, **how)
        assert not result.get("failed"), result
        return result

    def tried_with(
        self, answer: Answer, method: str, path: str, module: str, options: dict[str, Any], *, times: int = 1000
    ) -> dict[str, Any]:
        """A run to which the server answers otherwise, so many times."""
        self.proxy.clear()
        self.proxy.on(method, path, answer, times=times)
        try:
            return self.tried(module, options, proxied=True)
        finally:
            self.proxy.clear()

    def many(self, *extensions: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
        """What became of each extension of a list."""
        result = self._controllers.run("fleet_extensions", {**self._direct, "extensions": list(extensions), **options})
        assert not result.get("failed"), result
        return list(result["extensions"])

    def find(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.server.request("GET", path)
        except urllib.error.HTTPError:
            return None
        return found

    def identities(self) -> list[Any]:
        """What must stay: the objects, what they ask for, and what runs. Marks alone count as a generation of a Deployment, so that is no measure."""
        found = [self.find(path) or {"metadata": {"uid": ""}, "spec": None} for path in WATCHED]
        running = self.server.request("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/replicasets")["items"]
        sets = sorted(item["metadata"]["uid"] for item in running)
        return [*((item["metadata"]["uid"], item["spec"]) for item in found), sets]

    def settled(self) -> list[Any]:
        """The same, when what runs is there."""
        wait_for(lambda: bool(self.identities()[-1]))
        return self.identities()

    def marks(self) -> set[str]:
        """The labels and annotations by which objects are told to be somebody's."""
        metadata = [(self.find(path) or {"metadata": {}})["metadata"] for path in WATCHED]
        names = {name for item in metadata for name in (*item.get("labels", {}), *item.get("annotations", {}))}
        return {
            name for name in names if name.startswith(("fleet.olm/", "olm.operatorframework.io/owner", "meta.helm.sh"))
        }

    def ledger(self) -> list[str]:
        secrets = self.server.request("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets")["items"]
        return [item["metadata"]["name"] for item in secrets if item["type"] == "fleet.olm/revision.v1"]

    def clear(self) -> None:
        """Remove it, whoever has it: either refuses to delete a CRD of the other."""
        if self.find(WATCHED[1]):
            owner = "bundle_install" if BY_DIRECT & self.marks() else "cluster_extension"
            self.run(owner, GONE)
        assert self.find(WATCHED[1]) is None

    def killed_after(self, method: str, nth: int, module: str, options: dict[str, Any]) -> bool:
        self.proxy.clear()
        started: queue.Queue[Run] = queue.Queue()
        self.proxy.on(method, r"(?!.*dryRun=All).*", Then(lambda: started.get().kill()), nth=nth)
        run = self._controllers.start(module, {**self._proxied, "wait_timeout": 60, **options})
        started.put(run)
        killed = run.result() is None
        self.proxy.clear()
        return killed


def refusal(message: str) -> Answer:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}
    return Answer(403, json.dumps({**status, "message": message}).encode(), {"Content-Type": "application/json"})


def failure(status: int) -> Answer:
    said = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, "message": "leader changed"}
    return Answer(status, json.dumps(said).encode(), {"Content-Type": "application/json"})


@pytest.fixture(scope="module")
def cluster_stage(olm_cluster: Cluster) -> Iterator[Stage]:
    with Controllers() as controllers, FaultProxy(olm_cluster.url, olm_cluster.ca_file) as proxy:
        made = Stage(olm_cluster, proxy, controllers)
        olm_cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        made.run("cluster_catalog", CATALOG)
        yield made
        made.run("cluster_catalog", {"name": "example", "state": "absent"})


@pytest.fixture
def stage(cluster_stage: Stage) -> Iterator[Stage]:
    """No greeter before, and none after."""
    yield cluster_stage
    cluster_stage.clear()


def test_there_and_back_without_a_restart(stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    before = stage.settled()
    predicted = stage.run("cluster_extension", TO_OLM, check=True)
    assert predicted["changed"]
    assert (stage.identities(), stage.marks()) == (before, BY_DIRECT)
    handed = stage.run("cluster_extension", TO_OLM)
    assert handed["plan"] == predicted["plan"]
    assert handed["bundle"]["version"] == "1.0.0"
    assert not [warning for warning in handed.get("warnings", []) if "handed over" in warning]
    assert (stage.identities(), stage.marks(), stage.ledger()) == (before, BY_OLM, [])
    managers = {entry["manager"] for path in WATCHED for entry in (stage.find(path) or {})["metadata"]["managedFields"]}
    assert "fleet.olm/greeter" not in managers
    assert not stage.run("cluster_extension", TO_OLM)["changed"]
    assert not stage.run("cluster_extension", OLM)["changed"]
    refused = stage.tried("bundle_install", DIRECT)
    assert (
        "belongs to ClusterExtension greeter of OLM v1; manage it with cluster_extension, or take it over with adopt_from: olm"
        in refused["msg"]
    )
    predicted = stage.run("bundle_install", TO_DIRECT, check=True)
    assert predicted["changed"]
    assert stage.find(API)
    back = stage.run("bundle_install", TO_DIRECT)
    assert back["plan"] == predicted["plan"]
    assert (stage.identities(), stage.marks(), stage.find(API)) == (before, BY_DIRECT, None)
    assert len(stage.ledger()) == 1
    assert not stage.run("bundle_install", TO_DIRECT)["changed"]
    assert not stage.run("bundle_install", DIRECT)["changed"]


def test_a_list_of_extensions_goes_to_who_is_at_work_and_leaves_with_who_has_it(stage: Stage) -> None:
    wanted = {**OLM, "wait_timeout": 60}
    [done] = stage.many(wanted)
    assert (done["engine"], done["state"], done["version"], done["changed"]) == ("olm", "installed", "1.0.0", True)
    assert not stage.many(wanted)[0]["changed"]
    gone = {"name": "greeter", "namespace": NAMESPACE, "delete_crds": [CRD], "wait_timeout": 60}
    assert [(one["engine"], one["changed"]) for one in stage.many(gone, state="absent")] == [("olm", True)]
    assert not stage.many(gone, state="absent")[0]["changed"]
    stage.run("bundle_install", DIRECT)
    [kept] = stage.many({**wanted, "source": DIRECT["source"], "wait_for": "applied"})
    assert (kept["engine"], kept["changed"]) == ("direct", False)
    assert "it was installed so" in kept["why"]
    assert [(one["engine"], one["changed"]) for one in stage.many(gone, state="absent")] == [("direct", True)]


def test_what_olm_has_stays_its_while_its_controller_is_away(stage: Stage) -> None:
    described = {"name": "greeter", "namespace": NAMESPACE, "package": "greeter", "version": "1.0.0"}
    assert stage.many(described)[0]["engine"] == "olm"
    labels = {"app": "controller"}
    pod = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/x"}]},
    }
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": pod}
    name = "operator-controller-controller-manager"
    path = "/apis/apps/v1/namespaces/default/deployments"
    stage.server.request("POST", path, {"metadata": {"name": name}, "spec": spec})
    try:
        (done,) = stage.many(described)
    finally:
        stage.server.request("DELETE", f"{path}/{name}")
    assert (done["engine"], done["changed"]) == ("olm", False)


def test_crds_that_bundle_install_left_are_taken_up(stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    stage.run("bundle_install", {"name": "greeter", "namespace": NAMESPACE, "state": "absent"})
    uid = (stage.find(WATCHED[1]) or {})["metadata"]["uid"]
    assert "hand it over with adopt_from: direct" in stage.tried("cluster_extension", OLM)["msg"]
    predicted = stage.run("cluster_extension", TO_OLM, check=True)
    assert stage.marks() == BY_DIRECT
    taken = stage.run("cluster_extension", TO_OLM)
    assert taken["plan"] == predicted["plan"]
    assert (stage.find(WATCHED[1]) or {})["metadata"]["uid"] == uid
    assert stage.marks() == BY_OLM
    assert not stage.run("cluster_extension", TO_OLM)["changed"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"version": "1.1.0"},
            "version: 1.0.0 is installed, which is not in the range 1.1.0; hand over that one, then upgrade",
        ),
        ({"package": "stamper"}, "package: greeter is installed, and not stamper"),
        ({"config": {"watchNamespace": "default"}}, "config: it is not what revision 1 was installed with"),
    ],
)
def test_only_what_is_installed_is_handed_over(change: dict[str, Any], said: str, stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    refused = stage.tried("cluster_extension", {**TO_OLM, **change})
    assert said in refused["msg"]
    assert (stage.find(API), stage.marks()) == (None, BY_DIRECT)


def test_what_differs_from_the_rendering_is_shown_and_not_handed_over(stage: Stage) -> None:
    patch = {
        "spec": {
            "template": {"spec": {"containers": [{"name": "controller", "image": "registry.example.com/other:1"}]}}
        }
    }
    stage.run("bundle_install", DIRECT)
    stage.server.request("PATCH", WATCHED[0], patch, "application/strategic-merge-patch+json")
    refused = stage.tried("cluster_extension", TO_OLM)
    assert f"Deployment {NAMESPACE}/greeter-controller differs from the rendering: " in refused["msg"]
    assert "registry.example.com/other:1" in refused["msg"]
    assert stage.find(API) is None
    stage.run("bundle_install", DIRECT)
    stage.run("cluster_extension", TO_OLM)
    stage.server.request("PATCH", WATCHED[0], patch, "application/strategic-merge-patch+json")
    refused = stage.tried("bundle_install", TO_DIRECT)
    assert "registry.example.com/other:1" in refused["msg"]
    other = stage.tried("bundle_install", {**TO_DIRECT, "source": str(EXAMPLES / "greeter-1.1.0")})
    assert "source: OLM v1 has installed greeter.v1.0.0, and not greeter.v1.1.0" in other["msg"]
    assert (stage.find(API) is not None, stage.marks()) == (True, BY_OLM)


def test_what_olm_does_not_take_stays_with_bundle_install(stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    before = stage.settled()
    # No catalog is asked, so no bundle is found.
    failed = stage.tried(
        "cluster_extension", {**TO_OLM, "selector": {"matchLabels": {"no": "catalog"}}, "validate": "false"}
    )
    assert "was not handed over" in failed["msg"]
    assert failed["msg"].endswith("Everything is as before, and bundle_install's")
    assert not failed["changed"]
    assert (stage.identities(), stage.marks(), stage.find(API)) == (before, BY_DIRECT, None)
    assert not stage.run("bundle_install", DIRECT)["changed"]


def test_what_olm_would_roll_out_with_object_sets_stays_with_bundle_install(stage: Stage) -> None:
    labels = {"app": "controller"}
    gates = ["--feature-gates=BoxcutterRuntime=true"]
    container = {"name": "main", "image": "registry.example.com/x", "args": gates}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": pod}
    place, name = "/apis/apps/v1/namespaces/default/deployments", "operator-controller-controller-manager"
    stage.run("bundle_install", DIRECT)
    stage.server.request("POST", place, {"metadata": {"name": name}, "spec": spec})
    try:
        whole = stage.tried("cluster_extension", TO_OLM)
        stage.run("bundle_install", {"name": "greeter", "namespace": NAMESPACE, "state": "absent"})
        left = stage.tried("cluster_extension", TO_OLM)
    finally:
        stage.server.request("DELETE", f"{place}/{name}")
    for refused in (whole, left):
        assert refused["msg"].startswith(
            "greeter cannot be handed over: OLM v1 rolls extensions out with ClusterObjectSets here"
        )
    assert (stage.find(API), stage.marks()) == (None, BY_DIRECT)


@pytest.mark.parametrize("holds", [False, True])
def test_object_sets_that_took_nothing_go_when_a_hand_over_is_undone(holds: bool, stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    place = "/apis/olm.operatorframework.io/v1/clusterobjectsets"
    kind = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterObjectSet"}

    def roll_out() -> None:
        wait_for(lambda: stage.find(API) is not None)
        labels = {"olm.operatorframework.io/owner-name": "greeter"}
        spec = {"lifecycleState": "Active", "collisionProtection": "Prevent", "revision": 1, "phases": []}
        made = stage.server.request(
            "POST", place, {**kind, "metadata": {"name": "greeter-1", "labels": labels}, "spec": spec}
        )
        if holds:
            owner = {**kind, "name": "greeter-1", "uid": made["metadata"]["uid"]}
            patch = {"metadata": {"ownerReferences": [owner]}}
            stage.server.request("PATCH", WATCHED[1], patch, "application/merge-patch+json")

    # No catalog is asked, so no bundle is found.
    nothing = {**TO_OLM, "selector": {"matchLabels": {"no": "catalog"}}, "validate": "false", "retry_grace": 3}
    with meanwhile(roll_out):
        failed = stage.tried("cluster_extension", nothing)
    assert (stage.find(f"{place}/greeter-1") is not None) == holds
    if holds:
        assert f"ClusterObjectSet greeter-1 has taken CustomResourceDefinition {CRD}" in failed["msg"]
        patch = {"metadata": {"ownerReferences": None}}
        stage.server.request("PATCH", WATCHED[1], patch, "application/merge-patch+json")
        failed = stage.tried("cluster_extension", nothing)
    assert failed["msg"].endswith("Everything is as before, and bundle_install's")
    assert (stage.find(API), stage.find(f"{place}/greeter-1"), stage.marks()) == (None, None, BY_DIRECT)
    assert not stage.run("bundle_install", DIRECT)["changed"]


def test_a_take_over_that_was_killed_when_applying_was_stopped_goes_on(stage: Stage) -> None:
    stage.run("cluster_extension", {**OLM, "service_account": "installer"})
    before = stage.settled()
    # The first write that is no rehearsal has OLM v1 stop applying.
    assert stage.killed_after("PATCH", 1, "bundle_install", TO_DIRECT)
    version = (stage.find(API) or {})["spec"]["source"]["catalog"]["version"]
    records = rf".*/namespaces/{NAMESPACE}/secrets.*"
    failed = stage.tried_with(refusal("no records"), "POST", records, "bundle_install", TO_DIRECT)
    assert failed["msg"].endswith("The ClusterExtension has everything again")
    assert (version, (stage.find(API) or {})["spec"]["source"]["catalog"]["version"]) == ("0.0.0-let-go", "1.0.0")
    stage.run("bundle_install", TO_DIRECT)
    assert (stage.identities(), stage.marks(), stage.find(API)) == (before, BY_DIRECT, None)


WATCH = r".*/clusterextensions\?.*watch=.*"
NO_WATCH = {
    "who may not watch": (403, 1000),
    "a server that changes its leader": (500, 2),
    "a load balancer without a server": (503, 2),
}


@pytest.mark.parametrize("case", NO_WATCH)
def test_a_watch_that_is_refused_does_not_end_the_wait(case: str, stage: Stage) -> None:
    status, times = NO_WATCH[case]
    answer = refusal("no watching") if status == 403 else failure(status) if status == 500 else Answer(503, b"<html>")
    done = stage.tried_with(answer, "GET", WATCH, "cluster_extension", OLM, times=times)
    assert not done.get("failed"), done
    assert done["changed"]
    assert done["bundle"]["version"] == "1.0.0"


def test_what_was_written_before_a_failure_is_told(stage: Stage) -> None:
    failed = stage.tried_with(failure(422), "GET", WATCH, "cluster_extension", OLM)
    assert (failed["failed"], failed["changed"]) == (True, True)
    # OLM v1 goes on with it.
    wait_for(lambda: stage.find(WATCHED[1]) is not None)
    stage.run("cluster_extension", OLM)


def test_marks_that_were_put_before_one_was_refused_are_taken_off_again(stage: Stage) -> None:
    stage.run("bundle_install", DIRECT)
    before = stage.settled()
    unmarked = r"(?!.*dryRun).*/deployments/.*"
    failed = stage.tried_with(refusal("no deployments"), "PATCH", unmarked, "cluster_extension", TO_OLM)
    assert failed["msg"].endswith("Everything is as before, and bundle_install's")
    assert (stage.identities(), stage.marks(), stage.find(API)) == (before, BY_DIRECT, None)
    assert not stage.run("bundle_install", DIRECT)["changed"]


def test_a_label_that_olm_writes_over_that_of_the_bundle_is_no_difference(stage: Stage, tmp_path: Path) -> None:
    source = tmp_path / "greeter"
    shutil.copytree(EXAMPLES / "greeter", source)
    (path,) = (item for item in (source / "manifests").iterdir() if "CustomResourceDefinition" in item.read_text())
    definition = yaml.safe_load(path.read_text())
    definition["metadata"]["labels"] = {"app.kubernetes.io/managed-by": "kustomize"}
    path.write_text(yaml.safe_dump(definition))
    labelled = {**TO_DIRECT, "source": str(source)}
    stage.run("cluster_extension", OLM)
    before = stage.settled()
    assert stage.run("bundle_install", labelled)["changed"]
    assert stage.identities() == before
    found = stage.find(WATCHED[1])
    assert found is not None
    assert found["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "kustomize"
    assert not stage.run("bundle_install", labelled)["changed"]
    # And back, where a run was broken off when some had their marks.
    assert stage.killed_after("PATCH", 3, "cluster_extension", {**TO_OLM, "validate": "false"})
    stage.run("cluster_extension", {**TO_OLM, "validate": "false"})
    assert (stage.identities(), stage.marks()) == (before, BY_OLM)


def test_what_bundle_install_cannot_take_is_given_back_to_olm(stage: Stage) -> None:
    stage.run("cluster_extension", OLM)
    before = stage.settled()
    records = rf".*/namespaces/{NAMESPACE}/secrets.*"
    failed = stage.tried_with(refusal("no records"), "POST", records, "bundle_install", TO_DIRECT)
    assert "was not taken over" in failed["msg"]
    assert failed["msg"].endswith("The ClusterExtension has everything again")
    assert (stage.identities(), stage.marks(), stage.ledger()) == (before, BY_OLM, [])
    assert not stage.run("cluster_extension", OLM)["changed"]


# The writes that a run is killed after: a spread, or each one until a run comes to its end.
SPREAD = {"POST": (1,), "DELETE": (1, 2), "PATCH": (1, 4, 7, 10, 13, 16)}
EACH = dict.fromkeys(SPREAD, tuple(range(1, 100)))


@pytest.mark.parametrize("way", ["to olm", "to direct"])
def test_a_run_that_is_killed_is_finished_by_the_next(way: str, stage: Stage) -> None:
    module, options = ("cluster_extension", TO_OLM) if way == "to olm" else ("bundle_install", TO_DIRECT)
    kills = []
    for method, writes in (EACH if EVERYTHING else SPREAD).items():
        for nth in writes:
            stage.clear()
            stage.run(*(("bundle_install", DIRECT) if way == "to olm" else ("cluster_extension", OLM)))
            before = stage.settled()
            if not stage.killed_after(method, nth, module, options):
                break
            kills.append(f"{method} {nth}")
            stage.run(module, options)
            expected = (before, BY_OLM if way == "to olm" else BY_DIRECT)
            assert (stage.identities(), stage.marks()) == expected, f"killed after {kills[-1]}"
            assert not stage.run(module, options)["changed"], f"killed after {kills[-1]}"
    print(f"{way}: killed after {', '.join(kills)}")
    assert len(kills) > 5
