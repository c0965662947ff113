# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_extension and cluster_catalog on a real API server: truthful, careful with what others set, and without loss when it goes."""

from __future__ import annotations

import time
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, ResetAfter
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds
from ansible_collections.fleet.olm.tests.rig.operator_controller import OLD_RELEASE
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import meanwhile, wait_for

API = "/apis/olm.operatorframework.io/v1"
CRD = "greetings.greeter.example.com"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACE = "greeter-system"
GREETINGS = f"/apis/greeter.example.com/v1/namespaces/{NAMESPACE}/greetings"
IMAGE = "registry.example.com/catalog:v1"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
GREETER = {
    "name": "greeter",
    "namespace": NAMESPACE,
    "create_namespace": True,
    "package": "greeter",
    "version": "1.0.0",
    "validate": "false",
}
GONE = {"name": "greeter", "state": "absent"}


class Stage:
    """A cluster, and modules that run on it."""

    def __init__(self, cluster: Cluster, controllers: Controllers) -> None:
        self.cluster, self._controllers = cluster, controllers
        self.reach = {"host": cluster.url, "api_key": cluster.tokens[ADMIN], "ca_cert": str(cluster.ca_file)}

    def run(self, options: dict[str, Any], module: str = "cluster_extension", **how: bool) -> dict[str, Any]:
        result = self.tried(options, module, **how)
        assert not result.get("failed"), result
        return result

    def tried(self, options: dict[str, Any], module: str = "cluster_extension", **how: bool) -> dict[str, Any]:
        waiting = {} if module.endswith("_info") else {"wait_timeout": 60}
        grace = {"retry_grace": 1} if module.startswith("cluster") and waiting else {}
        return self._controllers.run(module, {**self.reach, **waiting, **grace, **options}, **how)

    def find(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.cluster.request("GET", path)
        except urllib.error.HTTPError:
            return None
        return found

    def merge(self, path: str, patch: dict[str, Any], manager: str = "somebody") -> None:
        self.cluster.request("PATCH", f"{path}?fieldManager={manager}", patch, "application/merge-patch+json")

    def greeting(self, name: str) -> None:
        body = {
            "apiVersion": "greeter.example.com/v1",
            "kind": "Greeting",
            "metadata": {"name": name},
            "spec": {"name": name},
        }
        # The API server asks for a pause while it begins to serve a CRD; the client keeps it.
        with Client(connection_to(self.cluster)) as client:
            client.apply(f"{GREETINGS}/{name}", body)


@pytest.fixture(scope="module")
def stage(olm_cluster: Cluster) -> Iterator[Stage]:
    with Controllers() as controllers:
        made = Stage(olm_cluster, controllers)
        made.run({"name": "example", "image": IMAGE}, "cluster_catalog")
        yield made
        made.run({"name": "example", "state": "absent"}, "cluster_catalog")


@pytest.fixture
def greeter(stage: Stage) -> Iterator[Stage]:
    """The greeter, installed; it is gone with all its data afterwards."""
    stage.run(GREETER)
    yield stage
    stage.run({**GONE, "delete_crds": [CRD], "delete_custom_resources": [CRD]})
    assert stage.find(f"/api/v1/namespaces/{NAMESPACE}") is None


def actions(result: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(step["action"], step["kind"], step["name"]) for step in result["plan"]}


def test_check_mode_predicts_and_a_second_run_changes_nothing(greeter: Stage) -> None:
    upgrade = {**GREETER, "version": "1.1.0"}
    predicted = greeter.run(upgrade, check=True, diff=True)
    assert predicted["changed"]
    assert predicted["bundle"]["version"] == "1.0.0"
    assert predicted["diff"][0]["before"] == "spec.source.catalog.version: 1.0.0\n"
    assert predicted["diff"][0]["after"] == "spec.source.catalog.version: 1.1.0\n"
    done = greeter.run(upgrade)
    assert done["plan"] == predicted["plan"]
    assert done["bundle"] == {"name": "greeter.v1.1.0", "version": "1.1.0"}
    again = greeter.run(upgrade)
    assert (again["changed"], again["requests"]) == (False, 2)
    assert again["conditions"] == done["conditions"]
    assert greeter.run({"name": "example", "image": IMAGE}, "cluster_catalog")["requests"] == 2


def test_what_others_set_stays_and_what_two_want_is_told(greeter: Stage) -> None:
    path = f"{API}/clusterextensions/greeter"
    greeter.merge(path, {"spec": {"install": {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}}})
    changed = greeter.run({**GREETER, "channels": ["stable"]})
    assert [field["path"] for field in changed["plan"][0]["fields"]] == ["spec.source.catalog.channels"]
    found = greeter.find(path)
    assert found
    assert found["spec"]["install"] == {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}
    greeter.merge(path, {"spec": {"source": {"catalog": {"version": "1.0.x"}}}})
    refused = greeter.tried(GREETER)
    assert refused["msg"] == (
        "ClusterExtension greeter: version: field manager somebody set spec.source.catalog.version; leave it to them, or take it over "
        "with force_conflicts: true"
    )
    forced = greeter.run({**GREETER, "force_conflicts": True})
    assert forced["object"]["spec"]["source"]["catalog"]["version"] == "1.0.0"


def test_a_field_that_is_no_longer_given_goes(greeter: Stage) -> None:
    greeter.run({**GREETER, "channels": ["stable"], "crd_upgrade_safety": "none"})
    spec = greeter.run(GREETER)["object"]["spec"]
    assert "channels" not in spec["source"]["catalog"]
    assert "install" not in spec


def test_fields_that_the_crd_does_not_have_are_refused_before_anything_is_changed(
    fresh_cluster: Cluster, stage: Stage
) -> None:
    add_crds(fresh_cluster, *olm_crds("standard"))
    host = {"host": fresh_cluster.url, "api_key": fresh_cluster.tokens[ADMIN], "ca_cert": str(fresh_cluster.ca_file)}
    refused = stage.tried({**GREETER, **host, "config": {"watchNamespace": ""}})
    assert refused["msg"] == (
        "ClusterExtension greeter: config: the cluster's CRD has no field spec.config; it takes the experimental CRDs of OLM v1 and, for "
        "watchNamespace and deploymentConfig, the feature gates SingleOwnNamespaceInstallSupport and DeploymentConfig"
    )
    late = stage.tried({**GREETER, **host, "progress_deadline_minutes": 10})
    assert "progress_deadline_minutes: the cluster's CRD has no field" in late["msg"]
    assert not fresh_cluster.request("GET", f"{API}/clusterextensions")["items"]
    assert NAMESPACE not in [
        item["metadata"]["name"] for item in fresh_cluster.request("GET", "/api/v1/namespaces")["items"]
    ]


def test_a_cluster_without_olm_is_told_what_to_use_instead(fresh_cluster: Cluster, stage: Stage) -> None:
    host = {"host": fresh_cluster.url, "api_key": fresh_cluster.tokens[ADMIN], "ca_cert": str(fresh_cluster.ca_file)}
    refused = stage.tried({**GREETER, **host})
    assert "does not serve ClusterExtensions, so OLM v1 is not installed there" in refused["msg"]
    assert "use bundle_install" in refused["msg"]
    assert not stage.run({**GONE, **host})["changed"]


def test_a_wait_that_ends_says_what_it_saw_last(stage: Stage) -> None:
    # Nobody serves a catalog of this name, so operator-controller knows nothing of the package: but that gets all the grace there is.
    late = stage.tried({**GREETER, "package": "unheard", "retry_grace": 600, "wait_timeout": 2})
    stage.run(GONE)
    assert late["msg"].startswith(
        'ClusterExtension greeter: Progressing is True (Retrying): no bundles found for package "unheard"'
    )
    assert late["msg"].endswith("it was waited for 2 s")
    assert late["changed"]
    assert late["conditions"][-1]["type"] == "Progressing"


def test_a_watch_that_breaks_is_taken_up_again(stage: Stage) -> None:
    with FaultProxy(stage.cluster.url, stage.cluster.ca_file) as proxy:
        proxy.on("GET", r".*clusterextensions\?.*watch=1.*", ResetAfter(), times=2)
        reach = {"host": proxy.url, "ca_cert": str(proxy.ca_file)}
        assert stage.run({**GREETER, **reach})["bundle"]["version"] == "1.0.0"
    stage.run({**GONE, "delete_crds": [CRD]})


def test_an_extension_of_bundle_install_is_left_to_it(stage: Stage) -> None:
    direct = {
        "name": "greeter",
        "namespace": NAMESPACE,
        "create_namespace": True,
        "source": str(EXAMPLES / "greeter"),
        "wait_for": "applied",
    }
    stage.run(direct, "bundle_install")
    refused = stage.tried(GREETER)
    stage.run({"name": "greeter", "namespace": NAMESPACE, "state": "absent", "delete_crds": [CRD]}, "bundle_install")
    assert refused["msg"] == (
        f"ClusterExtension greeter: bundle_install owns extension greeter in namespace {NAMESPACE} (revision 1); hand it over with adopt_from: direct, "
        "or remove it there first"
    )


def test_removal_keeps_crds_and_custom_resources(stage: Stage) -> None:
    stage.run(GREETER)
    stage.greeting("hello")
    uid = (stage.find(f"{CRDS}/{CRD}") or {})["metadata"]["uid"]
    predicted = stage.run(GONE, check=True)
    assert stage.find(f"{API}/clusterextensions/greeter")
    # The record of an extension that is called greeter.v2.
    secrets, other = "/api/v1/namespaces/olmv1-system/secrets", "sh.helm.release.v1.greeter.v2.v1"
    stage.cluster.request("POST", secrets, {"type": "operatorframework.io/index.v1", "metadata": {"name": other}})
    removed = stage.run(GONE)
    stage.cluster.request("DELETE", f"{secrets}/{other}")
    assert removed["plan"] == predicted["plan"]
    told = actions(removed)
    assert ("retain", "CustomResourceDefinition", CRD) in told
    assert ("prune", "ClusterExtension", "greeter") in told
    assert ("prune", "Secret", "sh.helm.release.v1.greeter.v1") in told
    assert (removed["plan"][-1]["kind"], removed["plan"][-1]["why"]) == ("Namespace", "if it is empty by then")
    assert removed["warnings"] == [f"Namespace {NAMESPACE} stays: Greeting {NAMESPACE}/hello is in it"]
    assert {kind for action, kind, _name in told if action == "prune"} >= {
        "Deployment",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
    }
    assert stage.find(f"{GREETINGS}/hello")
    left = stage.find(f"{CRDS}/{CRD}")
    assert left
    assert (left["metadata"]["uid"], left["metadata"].get("ownerReferences")) == (uid, None)
    assert not stage.cluster.request("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments")["items"]
    assert not stage.run(GONE)["changed"]
    # What stayed is taken up again by a later install.
    stage.run(GREETER)
    assert (stage.find(f"{CRDS}/{CRD}") or {})["metadata"]["uid"] == uid
    assert stage.find(f"{GREETINGS}/hello")
    refused = stage.tried({**GONE, "delete_crds": [CRD]})
    assert refused["msg"] == (
        f"greeter: delete_crds: {CRD} has 1 custom resources ({NAMESPACE}/hello), which would be deleted with it; name it in "
        "delete_custom_resources, too, if that is wanted"
    )
    stage.run({**GONE, "delete_crds": [CRD], "delete_custom_resources": [CRD]})
    assert stage.find(f"{CRDS}/{CRD}") is None
    assert stage.find(f"/api/v1/namespaces/{NAMESPACE}") is None


def test_what_olm_puts_there_while_it_goes_goes_too(greeter: Stage) -> None:
    extension, late = f"{API}/clusterextensions/greeter", f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    held = (greeter.find(extension) or {})["metadata"]["finalizers"]
    greeter.merge(extension, {"metadata": {"finalizers": [*held, "example.com/hold"]}})

    def add_late() -> None:
        wait_for(lambda: "deletionTimestamp" in (greeter.find(extension) or {})["metadata"])
        marks = {
            "olm.operatorframework.io/owner-kind": "ClusterExtension",
            "olm.operatorframework.io/owner-name": "greeter",
        }
        greeter.cluster.request("POST", late, {"metadata": {"name": "late", "labels": marks}})
        wait_for(lambda: (greeter.find(extension) or {})["metadata"]["finalizers"] == ["example.com/hold"])
        greeter.merge(extension, {"metadata": {"finalizers": None}})

    with meanwhile(add_late):
        removed = greeter.run(GONE)
    assert ("prune", "ConfigMap", "late") in actions(removed)
    assert greeter.find(f"{late}/late") is None


def test_crds_that_stayed_are_taken_up_in_another_namespace(stage: Stage) -> None:
    stage.run(GREETER)
    stage.greeting("moved")
    uid = (stage.find(f"{CRDS}/{CRD}") or {})["metadata"]["uid"]
    stage.run({**GONE, "delete_crds": []})
    elsewhere = {**GREETER, "namespace": "greeter-moved"}
    predicted = stage.run(elsewhere, check=True)
    moved = stage.run(elsewhere)
    assert moved["plan"] == predicted["plan"]
    (marked,) = [step for step in moved["plan"] if step["kind"] == "CustomResourceDefinition"]
    assert (marked["name"], marked["fields"][0]["before"], marked["fields"][0]["after"]) == (
        CRD, NAMESPACE, "greeter-moved",
    )  # fmt: skip
    assert moved["bundle"]["version"] == "1.0.0"
    assert (stage.find(f"{CRDS}/{CRD}") or {})["metadata"]["uid"] == uid
    assert stage.find(f"{GREETINGS}/moved")
    stage.run({**GONE, "delete_crds": [CRD], "delete_custom_resources": [CRD]})


def test_custom_resources_are_saved_before(stage: Stage, tmp_path: Path) -> None:
    stage.run(GREETER)
    stage.greeting("kept")
    target = tmp_path / "saved.yaml"
    removed = stage.run({**GONE, "backup_dest": str(target), "delete_crds": [CRD], "delete_custom_resources": [CRD]})
    assert removed["backed_up"] == 1
    assert [item["metadata"]["name"] for item in yaml.safe_load_all(target.read_text())] == ["kept"]


def test_only_crds_of_the_extension_can_be_deleted_with_it(greeter: Stage) -> None:
    refused = greeter.tried({**GONE, "delete_crds": ["clustercatalogs.olm.operatorframework.io"]})
    assert "is no CRD of ClusterExtension greeter; only its own can be deleted with it" in refused["msg"]


def converting(stage: Stage, stored: list[str] | None = None) -> None:
    """Let the CRD be converted by a webhook of the operator."""
    service = {"name": "greeter", "namespace": NAMESPACE}
    conversion = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}},
    }
    stage.merge(f"{CRDS}/{CRD}", {"spec": {"conversion": conversion}})
    if stored:
        stage.merge(f"{CRDS}/{CRD}/status", {"status": {"storedVersions": stored}})


