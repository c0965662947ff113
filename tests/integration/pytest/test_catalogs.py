# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs and real registries: built, pushed, read back by us and by another client, and bundles taken from them."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Program, perform
from ansible_collections.fleet.olm.plugins.modules import catalog_build, catalog_bundle, catalog_info, catalog_resolve
from ansible_collections.fleet.olm.tests.rig.images import Push, archive_of, gzipped, image
from ansible_collections.fleet.olm.tests.rig.rig import Rig

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
LABEL = "operators.operatorframework.io.index.configs.v1"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with Rig(tmp_path_factory.mktemp("catalogs") / "rig", print) as running:
        running.start_registries()
        yield running


@pytest.fixture(scope="module")
def crane(rig: Rig) -> str:
    """An independent client; found while HOME is the real one, where it is kept."""
    return str(rig.program("crane"))


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME", "DOCKER_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def called(program: Program, *, check: bool = False, **options: Any) -> dict[str, Any]:
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(options)
    assert checked.error_messages == []
    return perform(program, Call(checked.validated_parameters, check, diff=False))


def access(rig: Rig, name: str) -> dict[str, Any]:
    registry = rig.registries[name]
    if not registry.user:
        return {}
    credentials = {"registry_username": registry.user, "registry_password": registry.password}
    return {"registry_ca_cert": registry.ca_file, **credentials}


@pytest.mark.parametrize("name", ["open", "closed"])
def test_a_catalog_is_pushed_once_and_read_back(rig: Rig, name: str) -> None:
    reference = f"docker://{rig.registries[name].address}/team/catalog:v1"
    given = {"catalog": str(EXAMPLES / "catalog"), "push": reference, **access(rig, name)}
    predicted = called(catalog_build.PROGRAM, check=True, **given)
    first, second = called(catalog_build.PROGRAM, **given), called(catalog_build.PROGRAM, **given)
    assert [one["changed"] for one in (predicted, first, second)] == [True, True, False]
    assert predicted["digest"] == first["digest"] == second["digest"]
    listed = called(
        catalog_info.PROGRAM, catalog=f"docker://{first['reference']}", validate="strict", **access(rig, name)
    )
    assert [package["name"] for package in listed["packages"]] == ["greeter", "stamper"]


def test_an_independent_client_reads_it(rig: Rig, crane: str, tmp_path: Path) -> None:
    target = f"{rig.registries['open'].address}/crane/catalog:v1"
    built = called(catalog_build.PROGRAM, catalog=str(EXAMPLES / "catalog"), push=f"docker://{target}")

    def run(*words: str) -> bytes:
        return subprocess.run([crane, *words, "--insecure"], check=True, capture_output=True).stdout

    assert run("digest", target).decode().strip() == built["digest"]
    run("validate", "--remote", target)
    assert json.loads(run("config", target))["config"]["Labels"] == {LABEL: "/configs"}
    with tarfile.open(fileobj=io.BytesIO(run("export", target, "-"))) as archive:
        assert "configs/greeter/package.yaml" in archive.getnames()


def test_without_credentials_nothing_is_pushed(rig: Rig) -> None:
    closed = {**access(rig, "closed"), "registry_password": "wrong"}
    reference = f"docker://{rig.registries['closed'].address}/team/other:v1"
    result = called(catalog_build.PROGRAM, catalog=str(EXAMPLES / "catalog"), push=reference, **closed)
    assert result["failed"]
    assert "did not accept user" in result["msg"]


def test_from_two_bundles_to_a_catalog_that_is_installed_from(rig: Rig, tmp_path: Path) -> None:
    address = rig.registries["open"].address
    catalog = str(tmp_path / "catalog")
    before = None
    for name, version in (("greeter", "1.0.0"), ("greeter-1.1.0", "1.1.0")):
        content = image([gzipped(archive_of(EXAMPLES / "bundles" / name))])
        Push(address).push(content, "greeter-bundle", version)
        source = f"docker://{address}/greeter-bundle:{version}"
        added = called(catalog_bundle.PROGRAM, catalog=catalog, source=source, channel="stable", replaces=before)
        assert added["bundle"]["image"] == f"{address}/greeter-bundle@{content.digest}"
        before = added["bundle"]["name"]
    built = called(catalog_build.PROGRAM, catalog=catalog, push=f"docker://{address}/catalog:v1")
    reference = f"docker://{built['reference']}"
    loaded = load_bundle({"catalog": reference, "package": "greeter", "version": "1.1.x"}, SourceOptions())
    assert loaded.bundle.name == "greeter.v1.1.0"
    installed = {"name": "greeter.v1.0.0", "version": "1.0.0"}
    given = {"catalog": reference, "package": "greeter", "installed": installed}
    found = called(catalog_resolve.PROGRAM, **given, upgrade_path=True, compare=True)
    assert [len(hop["changes"]["permissions"]["gained"]) for hop in found["path"]] == [1]
