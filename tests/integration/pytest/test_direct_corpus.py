# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real bundles through their whole life on a real cluster: installed, again, upgraded, rolled back, removed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT.parent / "shared" / "corpus" / "bundles"
NAMESPACE, WATCHED = "operators-own", "operators-watched"

# Name, the namespace to watch where it is not all of them, and what it is here for.
BUNDLES: dict[str, tuple[str | None, str]] = {
    "authorino-operator.0.11.1": (None, "a conversion webhook"),
    "community-trivy-operator.2.1.1": (WATCHED, "watches another namespace"),
    "flux.0.13.4": (None, "twelve CRDs"),
    "gitlab-runner-operator.1.15.0": (None, "webhooks of all three kinds"),
    "kiali.2.5.0": (None, "watches all namespaces"),
    "ndb-operator.1.1.0": (NAMESPACE, "webhooks, watches its own namespace"),
    "node-maintenance-operator.0.19.0": (None, "a validating webhook"),
    "pcc-operator.0.0.1": (NAMESPACE, "one ServiceAccount twice"),
    "security-profiles-operator.0.8.0": (None, "two ServiceAccounts twice, and not alike"),
    "universal-crossplane.1.2.1-up.4": (None, "fifty objects"),
}


@pytest.fixture(scope="module")
def server(rig: Any) -> Iterator[Cluster]:
    rig.add_cluster("corpus", full=True)
    cluster: Cluster = rig.add_issuer("corpus")
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": WATCHED}})
    yield cluster
    rig.remove_cluster("corpus")


@pytest.fixture(scope="module")
def controllers() -> Iterator[Controllers]:
    with Controllers() as running:
        yield running


def next_version(bundle: Path, target: Path) -> Path:
    """A bundle that differs from another as the next version does: name, version, and the image of every container."""
    shutil.copytree(bundle, target)
    for path in (target / "manifests").iterdir():
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        if [document for document in documents if document and document.get("kind") == "ClusterServiceVersion"]:
            csv = documents[0]
            csv["metadata"]["name"] += "-next"
            csv["spec"]["version"] = "999.0.0"
            for deployment in csv["spec"]["install"]["spec"]["deployments"]:
                for container in deployment["spec"]["template"]["spec"]["containers"]:
                    container["image"] = "registry.example.com/next:999"
            path.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return target


@pytest.mark.parametrize("name", BUNDLES)
def test_a_real_bundle_lives_and_leaves_nothing_but_what_must_stay(
    name: str, server: Cluster, controllers: Controllers, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not CORPUS.is_dir():
        pytest.skip("the real bundles are not at hand")
    watched, _why = BUNDLES[name]
    connection = {"host": server.url, "api_key": server.tokens[ADMIN], "ca_cert": str(server.ca_file)}
    extension = {**connection, "name": "real", "namespace": NAMESPACE, "wait_timeout": 60}
    wanted = {**extension, "create_namespace": True, "config": {"watchNamespace": watched} if watched else None}

    def run(options: dict[str, Any], *, check: bool = False) -> dict[str, Any]:
        result = controllers.run("bundle_install", options, check=check)
        assert not result.get("failed"), result["msg"]
        return result

    def remove_what_a_failure_left() -> None:
        found = server.request("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]
        crds = [
            crd["metadata"]["name"] for crd in found if "fleet.olm/extension" in (crd["metadata"].get("labels") or {})
        ]
        controllers.run("bundle_install", {**extension, "state": "absent", "delete_crds": crds})

    request.addfinalizer(remove_what_a_failure_left)
    before = snapshot(server, NAMESPACE, WATCHED)
    source, newer = str(CORPUS / name), str(next_version(CORPUS / name, tmp_path / "next"))
    predicted = run({**wanted, "source": source}, check=True)
    installed = run({**wanted, "source": source})
    assert installed["changed"]
    assert predicted["plan"] == installed["plan"]
    state = snapshot(server, NAMESPACE, WATCHED)
    assert not run({**wanted, "source": source})["changed"]

    upgrade = {**wanted, "source": newer, "accept_permissions": "all"}
    assert run(upgrade)["bundle"]["version"] == "999.0.0"
    assert not run(upgrade)["changed"]

    back = run({**extension, "state": "rolled_back"})
    assert back["changed"]
    assert not run({**extension, "state": "rolled_back"})["changed"]
    assert objects(snapshot(server, NAMESPACE, WATCHED)) == objects(state)

    crds = {step["name"] for step in installed["plan"] if step["kind"] == "CustomResourceDefinition"}
    removed = run({**extension, "state": "absent"})
    left = snapshot(server, NAMESPACE, WATCHED)
    assert {path.rpartition("/")[2] for path in left.keys() - before.keys()} == crds
    assert {step["name"] for step in removed["plan"] if step["action"] == "retain"} == crds
    assert not run({**extension, "state": "absent"})["changed"]
    run({**extension, "state": "absent", "delete_crds": sorted(crds)})
    assert snapshot(server, NAMESPACE, WATCHED) == before


def objects(state: dict[str, Any]) -> dict[str, Any]:
    """What an operator consists of, without the ledger and without what its Deployments make."""
    made = ("/secrets/", "/pods/", "/replicasets/", "/configmaps/")
    kept = {path: item for path, item in state.items() if not any(part in path for part in made)}
    return {path: without_history(item) for path, item in kept.items()}


def without_history(item: dict[str, Any]) -> dict[str, Any]:
    counted = ("fleet.olm/revision", "deployment.kubernetes.io/revision")
    metadata = item["metadata"]
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in counted}
    return {**item, "metadata": {**metadata, "annotations": annotations}}