def test_a_conversion_webhook_that_goes_is_taken_off_the_crd(greeter: Stage) -> None:
    converting(greeter)
    greeter.run(GONE)
    assert (greeter.find(f"{CRDS}/{CRD}") or {})["spec"]["conversion"] == {"strategy": "None"}


def test_a_conversion_webhook_that_is_needed_is_not_taken_away(greeter: Stage) -> None:
    crd = greeter.find(f"{CRDS}/{CRD}") or {}
    (version,) = crd["spec"]["versions"]
    older = {**version, "name": "v1alpha1", "storage": False}
    greeter.merge(f"{CRDS}/{CRD}", {"spec": {"versions": [version, older]}})
    converting(greeter, ["v1alpha1", "v1"])
    refused = greeter.tried(GONE)
    assert (
        "are stored in the versions v1alpha1, v1 and could not be read without the conversion webhook" in refused["msg"]
    )
    assert greeter.find(f"{API}/clusterextensions/greeter")
    greeter.merge(f"{CRDS}/{CRD}/status", {"status": {"storedVersions": ["v1"]}})


def test_a_service_account_that_cannot_be_changed_can_be_left_out(greeter: Stage) -> None:
    assert greeter.run({**GREETER, "service_account": "installer"})["changed"]
    refused = greeter.tried({**GREETER, "service_account": "other"})
    assert refused["msg"] == (
        "ClusterExtension greeter: service_account: it cannot be changed to other once it is set; leave it out, which clears it"
    )
    assert "serviceAccount" not in greeter.run(GREETER)["object"]["spec"]


