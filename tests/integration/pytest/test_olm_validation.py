# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What cluster_extension finds out before it applies anything: from real bundles in a real registry, and a catalog behind the API server's proxy.

An API server passes nothing on to loopback addresses, so the fault proxy plays that one hop.
"""

from __future__ import annotations

import os
import urllib.error
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.olm_roles import documented, give, take_away, used
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy
from ansible_collections.fleet.olm.tests.rig.images import Push, gzipped, image, tar
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds
from ansible_collections.fleet.olm.tests.rig.olm_samples import CATALOG, GADGETS, WIDGETS, Sample, make_shelf
from ansible_collections.fleet.olm.tests.rig.operator_controller import OperatorController
from ansible_collections.fleet.olm.tests.rig.reach import connection_to

API = "/apis/olm.operatorframework.io/v1"
SERVED = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/demo/api/v1/all"
OTHER = f"{CATALOG}-next"
MONITOR = {
    "apiVersion": "monitoring.coreos.com/v1",
    "kind": "ServiceMonitor",
    "metadata": {"name": "watched"},
    "spec": {"endpoints": [], "selector": {}},
}
NAMES = {"type": "array", "items": {"type": "string"}}
SAMPLES = (
    *WIDGETS,
    *GADGETS,
    Sample("future", "1.0.0", min_kube_version="1.99.0"),
    # The next version watches its own namespace only.
    Sample("narrowing", "1.0.0"),
    Sample("narrowing", "1.1.0", ("OwnNamespace",)),
    Sample("owned", "1.0.0"),
    Sample("limited", "1.0.0", fields={"size": {"type": "integer"}}),
    *(Sample("stepping", version) for version in ("1.0.0", "1.1.0", "2.0.0")),
    Sample("shared", "1.0.0", fields={"size": {"type": "integer"}}),
    Sample("watched", "1.0.0", more=(MONITOR,)),
    # Nobody is hurt by a list that is merged as one, and OLM v1 refuses it.
    Sample("merging", "1.0.0", fields={"names": NAMES}),
    Sample("merging", "1.1.0", fields={"names": {**NAMES, "x-kubernetes-list-type": "atomic"}}),
    Sample("keeping", "1.0.0"),
)


class Stage:
    """A cluster with OLM v1, reached through the proxy."""

    def __init__(self, server: Cluster, proxy: FaultProxy, controllers: Controllers, catalog: bytes) -> None:
        self.server, self.proxy, self._controllers, self._catalog = server, proxy, controllers, catalog
        self._reach = {"host": proxy.url, "api_key": server.tokens[ADMIN], "ca_cert": str(proxy.ca_file)}

    def serve(self, answer: Answer | None = None) -> None:
        self.proxy.clear()
        self.proxy.on("GET", SERVED, answer or Answer(200, self._catalog), times=1000)

    def tried(self, options: dict[str, Any], module: str = "cluster_extension", **how: bool) -> dict[str, Any]:
        return self._controllers.run(module, {**self._reach, "retry_grace": 1, "wait_timeout": 20, **options}, **how)

    def run(self, options: dict[str, Any], module: str = "cluster_extension", **how: bool) -> dict[str, Any]:
        result = self.tried(options, module, **how)
        assert not result.get("failed"), result
        return result

    def looked(self, options: dict[str, Any]) -> dict[str, Any]:
        result = self._controllers.run("cluster_extension_info", {**self._reach, **options})
        assert not result.get("failed"), result
        return result

    def is_there(self, name: str) -> bool:
        try:
            self.server.request("GET", f"{API}/clusterextensions/{name}")
        except urllib.error.HTTPError:
            return False
        return True


@pytest.fixture(scope="module")
def stage(rig: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    work = tmp_path_factory.mktemp("validation")
    address = (rig.registries or rig.start_registries())["open"].address
    shelf = make_shelf(work / "shelf", SAMPLES, lambda sample: f"{address}/{sample.package}:{sample.version}")
    shelf = replace(shelf, catalogs={**shelf.catalogs, OTHER: shelf.catalogs[CATALOG]})
    for reference, directory in shelf.bundles.items():
        repository, _colon, tag = reference.removeprefix(f"{address}/").partition(":")
        files = {
            str(path.relative_to(directory)): path.read_bytes() for path in Path(directory).rglob("*") if path.is_file()
        }
        prefix = "operators.operatorframework.io.bundle."
        labels = {
            f"{prefix}mediatype.v1": "registry+v1",
            f"{prefix}manifests.v1": "manifests/",
            f"{prefix}metadata.v1": "metadata/",
        }
        Push(address).push(image([gzipped(tar(files))], labels=labels), repository, tag)
    server = rig.add_cluster("validation")
    add_crds(server, *olm_crds())
    for name in ("widgets-system", "gadgets-system", "olmv1-system"):
        server.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    before = os.environ.get("XDG_CACHE_HOME")
    catalog = (Path(shelf.catalogs[CATALOG]) / "catalog.json").read_bytes()
    # The rig's programs are kept below the same directory and are running by now.
    os.environ["XDG_CACHE_HOME"] = str(work / "cache")
    try:
        with (
            Controllers() as controllers,
            OperatorController(connection_to(server), shelf),
            FaultProxy(server.url, server.ca_file) as proxy,
        ):
            made = Stage(server, proxy, controllers, catalog)
            made.serve()
            made.run({"name": "demo", "image": CATALOG}, "cluster_catalog")
            yield made
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        if before is not None:
            os.environ["XDG_CACHE_HOME"] = before
    rig.remove_cluster("validation")


def extension(package: str, version: str = "", name: str = "", **more: Any) -> dict[str, Any]:
    options = {"name": name or package, "namespace": "widgets-system", "package": package, **more}
    return {**options, "version": version} if version else options


def test_check_mode_says_what_would_be_installed_and_why(stage: Stage) -> None:
    predicted = stage.run(extension("widgets", "1.x"), check=True)
    assert predicted["resolved"]["name"] == "widgets.v1.1.0"
    assert predicted["resolved"]["catalog"] == "demo"
    assert [step["rule"] for step in predicted["why"][0]["steps"]][-1] == "version"
    assert not stage.is_there("widgets")


def test_everything_that_is_wrong_is_told_at_once_and_nothing_is_applied(stage: Stage) -> None:
    wrong = extension(
        "widgets", "1.1.0", config={"watchNamespaces": "a", "deploymentConfig": {"env": 1}}, namespace="no-such"
    )
    refused = stage.tried(wrong)
    assert refused["msg"].splitlines() == [
        "ClusterExtension widgets: the install namespace no-such does not exist; create it, or set create_namespace",
        "ClusterExtension widgets: invalid bundle configuration: invalid type for field 'deploymentConfig.env' got number expected array",
        "ClusterExtension widgets: invalid bundle configuration: unknown key 'watchNamespaces', did you mean 'watchNamespace'?",
    ]
    assert refused["resolved"]["version"] == "1.1.0"
    assert not refused["changed"]
    assert not stage.is_there("widgets")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (extension("widgets", "9.9.9"), "package widgets, version 9.9.9: no version matches"),
        (extension("nothing"), "package nothing: "),
        (extension("future"), "the bundle needs Kubernetes 1.99.0 or newer (minKubeVersion)"),
        (extension("gadgets"), "missing required field 'watchNamespace'"),
        (
            extension("widgets", "1.1.0", config={"watchNamespace": "not-there"}),
            "the watched namespace not-there does not exist; create it, or watch another",
        ),
        (
            extension("watched"),
            "the cluster does not serve ServiceMonitor of monitoring.coreos.com/v1, needed for watched; install the CRDs of the Prometheus operator",
        ),
    ],
)
def test_what_will_not_work_is_refused(options: dict[str, Any], said: str, stage: Stage) -> None:
    refused = stage.tried(options)
    assert said in refused["msg"], refused
    assert not stage.is_there(options["name"])


def test_an_upgrade_is_looked_at_before_and_a_second_run_costs_three_requests(stage: Stage) -> None:
    stage.run(extension("widgets", "1.0.0"))
    again = stage.run(extension("widgets", "1.0.0"))
    assert (again["changed"], again["requests"]) == (False, 3)
    # Nothing was fetched twice, not even asked for.
    assert len([request for request in stage.proxy.seen if request.path == SERVED]) == 1
    refused = stage.tried(extension("widgets", "2.0.0"))
    assert "2.0.0 cannot be upgraded to from widgets.v1.0.0" in refused["msg"]
    upgraded = stage.run(extension("widgets", "1.1.0"), diff=True)
    assert upgraded["changes"]["from"] == "widgets.v1.0.0"
    unsafe = stage.tried(extension("widgets", "2.0.0"))
    assert "CRD widgets.example.com, v1 spec.color: " in unsafe["msg"]
    assert unsafe["msg"].endswith("set crd_upgrade_safety: none")
    down = stage.tried(extension("widgets", "1.0.0"))
    assert "SelfCertified" in down["msg"]
    assert (
        stage.run(extension("widgets", "1.0.0", upgrade_constraint_policy="SelfCertified"))["bundle"]["version"]
        == "1.0.0"
    )


def test_a_configuration_that_the_next_version_does_not_take_is_refused_with_the_change(stage: Stage) -> None:
    config = {"watchNamespace": "gadgets-system"}
    stage.run(extension("narrowing", "1.0.0", config=config))
    refused = stage.tried(extension("narrowing", "1.1.0", config=config))
    assert "must be the install namespace 'widgets-system'" in refused["msg"]
    assert "config: narrowing.v1.0.0 accepts it; with narrowing.v1.1.0 " in refused["msg"]
    # A range takes the next version by itself: what it means for the configuration is told without any change of the spec.
    ranged = stage.tried(extension("narrowing", "1.x", config=config))
    assert "must be the install namespace" in ranged["msg"]


HELM = {"meta.helm.sh/release-name": "other", "meta.helm.sh/release-namespace": "apps"}


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({}, "is there already and nobody's; OLM v1 takes over nothing that it did not make: delete it first"),
        (
            {"annotations": HELM, "labels": {"app.kubernetes.io/managed-by": "Helm"}},
            "belongs to Helm release apps/other; uninstall it with Helm first",
        ),
        (
            {"labels": {"olm.owner": "owned.v0.9.0", "olm.owner.kind": "ClusterServiceVersion"}},
            "belongs to ClusterServiceVersion owned.v0.9.0 of OLM v0; move it away from OLM v0 first, or remove its Subscription and "
            "ClusterServiceVersion",
        ),
        (
            {"labels": {"fleet.olm/extension": "another"}, "annotations": {"fleet.olm/namespace": "apps"}},
            "belongs to extension another in namespace apps; remove it there first, or leave the object to that extension",
        ),
        (
            {
                "labels": {
                    "olm.operatorframework.io/owner-kind": "ClusterExtension",
                    "olm.operatorframework.io/owner-name": "another",
                }
            },
            "belongs to ClusterExtension another of OLM v1; install it under the name another, or remove that one first",
        ),
    ],
    ids=["nobody", "helm", "olm v0", "direct", "olm v1"],
)
def test_objects_of_others_are_told_before(metadata: dict[str, Any], said: str, stage: Stage) -> None:
    place = "/api/v1/namespaces/widgets-system/serviceaccounts"
    stage.server.request("POST", place, {"metadata": {"name": "owned-operator", **metadata}})
    refused = stage.tried(extension("owned"))
    stage.server.request("DELETE", f"{place}/owned-operator")
    assert refused["msg"] == f"ClusterExtension owned: ServiceAccount widgets-system/owned-operator {said}"
    assert not stage.is_there("owned")


def test_a_package_that_is_there_under_another_name_is_told_before_with_every_object(stage: Stage) -> None:
    stage.run(extension("shared"))
    refused = stage.tried(extension("shared", name="twin"))
    lines = refused["msg"].splitlines()
    belongs = "belongs to ClusterExtension shared of OLM v1; install it under the name shared, or remove that one"
    assert (
        f"ClusterExtension twin: CustomResourceDefinition shared.example.com {belongs} with delete_crds first" in lines
    )
    assert f"ClusterExtension twin: Deployment widgets-system/shared-operator {belongs} first" in lines
    kinds = [line.removeprefix("ClusterExtension twin: ").partition(" ")[0] for line in lines]
    assert sorted(kinds) == [
        *["ClusterRole", "ClusterRole", "ClusterRoleBinding", "ClusterRoleBinding"],
        *["CustomResourceDefinition", "Deployment", "ServiceAccount"],
    ]
    assert not stage.is_there("twin")
    # What is its own is in nobody's way, and looked at only when something changes.
    assert stage.run(extension("shared"))["requests"] == 3
    assert stage.run(extension("shared", channels=["stable"]))["changed"]


def test_the_documented_roles_are_enough_to_look_at_everything(stage: Stage) -> None:
    limited = {"api_key": stage.server.tokens[LIMITED]}
    give(stage.server, "fleet-olm-install")
    blind = stage.run({**extension("limited"), **limited}, check=True)
    give(stage.server, "fleet-olm-validate")
    stage.proxy.seen.clear()
    seeing = stage.run({**extension("limited"), **limited})
    asked = used(stage.proxy.seen)
    for role in ("fleet-olm-install", "fleet-olm-validate"):
        take_away(stage.server, role)
    assert blind["warnings"] == [
        "CRD limited.example.com was not compared, because we may not read it",
        "whether clusterrolebindings, clusterroles, deployments, serviceaccounts of the bundle are somebody else's was not looked at, because we may "
        "not get them",
    ]
    assert not seeing.get("warnings")
    # The bundle has no webhooks, and watches all namespaces.
    not_brought = (
        "services",
        "roles",
        "rolebindings",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
    )
    assert {right for right in documented("fleet-olm-validate") - asked if right[2] not in not_brought} == set()


def test_what_is_known_of_an_extension(stage: Stage) -> None:
    stage.run(extension("stepping", "1.0.0"))
    wanted = {"namespace": "widgets-system", "package": "stepping", "version": "1.x", "channels": ["stable"]}
    looked = stage.looked({"name": "stepping", "objects": True, "wanted": wanted})
    (found,) = looked["extensions"]
    assert (found["state"], found["bundle"]["version"], found["installed_channels"]) == ("done", "1.0.0", ["stable"])
    assert found["says"].startswith("Installed is True (Succeeded): Installed bundle ")
    # The spec is pinned, so that OLM v1 takes nothing by itself.
    assert (found["offer"]["next"], found["offer"]["newest"]["version"]) == (None, "2.0.0")
    assert [step["name"] for step in found["offer"]["path"]] == ["stepping.v1.1.0", "stepping.v2.0.0"]
    assert found["drift"] == [
        {"path": "spec.source.catalog.version", "before": "1.0.0", "after": "1.x"},
        {"path": "spec.source.catalog.channels", "before": None, "after": ["stable"]},
    ]
    owned = {(item["kind"], item["name"]) for item in found["objects"]}
    assert {("Deployment", "stepping-operator"), ("ServiceAccount", "stepping-operator")} < owned
    same = {"namespace": "widgets-system", "package": "stepping", "version": "1.0.0"}
    assert stage.looked({"name": "stepping", "wanted": same})["extensions"][0]["drift"] == []
    everything = stage.looked({"offers": False})["extensions"]
    assert "stepping" in [item["name"] for item in everything]


def test_gates_that_are_off_are_told_before(stage: Stage) -> None:
    place = "/apis/apps/v1/namespaces/olmv1-system/deployments"
    container = {
        "name": "manager",
        "image": "operator-controller:v1",
        "args": ["--feature-gates=DeploymentConfig=true,SingleOwnNamespaceInstallSupport=false"],
    }
    labels = {"app": "operator-controller"}
    spec = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
    metadata = {"name": "operator-controller-controller-manager"}
    stage.server.request("POST", place, {"metadata": metadata, "spec": spec})
    refused = stage.tried(extension("gadgets", config={"watchNamespace": "widgets-system"}))
    stage.server.request("DELETE", f"{place}/{metadata['name']}")
    assert refused["msg"] == (
        "ClusterExtension gadgets: config: watching a single namespace is behind a feature gate that is off; operator-controller's Deployment needs "
        "--feature-gates=SingleOwnNamespaceInstallSupport=true for it"
    )


def test_what_olm_refuses_without_need_is_told_before(stage: Stage) -> None:
    stage.run(extension("merging", "1.0.0"))
    refused = stage.tried(extension("merging", "1.1.0"))
    assert refused["msg"] == (
        "ClusterExtension merging: CRD merging.example.com: OLM v1 refuses what hurts no custom resource, too (v1 spec.names: x-kubernetes-list-type "
        '"atomic" was added; server-side apply merges it as one value); set crd_upgrade_safety: none'
    )
    told = stage.run(extension("merging", "1.1.0", crd_upgrade_safety="none"))
    assert told["bundle"]["version"] == "1.1.0"


def test_what_is_installed_stays_when_its_catalog_is_gone(stage: Stage) -> None:
    wanted = extension("keeping", "1.0.0")
    stage.run(wanted)
    stage.run({"name": "demo", "state": "absent"}, "cluster_catalog")
    again = stage.run(wanted)
    changed = stage.run(extension("keeping", "1.0.0", upgrade_constraint_policy="SelfCertified"), check=True)
    stage.run({"name": "demo", "image": CATALOG}, "cluster_catalog")
    assert not again["changed"]
    assert changed["changed"]
    for told in (again, changed):
        assert any("OLM v1 keeps what is installed" in warning for warning in told["warnings"]), told


def test_warn_tells_and_goes_on(stage: Stage) -> None:
    tried = stage.tried(extension("gadgets", name="warned", validate="warn"))
    assert tried["changed"]
    assert "Progressing is False (InvalidConfiguration)" in tried["msg"]
    told = stage.run(extension("gadgets", name="warned", validate="warn", wait=False), check=True)
    assert any("missing required field 'watchNamespace'" in warning for warning in told["warnings"])


def test_a_catalog_that_cannot_be_read_is_a_warning(stage: Stage, tmp_path: Path) -> None:
    other = tmp_path / "catalog.json"
    other.write_text('{"schema": "olm.package", "name": "other", "defaultChannel": "stable"}\n')
    stage.serve(Answer(503, b"no endpoints"))
    # Another digest, which the cache does not hold.
    stage.run({"name": "demo", "image": OTHER}, "cluster_catalog")
    told = stage.run(extension("widgets", "1.0.0", name="unread"), check=True)
    stage.serve()
    assert any("ClusterCatalog demo could not be read: " in warning for warning in told.get("warnings", [])), told
    named = stage.tried(extension("widgets", "1.0.0", name="unread", catalog=str(other)), check=True)
    assert "package widgets" in named["msg"]
