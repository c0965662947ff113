# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An operator of plain manifests through its life: validated, built, pushed, in a catalog, resolved, installed, upgraded, removed."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Program, perform
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.resources import KINDS
from ansible_collections.fleet.olm.plugins.modules import (
    bundle_build,
    bundle_convert,
    bundle_info,
    bundle_install,
    bundle_validate,
    catalog_build,
    catalog_bundle,
    catalog_resolve,
)
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.images import Push, archive_of, gzipped, image
from ansible_collections.fleet.olm.tests.rig.rig import Rig

KIALI = Path(__file__).resolve().parents[3] / "examples" / "bundles" / "kiali-k8sv1"
PREFIX = "operators.operatorframework.io.bundle"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with Rig(tmp_path_factory.mktemp("plain") / "rig", print) as running:
        running.start_registries()
        yield running


@pytest.fixture(scope="module")
def crane(rig: Rig) -> str:
    """An independent client; found while HOME is the real one, where it is kept."""
    return str(rig.program("crane"))


@pytest.fixture(scope="module")
def cluster(rig: Rig) -> Cluster:
    return rig.add_cluster("plain", full=True)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME", "DOCKER_CONFIG", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)


def called(program: Program, *, check: bool = False, **options: Any) -> dict[str, Any]:
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(options)
    assert checked.error_messages == []
    result = perform(program, Call(checked.validated_parameters, check, diff=False))
    assert not result.get("failed"), result["msg"]
    return result


def successor(root: Path) -> Path:
    """The example, one version later."""
    shutil.copytree(KIALI, root)
    for path in root.glob("*.yaml"):
        path.write_text(path.read_text().replace("1.9.1", "1.10.0"))
    (root / "olm.yaml").write_text((root / "olm.yaml").read_text() + "replaces: kiali-operator.v1.9.1\n")
    return root


def test_an_independent_client_reads_the_image(rig: Rig, crane: str) -> None:
    target = f"{rig.registries['open'].address}/crane/kiali:v1.9.1"
    built = called(bundle_build.PROGRAM, source=str(KIALI), push=f"docker://{target}")

    def run(*words: str) -> bytes:
        return subprocess.run([crane, *words, "--insecure"], check=True, capture_output=True).stdout

    assert run("digest", target).decode().strip() == built["digest"]
    run("validate", "--remote", target)
    assert json.loads(run("config", target))["config"]["Labels"][f"{PREFIX}.mediatype.v1"] == "k8s+v1"
    with tarfile.open(fileobj=io.BytesIO(run("export", target, "-"))) as archive:
        assert {"manifests/clusterrole.yaml", "metadata/olm.yaml", "metadata/annotations.yaml"} <= set(
            archive.getnames()
        )


def test_an_independent_client_takes_the_archive(rig: Rig, crane: str, tmp_path: Path) -> None:
    called(bundle_build.PROGRAM, source=str(KIALI), archive=str(tmp_path / "kiali.tar"))
    target = f"{rig.registries['open'].address}/crane/archived:v1.9.1"
    subprocess.run([crane, "push", str(tmp_path / "kiali.tar"), target, "--insecure"], check=True, capture_output=True)
    found = called(bundle_info.PROGRAM, source=f"docker://{target}")
    assert found["bundle"]["name"] == "kiali-operator.v1.9.1"


def test_a_registry_with_credentials_and_check_mode(rig: Rig) -> None:
    registry = rig.registries["closed"]
    access = {
        "registry_username": registry.user,
        "registry_password": registry.password,
        "registry_ca_cert": registry.ca_file,
    }
    given = {"source": str(KIALI), "push": f"docker://{registry.address}/team/kiali:v1.9.1", **access}
    predicted = called(bundle_build.PROGRAM, check=True, **given)
    first, second = called(bundle_build.PROGRAM, **given), called(bundle_build.PROGRAM, **given)
    assert [one["changed"] for one in (predicted, first, second)] == [True, True, False]
    assert predicted["digest"] == first["digest"]


def test_from_plain_manifests_to_an_operator_on_a_cluster(rig: Rig, cluster: Cluster, tmp_path: Path) -> None:
    address = rig.registries["open"].address
    catalog, before = str(tmp_path / "catalog"), None
    for source, version in ((KIALI, "1.9.1"), (successor(tmp_path / "next"), "1.10.0")):
        image = f"docker://{address}/kiali-bundle:{version}"
        called(bundle_build.PROGRAM, source=str(source), push=image)
        assert called(bundle_validate.PROGRAM, source=image, namespace="kiali-operator")["valid"]
        before = called(catalog_bundle.PROGRAM, catalog=catalog, source=image, channel="stable", replaces=before)[
            "bundle"
        ]["name"]
    built = called(catalog_build.PROGRAM, catalog=catalog, push=f"docker://{address}/plain-catalog:v1")
    reference = f"docker://{built['reference']}"
    resolved = called(catalog_resolve.PROGRAM, catalog=reference, package="kiali-operator")
    assert resolved["bundle"]["version"] == "1.10.0"

    given = {
        "name": "kiali",
        "namespace": "kiali-operator",
        "create_namespace": True,
        "kubeconfig": cluster.kubeconfig(),
        "wait": True,
    }
    for version in ("1.9.1", "1.10.0"):
        source = {"catalog": reference, "package": "kiali-operator", "version": version}
        first = called(bundle_install.PROGRAM, source=source, **given)
        assert (first["changed"], first["bundle"]["version"]) == (True, version)
        assert not called(bundle_install.PROGRAM, source=source, **given)["changed"]
    removal = {key: given[key] for key in ("name", "namespace", "kubeconfig")}
    crds = ["kialis.kiali.io", "monitoringdashboards.monitoring.kiali.io"]
    assert called(bundle_install.PROGRAM, state="absent", delete_crds=crds, **removal)["changed"]
    assert not called(bundle_install.PROGRAM, state="absent", **removal)["changed"]


def test_converted_it_is_what_olm_v1_knows(rig: Rig, tmp_path: Path) -> None:
    called(bundle_convert.PROGRAM, source=str(KIALI), dest=str(tmp_path / "kiali"), format="registry+v1")
    image = f"docker://{rig.registries['open'].address}/kiali-registry:v1.9.1"
    built = called(bundle_build.PROGRAM, source=str(tmp_path / "kiali"), push=image)
    assert built["labels"][f"{PREFIX}.mediatype.v1"] == "registry+v1"
    assert called(bundle_validate.PROGRAM, source=image, namespace="kiali-operator")["valid"]


def test_the_table_of_kinds_is_what_a_cluster_serves(cluster: Cluster) -> None:
    for group, (version, kinds) in KINDS.items():
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        listed = cluster.request("GET", path)["resources"]
        assert {item["name"]: item["kind"] for item in listed if "/" not in item["name"]} == dict(kinds)


def test_an_image_whose_labels_contradict_it_is_told(rig: Rig) -> None:
    address = rig.registries["open"].address
    content = image([gzipped(archive_of(KIALI.parent / "greeter"))], labels={f"{PREFIX}.package.v1": "other"})
    Push(address).push(content, "mislabelled", "1")
    result = called(bundle_validate.PROGRAM, source=f"docker://{address}/mislabelled:1", strict=False)
    assert result["problems"] == [
        f"invalid bundle 'greeter.v1.0.0': the image has the label {PREFIX}.package.v1 with 'other', "
        "but metadata/annotations.yaml says 'greeter'"
    ]