def test_no_data_goes_where_an_old_release_applies_what_is_on_its_way_out(stage: Stage) -> None:
    stage.run({**GREETER, "service_account": "installer"})
    stage.greeting("hello")
    uid = (stage.find(f"{CRDS}/{CRD}") or {})["metadata"]["uid"]
    stage.merge(f"{API}/clusterextensions/greeter", {"metadata": {"annotations": {OLD_RELEASE: "true"}}})
    removed = stage.run(GONE)
    assert ("retain", "CustomResourceDefinition", CRD) in actions(removed)
    # As long as it took the garbage collector without that.
    time.sleep(5)
    definition = stage.find(f"{CRDS}/{CRD}") or {}
    assert (definition["metadata"]["uid"], definition["metadata"].get("ownerReferences")) == (uid, None)
    assert stage.find(f"{GREETINGS}/hello")
    stage.run(GREETER)
    stage.run({**GONE, "delete_crds": [CRD], "delete_custom_resources": [CRD]})


def revision(greeter: Stage, number: int, **metadata: Any) -> str:
    """A revision of the newer way of OLM v1, as its ClusterExtension would have it; the path of it."""
    name, spec = f"greeter-{number}", {"lifecycleState": "Active", "collisionProtection": "Prevent", "phases": []}
    kind = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterObjectSet"}
    body = {**kind, "metadata": {"name": name, **metadata}, "spec": {**spec, "revision": number}}
    greeter.cluster.request("POST", f"{API}/clusterobjectsets", body)
    return f"{API}/clusterobjectsets/{name}"


