# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""bundle_install from a catalog: it follows the upgrades from what is installed. And ClusterCatalogs, for every module that takes one.

An API server passes nothing on to loopback addresses, so the fault proxy plays that one hop.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import TEA, Stage, tea
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds
from ansible_collections.fleet.olm.tests.rig.faults import Answer
from ansible_collections.fleet.olm.tests.rig.images import Push, archive_of, gzipped, image
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import bundle, chain, write

VERSIONS = ("1.0.0", "1.1.0", "1.2.0")
CATALOGS = "/apis/olm.operatorframework.io/v1/clustercatalogs"
SERVED = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/demo/api/v1/all"


def release(work: Path, version: str) -> dict[str, Any]:
    """Options that install a version from a directory. Versions differ in what they put on the cluster."""
    content = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tea"}, "data": {"version": version}}
    return tea(work, content, version=version)


@pytest.fixture(scope="module")
def catalog(rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog in which each version replaces the one before, of bundles in a registry."""
    work = tmp_path_factory.mktemp("upgrades")
    address = (rig.registries or rig.start_registries())["open"].address
    blobs = [blob for blob in chain(*VERSIONS, of="tea") if blob["schema"] != "olm.bundle"]
    for version in VERSIONS:
        directory = Path(release(work, version)["source"])
        Push(address).push(image([gzipped(archive_of(directory))]), "tea", version)
        blobs.append(bundle(version, of="tea", image=f"{address}/tea:{version}"))
    return write(work / "catalog", blobs)


@pytest.fixture
def cluster_catalog(stage: Stage, catalog: Path) -> str:
    """The same catalog as a ClusterCatalog; its name."""
    content = (catalog / "catalog.json").read_bytes()
    add_crds(stage.cluster, *olm_crds())
    reference = "registry.example.com/catalog"
    source = {"type": "Image", "image": {"ref": f"{reference}:v1"}}
    stage.create(
        CATALOGS,
        {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterCatalog",
            "metadata": {"name": "demo"},
            "spec": {"source": source},
        },
    )
    image_status = {"ref": f"{reference}@sha256:{hashlib.sha256(content).hexdigest()}"}
    status = {
        "urls": {"base": "https://catalogd-service.olmv1-system.svc/catalogs/demo"},
        "resolvedSource": {"type": "Image", "image": image_status},
    }
    stage.patch(f"{CATALOGS}/demo/status", {"status": status})
    stage.proxy.on("GET", SERVED, Answer(200, content), times=1000)
    return "demo"


def of(catalog: Any, **more: Any) -> dict[str, Any]:
    return {**TEA, "source": {"catalog": catalog, "package": "tea", **more}}


def installed(stage: Stage, options: dict[str, Any], **how: Any) -> tuple[bool, str]:
    result = stage.run(options, **how)
    return result["changed"], result["bundle"]["version"]


def test_a_range_follows_the_upgrades_one_after_the_other_and_then_rests(stage: Stage, catalog: Path) -> None:
    place = str(catalog)
    assert installed(stage, of(place, version="1.0.0")) == (True, "1.0.0")
    assert installed(stage, of(place, version="1.x"), check=True) == (True, "1.1.0")
    assert installed(stage, of(place, version="1.x")) == (True, "1.1.0")
    assert installed(stage, of(place, version="1.x")) == (True, "1.2.0")
    assert installed(stage, of(place, version="1.x")) == (False, "1.2.0")
    assert installed(stage, of(place)) == (False, "1.2.0")


def test_a_run_that_changes_nothing_asks_no_more_of_the_cluster_than_with_any_other_source(
    stage: Stage, catalog: Path, tmp_path: Path
) -> None:
    stage.run(of(str(catalog), version="1.0.0"))
    from_catalog = stage.seen(of(str(catalog), version="1.0.x"))
    from_directory = stage.seen(release(tmp_path, "1.0.0"))
    # Some are in flight together, so their order is not the same in every run.
    assert sorted((one.method, one.path) for one in from_catalog) == sorted(
        (one.method, one.path) for one in from_directory
    )


def test_what_is_no_upgrade_is_refused_with_the_reason_and_a_way(stage: Stage, catalog: Path) -> None:
    place = str(catalog)
    stage.run(of(place, version="1.0.0"))
    far = stage.result(of(place, version="1.2.0"))
    assert far["failed"]
    assert not far["changed"]
    assert far["msg"].startswith(
        "package tea, version 1.2.0, installed 1.0.0: 1.2.0 cannot be upgraded to from tea.v1.0.0; 1.0.0 → 1.2.0 needs 1.1.0 first"
    )
    assert far["changes"][0]["options"] == {"version": "1.1.0"}
    assert far["why"][0]["steps"][-1]["rule"] == "successors"
    assert installed(stage, of(place, version="1.2.0", policy="SelfCertified")) == (True, "1.2.0")
    assert "policy SelfCertified allows it" in stage.refused(of(place, version="1.0.0"))
    assert installed(stage, of(place, version="1.0.0", policy="SelfCertified")) == (True, "1.0.0")


def test_an_upgrade_that_was_broken_off_is_finished_and_not_jumped_over(stage: Stage, catalog: Path) -> None:
    stage.run(of(str(catalog), version="1.0.0"))
    assert stage.killed_at("PATCH", r".*/configmaps/tea\?(?!.*dryRun).*", of(str(catalog)))
    assert installed(stage, of(str(catalog))) == (True, "1.1.0")


def test_every_module_with_a_connection_reads_cluster_catalogs(
    stage: Stage, controllers: Controllers, cluster_catalog: str
) -> None:
    def run(module: str, **options: Any) -> dict[str, Any]:
        return controllers.run(module, stage.options(options, through=True))

    given = {"cluster_catalog": cluster_catalog}
    listed = run("catalog_info", catalog=given)
    assert [(one["name"], one["catalog"]) for one in listed["packages"]] == [("tea", "demo")]
    found = run("catalog_resolve", catalog=given, package="tea", version="1.1.x")
    assert found["bundle"]["name"] == "tea.v1.1.0"
    assert installed(stage, of(given, version="1.0.0"), through=True) == (True, "1.0.0")
    assert installed(stage, of(given), through=True) == (True, "1.1.0")
    needed = run("bundle_install_info", name="tea", namespace="tea-system", source=of(given)["source"])
    assert needed["permissions_needed"]["roles"]
    fetched = [request for request in stage.proxy.seen if request.path == SERVED]
    assert len(fetched) == 1
    missing = run("catalog_info", catalog={"cluster_catalog": "gone"})
    assert "ClusterCatalog gone: is not on the cluster" in missing["msg"]
    offline = controllers.run("bundle_info", {"source": of(given)["source"]})
    assert offline["msg"].startswith(
        "catalog: cluster_catalog demo is on a cluster, and this module talks to none; ask "
    )
