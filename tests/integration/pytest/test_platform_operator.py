# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""platform_operator on real API servers: what is installed, what is refused, and what is told of it on the cluster."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    deployment,
    install_modes,
    strategy,
    webhook,
    write_bundle,
)

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
OPERATORS = "/apis/platform.openshift.io/v1alpha1/platformoperators"
AGGREGATE = "/apis/config.openshift.io/v1/clusteroperators/platform-operators-aggregated"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
GREETINGS = "/apis/greeter.example.com/v1/namespaces/greeter-system/greetings"
_numbers = itertools.count(1)


def with_status(crd: dict[str, Any]) -> dict[str, Any]:
    crd["spec"]["versions"][0]["subresources"] = {"status": {}}
    return crd


def platform_crd(**spec: Any) -> dict[str, Any]:
    return with_status(
        minimal_crd("platform.openshift.io", "platformoperators", "PlatformOperator", "v1alpha1", **spec)
    )


NEW_FORM = {"package": {"type": "object", "properties": {"name": {"type": "string"}}}}
# With what the name of a package may be, which the API server then checks.
STRICT_FORM = {"package": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 56}}}}
OLD_FORM = {"packageName": {"type": "string"}}


class Stage:
    """A cluster, a catalog, and the module."""

    def __init__(self, cluster: Cluster, controllers: Controllers, folder: Path) -> None:
        self.cluster, self._controllers, self._folder = cluster, controllers, folder
        self._sources: dict[str, str] = {}
        self._documents: list[dict[str, Any]] = []

    def lists(self, package: str, version: str, source: Path | None = None, *properties: dict[str, Any]) -> None:
        """Have the catalog list a bundle; a small one is written where none is given."""
        name = f"{package}.v{version}"
        if source is None:
            source = self.bundle(package, version)
        self._sources[name] = str(source)
        listed = {"type": "olm.package", "value": {"packageName": package, "version": version}}
        if not any(one.get("name") == package for one in self._documents):
            self._documents.append({"schema": "olm.package", "name": package, "defaultChannel": "stable"})
            self._documents.append({"schema": "olm.channel", "package": package, "name": "stable", "entries": []})
        channel = next(one for one in self._documents if one["schema"] == "olm.channel" and one["package"] == package)
        channel["entries"].append({"name": name})
        bundle = {"schema": "olm.bundle", "package": package, "name": name, "image": f"registry.example.com/{package}"}
        self._documents.append({**bundle, "properties": [listed, *properties]})

    def bundle(self, package: str, version: str, **spec: Any) -> Path:
        """A small bundle that has a deployment."""
        install = strategy(deployments=[deployment(f"{package}-operator")])
        csv = _named(f"{package}.v{version}", version=version, install=install, **spec)
        return write_bundle(self._folder / f"{package}-{version}", csv, package=package)

    def tried(self, *, check: bool = False, catalog: bool = True, **options: Any) -> dict[str, Any]:
        path = self._folder / "catalog.json"
        path.write_text("\n".join(json.dumps(document) for document in self._documents), encoding="utf-8")
        reach = {
            "host": self.cluster.url,
            "api_key": self.cluster.tokens[ADMIN],
            "ca_cert": str(self.cluster.ca_file),
            "wait_timeout": 60,
        }
        known = {"catalog": str(path), "bundle_sources": self._sources} if catalog else {}
        result = self._controllers.run("platform_operator", {**reach, **known, **options}, check=check)
        assert "Traceback" not in str(result.get("msg")), result["msg"]
        return result

    def run(self, **how: Any) -> dict[str, Any]:
        result = self.tried(**how)
        assert not result.get("failed"), result["msg"]
        return result

    def find(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.cluster.request("GET", path)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None
        return found

    def wants(self, name: str, **spec: Any) -> None:
        """Put a PlatformOperator on the cluster."""
        body = {
            "apiVersion": "platform.openshift.io/v1alpha1",
            "kind": "PlatformOperator",
            "metadata": {"name": name},
            "spec": spec,
        }
        self.cluster.request("POST", OPERATORS, body)

    def statuses(self, path: str) -> dict[str, str]:
        found = self.find(path)
        assert found is not None
        return {one["type"]: one["status"] for one in found["status"]["conditions"]}


@pytest.fixture(scope="module")
def bare(rig: Rig) -> Iterator[Cluster]:
    """A cluster with controllers that serves neither PlatformOperators nor ClusterOperators."""
    yield rig.add_cluster("bare", full=True)
    rig.remove_cluster("bare")


@pytest.fixture
def openshift(rig: Rig, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster without controllers that looks like OpenShift 4.15; PlatformOperators are of the form that the test names."""
    name = f"openshift-{next(_numbers)}"
    cluster = rig.add_cluster(name)
    add_crds(
        cluster,
        platform_crd(**getattr(request, "param", NEW_FORM)),
        with_status(minimal_crd("config.openshift.io", "clusteroperators", "ClusterOperator")),
        minimal_crd("config.openshift.io", "clusterversions", "ClusterVersion"),
    )
    version = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"history": [{"state": "Completed", "version": "4.15.3"}]},
    }
    cluster.request("POST", "/apis/config.openshift.io/v1/clusterversions", version)
    yield cluster
    rig.remove_cluster(name)


def test_named_in_variables_on_a_cluster_that_knows_nothing_of_them(
    bare: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(bare, controllers, tmp_path)
    stage.lists("greeter", "1.0.0", EXAMPLES / "greeter")
    wanted = {"operators": [{"name": "greetings", "package": "greeter"}]}
    before = snapshot(bare)
    predicted = stage.run(check=True, **wanted)
    assert snapshot(bare) == before
    first = stage.run(**wanted)
    assert predicted["changed"]
    assert [one["plan"] for one in predicted["operators"]] == [one["plan"] for one in first["operators"]]
    (one,) = first["operators"]
    assert (one["installed"], one["namespace"], one["bundle"]["version"]) == (True, "greeter-system", "1.0.0")
    assert first["cluster_operator"]["versions"] == [{"name": "greetings", "version": "1.0.0"}]
    deployed = stage.find("/apis/apps/v1/namespaces/greeter-system/deployments/greeter-controller")
    assert deployed is not None
    assert deployed["status"]["availableReplicas"] == 1
    again = stage.run(catalog=False, **wanted)
    assert (again["changed"], again["requests"] <= 8) == (False, True), again["requests"]

    # A higher version moves nothing by itself.
    stage.lists("greeter", "1.1.0", EXAMPLES / "greeter-1.1.0")
    assert not stage.run(**wanted)["changed"]
    held = stage.tried(upgrade=True, **wanted)
    assert "may read and list Secrets in all namespaces" in held["msg"]
    upgraded = stage.run(upgrade=True, accept_permissions="all", **wanted)
    assert upgraded["operators"][0]["bundle"]["version"] == "1.1.0"
    assert not stage.run(upgrade=True, **wanted)["changed"]

    greeting = {"apiVersion": "greeter.example.com/v1", "kind": "Greeting", "metadata": {"name": "hello"}}
    bare.request("POST", GREETINGS, {**greeting, "spec": {"name": "world"}})
    gone = stage.run(state="absent", operators=["greetings"])
    assert (gone["changed"], gone["removed"]) == (True, ["greetings"])
    assert stage.find("/apis/apps/v1/namespaces/greeter-system/deployments/greeter-controller") is None
    assert stage.find(f"{GREETINGS}/hello") is not None
    assert not stage.run(state="absent", operators=["greetings"])["changed"]


def test_an_extension_of_somebody_else_is_left_alone(bare: Cluster, controllers: Controllers, tmp_path: Path) -> None:
    stage = Stage(bare, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    reach = {"host": bare.url, "api_key": bare.tokens[ADMIN], "ca_cert": str(bare.ca_file)}
    source = str(tmp_path / "tea-1.0.0")
    own = {**reach, "name": "tea", "namespace": "kitchen", "create_namespace": True, "source": source}
    assert controllers.run("bundle_install", own)["changed"]
    refused = stage.tried(operators=["tea"])
    assert (
        "extension tea in namespace kitchen is there already and was not installed for a PlatformOperator"
        in refused["msg"]
    )
    assert stage.run(state="absent", operators=["tea"])["removed"] == []
    assert stage.find("/apis/apps/v1/namespaces/kitchen/deployments/tea-operator") is not None


def test_day_zero_from_a_folder_and_from_the_cluster(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    stage.lists("tea", "1.10.0")
    stage.lists("tea", "1.9.0")
    # Too new for the cluster, by OpenShift and by Kubernetes.
    stage.lists("tea", "1.11.0", None, {"type": "olm.maxOpenShiftVersion", "value": "4.14"})
    metadata = {"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.99.0"}}
    stage.lists("tea", "1.12.0", None, metadata)
    stage.lists("milk", "1.0.0")
    folder = tmp_path / "manifests"
    folder.mkdir()
    manifest = {
        "apiVersion": "platform.openshift.io/v1alpha1",
        "kind": "PlatformOperator",
        "metadata": {"name": "dairy"},
        "spec": {"package": {"name": "milk"}},
    }
    (folder / "dairy.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    stage.wants("tea-time", package={"name": "tea"})
    before = snapshot(openshift)
    predicted = stage.run(src=str(folder), wait_for="applied", check=True)
    assert predicted["changed"]
    assert snapshot(openshift) == before
    done = stage.run(src=str(folder), wait_for="applied")
    assert {one["name"]: one["bundle"]["version"] for one in done["operators"]} == {
        "tea-time": "1.10.0",
        "dairy": "1.0.0",
    }
    assert {one["namespace"] for one in done["operators"]} == {"tea-system", "milk-system"}
    for name, bundle in (("tea-time", "tea.v1.10.0"), ("dairy", "milk.v1.0.0")):
        assert stage.statuses(f"{OPERATORS}/{name}") == {"Sourced": "True", "Applied": "True", "Installed": "True"}
        found = stage.find(f"{OPERATORS}/{name}")
        assert found is not None
        assert found["status"]["activeBundleDeployment"] == {"name": bundle}
    assert stage.statuses(AGGREGATE) == {"Available": "True", "Progressing": "False", "Degraded": "False"}
    aggregate = stage.find(AGGREGATE)
    assert aggregate is not None
    assert aggregate["status"]["versions"] == [
        {"name": "dairy", "version": "1.0.0"},
        {"name": "tea-time", "version": "1.10.0"},
    ]
    settled = snapshot(openshift)
    assert not stage.run(src=str(folder), wait_for="applied")["changed"]
    assert not stage.run(wait_for="applied", catalog=False)["changed"]
    assert not stage.run(state="absent", operators=["nobody"])["changed"]
    assert snapshot(openshift) == settled

    # Who deletes a PlatformOperator wants its operator gone.
    openshift.request("DELETE", f"{OPERATORS}/dairy")
    pruned = stage.run(wait_for="applied", wait=False, prune=True)
    assert pruned["removed"] == ["dairy"]
    assert stage.find("/apis/apps/v1/namespaces/milk-system/deployments/milk-operator") is None
    assert stage.find("/apis/apps/v1/namespaces/tea-system/deployments/tea-operator") is not None


def test_of_two_that_are_made_together_the_same_has_the_package_in_every_run(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    wanted = [{"name": name, "package": "tea"} for name in ("second", "first")]
    done = stage.tried(operators=wanted, wait_for="applied")
    settled = snapshot(openshift)
    again = stage.tried(operators=wanted, wait_for="applied")
    assert again["msg"] == done["msg"]
    assert "package tea belongs to PlatformOperator" in done["msg"]
    assert not again["changed"]
    assert snapshot(openshift) == settled


def test_every_failure_is_told_and_holds_up_nobody(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    stage.lists("own", "1.0.0", stage.bundle("own", "1.0.0", installModes=install_modes("OwnNamespace")))
    hooked = stage.bundle("hooked", "1.0.0", webhookdefinitions=[webhook(deploymentName="hooked-operator")])
    stage.lists("hooked", "1.0.0", hooked)
    needing = {"type": "olm.package.required", "value": {"packageName": "tea", "versionRange": ">=1.0.0"}}
    stage.lists("needing", "1.0.0", None, needing)
    stage.wants("tea-time", package={"name": "tea"})
    # Creation is told in seconds; where two are alike the name decides.
    stage.wants("tea-time-again", package={"name": "tea"})
    for name in ("own", "hooked", "needing", "nowhere", "Upper"):
        stage.wants(name.lower(), package={"name": name})
    failed = stage.tried(wait_for="applied")
    assert failed["failed"]
    assert failed["changed"]
    said = dict(line.split(": ", 1) for line in failed["msg"].splitlines())
    assert said == {
        "tea-time-again": "package tea belongs to PlatformOperator tea-time, which was created first",
        "own": "own.v1.0.0 cannot be a platform operator: it must support the install mode AllNamespaces, and supports OwnNamespace",
        "hooked": "hooked.v1.0.0 cannot be a platform operator: it has webhooks: vtea.drinks.example",
        "needing": "needing.v1.0.0 cannot be a platform operator: it declares a dependency (olm.package.required)",
        "nowhere": "package nowhere: the catalog does not have this package",
        "upper": "the package name 'Upper' must be of lower case letters, digits and '-', with no '-' at its ends",
    }
    assert stage.statuses(f"{OPERATORS}/tea-time")["Installed"] == "True"
    assert stage.statuses(f"{OPERATORS}/own") == {"Sourced": "False", "Applied": "False", "Installed": "False"}
    assert stage.statuses(AGGREGATE) == {"Available": "False", "Progressing": "False", "Degraded": "True"}
    aggregate = stage.find(AGGREGATE)
    assert aggregate is not None
    (degraded,) = (one for one in aggregate["status"]["conditions"] if one["type"] == "Degraded")
    assert sorted(degraded["message"].split(", ")) == sorted(said)
    again = stage.tried(wait_for="applied")
    assert (again["failed"], again["changed"]) == (True, False)

    stage.run(state="absent", operators=["own", "hooked", "needing", "nowhere", "upper", "tea-time-again"])
    assert stage.statuses(AGGREGATE) == {"Available": "True", "Progressing": "False", "Degraded": "False"}
    assert [one["metadata"]["name"] for one in openshift.request("GET", OPERATORS)["items"]] == ["tea-time"]


@pytest.mark.parametrize("openshift", [STRICT_FORM], indirect=True)
def test_one_that_the_api_server_does_not_take_holds_up_nobody(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    long = "a" * 60
    failed = stage.tried(operators=["tea", long], wait_for="applied")
    assert failed["msg"].startswith(f"{long}: the package name '{long}' has 60 characters, and 56 is the most"), failed[
        "msg"
    ]
    assert failed["changed"]
    assert stage.statuses(f"{OPERATORS}/tea")["Installed"] == "True"
    assert stage.find(f"{OPERATORS}/{long}") is None


def test_what_is_installed_stays_so_where_an_upgrade_fails(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    stage.run(operators=["tea"], wait_for="applied")
    failed = stage.tried(operators=["tea"], upgrade=True, wait_for="applied", catalog=False)
    assert failed["msg"] == "tea: catalog: must be given to install package tea"
    assert failed["operators"][0]["installed"]
    assert stage.statuses(f"{OPERATORS}/tea") == {"Sourced": "False", "Applied": "False", "Installed": "True"}
    found = stage.find(f"{OPERATORS}/tea")
    assert found is not None
    assert found["status"]["activeBundleDeployment"] == {"name": "tea.v1.0.0"}
    assert stage.statuses(AGGREGATE) == {"Available": "True", "Progressing": "False", "Degraded": "True"}
    aggregate = stage.find(AGGREGATE)
    assert aggregate is not None
    assert aggregate["status"]["versions"] == [{"name": "tea", "version": "1.0.0"}]
    assert not stage.run(state="absent", operators=["nobody"])["changed"]
    stage.run(operators=["tea"], upgrade=True, wait_for="applied")
    assert stage.statuses(AGGREGATE) == {"Available": "True", "Progressing": "False", "Degraded": "False"}


def test_who_may_not_write_the_aggregate_is_told_what_was_done(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    groups = ["", "apps", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "platform.openshift.io"]
    rules = [
        {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": ["config.openshift.io"], "resources": ["*"], "verbs": ["get", "list"]},
    ]
    openshift.request("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "cook"}, "rules": rules})
    binding = {
        "metadata": {"name": "cook"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cook"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "cook"}],
    }
    openshift.request("POST", f"{RBAC}/clusterrolebindings", binding)
    done = stage.run(operators=["tea"], wait_for="applied", impersonate_user="cook")
    assert done["operators"][0]["installed"]
    assert done["cluster_operator"]["versions"] == [{"name": "tea", "version": "1.0.0"}]
    (warning,) = done["warnings"]
    assert "ClusterOperator platform-operators-aggregated could not be written: " in warning
    assert 'API group "config.openshift.io"' in warning


@pytest.mark.parametrize("openshift", [OLD_FORM], indirect=True)
def test_one_that_does_not_get_ready_blocks_day_zero(
    openshift: Cluster, controllers: Controllers, tmp_path: Path
) -> None:
    """Nothing runs Deployments here. The CRD has the older form of the spec."""
    stage = Stage(openshift, controllers, tmp_path)
    stage.lists("tea", "1.0.0")
    failed = stage.tried(operators=["tea"], wait_timeout=1)
    assert "tea: revision 1 did not become ready within 1 s: Deployment tea-system/tea-operator" in failed["msg"]
    assert stage.statuses(f"{OPERATORS}/tea") == {"Sourced": "True", "Applied": "True", "Installed": "False"}
    found = stage.find(f"{OPERATORS}/tea")
    assert found is not None
    assert found["spec"] == {"packageName": "tea"}
    assert "activeBundleDeployment" not in found["status"]
    waiting = stage.run(operators=["tea"], wait=False)
    assert stage.statuses(AGGREGATE) == {"Available": "False", "Progressing": "True", "Degraded": "False"}
    assert waiting["operators"][0]["installed"] is False
    ready = {"status": {"replicas": 1, "availableReplicas": 1, "readyReplicas": 1, "updatedReplicas": 1}}
    ready["status"]["observedGeneration"] = 1
    deployed = "/apis/apps/v1/namespaces/tea-system/deployments/tea-operator"
    openshift.request("PATCH", f"{deployed}/status", ready, "application/merge-patch+json")
    stage.run(operators=["tea"])
    assert stage.statuses(f"{OPERATORS}/tea")["Installed"] == "True"


def test_the_example_playbook_runs_the_role_on_a_fleet(bare: Cluster, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig.yaml").write_text(json.dumps(bare.kubeconfig()), encoding="utf-8")
    inventory = {"plugin": "fleet.olm.clusters", "sources": [{"kubeconfig": "kubeconfig.yaml"}]}
    (tmp_path / "clusters.yml").write_text(json.dumps(inventory), encoding="utf-8")
    (tmp_path / "catalog").symlink_to(EXAMPLES.parent / "catalog" / "greeter")
    # The highest version that the catalog has is one that only it knows.
    bundle = write_bundle(tmp_path / "greeter", _named("greeter.v2.0.0-rc.1", version="2.0.0-rc.1"), package="greeter")
    variables = {
        "fleet_catalog": str(tmp_path / "catalog"),
        "platform_operators_bundle_sources": {"greeter.v2.0.0-rc.1": str(bundle)},
    }

    def played(*more: str) -> str:
        ran = subprocess.run(
            [
                str(Path(sys.executable).parent / "ansible-playbook"),
                *("-i", "clusters.yml", "-e", json.dumps(variables), *more),
                str(EXAMPLES.parent / "platform" / "day_zero.yml"),
            ],
            cwd=tmp_path,
            env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(tmp_path / "ansible")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    assert "changed=1" in played()
    assert "changed=0" in played()
    assert "changed=1" in played("-e", "platform_operators_state=absent")
    refused = "platform_operators_wait_for=never"
    with pytest.raises(AssertionError, match="value of platform_operators_wait_for must be one of"):
        played("-e", refused)


def _named(name: str, **spec: Any) -> dict[str, Any]:
    csv = bundle_csv(**spec)
    return {**csv, "metadata": {**csv["metadata"], "name": name}}


def test_mistakes(bare: Cluster, controllers: Controllers, tmp_path: Path) -> None:
    stage = Stage(bare, controllers, tmp_path)
    assert "serves no PlatformOperators that could be read instead" in stage.tried()["msg"]
    assert "operators: must name those to remove" in stage.tried(state="absent")["msg"]
    assert "catalog: must be given to install package milk" in stage.tried(operators=["milk"], catalog=False)["msg"]