@pytest.mark.parametrize("mark", ["owner", "label", "older label"])
def test_what_a_cluster_object_set_holds_is_neither_removed_nor_handed_over(mark: str, greeter: Stage) -> None:
    extension = greeter.find(f"{API}/clusterextensions/greeter") or {}
    owner = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "name": "greeter"}
    metadata = {
        "owner": {"ownerReferences": [{**owner, "uid": extension["metadata"]["uid"]}]},
        "label": {"labels": {"olm.operatorframework.io/owner-name": "greeter"}},
        "older label": {"labels": {"olm.operatorframework.io/owner": "greeter"}},
    }
    path = revision(greeter, 1, **metadata[mark])
    held = "ClusterObjectSet greeter-1 holds its objects, and deletes them with CRDs and custom resources when it goes"
    removal = greeter.tried(GONE)
    direct = {"name": "greeter", "namespace": NAMESPACE, "source": str(EXAMPLES / "greeter"), "adopt_from": "olm"}
    hand_over = greeter.tried(direct, "bundle_install")
    greeter.cluster.request("DELETE", path)
    assert removal["msg"].startswith(f"greeter: {held}")
    assert hand_over["msg"].startswith(f"greeter cannot be taken over: {held}")
    assert greeter.find(f"{API}/clusterextensions/greeter")


def test_a_revision_that_olm_v1_made_and_does_not_speak_of_yet_is_waited_for(greeter: Stage) -> None:
    extension = f"{API}/clusterextensions/greeter"
    labels = {"olm.operatorframework.io/owner-name": "greeter"}
    paths = [revision(greeter, number, labels=labels) for number in (9, 10)]
    greeter.merge(f"{extension}/status", {"status": {"activeRevisions": [{"name": "greeter-9"}]}})

    def speak_of_it() -> None:
        wait_for(lambda: (greeter.find(extension) or {})["status"]["install"]["bundle"]["version"] == "1.1.0")
        time.sleep(1)
        greeter.merge(f"{extension}/status", {"status": {"activeRevisions": [{"name": "greeter-10"}]}})

    with meanwhile(speak_of_it):
        done = greeter.run({**GREETER, "version": "1.1.0"})
    again = greeter.run({**GREETER, "version": "1.1.0"})
    for path in paths:
        greeter.cluster.request("DELETE", path)
    greeter.merge(f"{extension}/status", {"status": {"activeRevisions": None}})
    assert done["object"]["status"]["activeRevisions"] == [{"name": "greeter-10"}]
    assert (again["changed"], again["requests"]) == (False, 4)


def test_somebody_who_deletes_it_meanwhile_is_noticed(stage: Stage) -> None:
    def end_it() -> None:
        wait_for(lambda: stage.find(f"{API}/clusterextensions/greeter") is not None)
        stage.cluster.request("DELETE", f"{API}/clusterextensions/greeter")

    with meanwhile(end_it):
        ended = stage.tried({**GREETER, "package": "unheard", "retry_grace": 600})
    assert ended["msg"].startswith("ClusterExtension greeter: ")
    assert "it is being deleted since" in ended["msg"] or "somebody deleted it meanwhile" in ended["msg"]
    stage.run(GONE)
