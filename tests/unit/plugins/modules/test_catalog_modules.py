# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules that read catalogs, called as both ways of starting them do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Program, perform
from ansible_collections.fleet.olm.plugins.modules import catalog_bundle, catalog_info, catalog_resolve
from ansible_collections.fleet.olm.tests.rig.images import gzipped, image, tar
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    bundle,
    chain,
    channel,
    package,
    write,
)
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.server import running

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def called(program: Program, check: bool = False, **options: Any) -> dict[str, Any]:
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(options)
    assert checked.error_messages == []
    return perform(program, Call(checked.validated_parameters, check, diff=True))


def test_resolve() -> None:
    result = called(catalog_resolve.PROGRAM, catalog=str(EXAMPLES / "catalog"), package="greeter", channels=["stable"])
    assert result["bundle"] == {
        "name": "greeter.v1.1.0",
        "package": "greeter",
        "version": "1.1.0",
        "release": None,
        "image": "registry.example.com/greeter-bundle:1.1.0",
        "channels": ["candidate", "stable"],
        "deprecated": None,
        "catalog": str(EXAMPLES / "catalog"),
    }
    assert result["changed"] is False


def test_a_catalog_that_is_on_no_cluster_needs_no_way_to_one() -> None:
    without = {"catalog": str(EXAMPLES / "catalog"), "unreachable_reason": "it has no credentials"}
    assert called(catalog_resolve.PROGRAM, package="greeter", **without)["bundle"]
    assert called(catalog_info.PROGRAM, **without)["packages"]


def test_a_refusal_says_why_and_what_would_work() -> None:
    result = called(catalog_resolve.PROGRAM, catalog=str(EXAMPLES / "catalog"), package="greeter", version="9.x")
    assert result["failed"]
    assert "no version matches" in result["msg"]
    assert result["why"][0]["steps"][1]["kept"] == 0
    assert result["changes"][0]["options"] == {"version": "2.0.0-rc.1"}


def test_deprecations_are_warnings() -> None:
    result = called(catalog_resolve.PROGRAM, catalog=str(EXAMPLES / "catalog"), package="greeter", version="1.0.0")
    assert result["warnings"] == ["bundle greeter.v1.0.0 is deprecated: 1.1.0 greets in more languages."]


def test_a_catalog_of_several_formats_is_warned_of(tmp_path: Path) -> None:
    plain = {
        "source": str(EXAMPLES / "bundles" / "kiali-k8sv1"),
        "image": "registry.example.com/kiali:1",
        "channel": "stable",
    }
    other = {
        "source": str(EXAMPLES / "bundles" / "greeter"),
        "image": "registry.example.com/greeter:1",
        "channel": "stable",
    }
    first = called(catalog_bundle.PROGRAM, catalog=str(tmp_path / "catalog"), **plain)
    assert not any("mixed" in warning for warning in first["warnings"])
    assert {"type": "olm.bundle.mediatype", "value": "k8s+v1"} in first["bundle"]["properties"]
    metadata = next(item["value"] for item in first["bundle"]["properties"] if item["type"] == "olm.csv.metadata")
    assert metadata["displayName"] == "Kiali Operator"
    assert [api["kind"] for api in metadata["crdDescriptions"]["owned"]] == ["Kiali", "MonitoringDashboard"]
    second = called(catalog_bundle.PROGRAM, catalog=str(tmp_path / "catalog"), **other)
    assert second["warnings"][-1] == (
        f"catalog {tmp_path / 'catalog'} holds bundles of the format k8s+v1, such as kiali-operator.v1.9.1; with greeter.v1.0.0 of the format "
        "registry+v1 it is mixed, and clusters that do not know one of the formats cannot install what has it"
    )
    again = called(catalog_bundle.PROGRAM, catalog=str(tmp_path / "catalog"), **plain)
    assert not again["changed"]
    assert again["warnings"][-1] == (
        f"catalog {tmp_path / 'catalog'} holds bundles of the format registry+v1, such as greeter.v1.0.0; with kiali-operator.v1.9.1 of the "
        "format k8s+v1 it is mixed, and clusters that do not know one of the formats cannot install what has it"
    )


@pytest.mark.parametrize("files", [[], [".git/HEAD"], [".gitkeep"]])
def test_the_first_bundle_of_a_catalog_is_mixed_with_nothing(tmp_path: Path, files: list[str]) -> None:
    directory = tmp_path / "catalog"
    directory.mkdir()
    for name in files:
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).touch()
    source = str(EXAMPLES / "bundles" / "kiali-k8sv1")
    result = called(catalog_bundle.PROGRAM, catalog=str(directory), source=source, image="x/kiali:1", channel="stable")
    assert result["files"] == ["kiali-operator/catalog.yaml"]
    assert not any("mixed" in warning for warning in result["warnings"])


def test_a_bundle_that_changes_its_format_is_not_mixed_with_itself(tmp_path: Path) -> None:
    directory = write(tmp_path / "catalog", chain("1.0.0"))
    text = (directory / "catalog.json").read_text()
    plain = {"type": "olm.bundle.mediatype", "value": "k8s+v1"}
    (directory / "catalog.json").write_text(text.replace('"properties": [', f'"properties": [{json.dumps(plain)}, '))
    source = str(EXAMPLES / "bundles" / "greeter")
    given = {"catalog": str(directory), "source": source, "image": "example.com/greeter:1", "channel": "stable"}
    result = called(catalog_bundle.PROGRAM, **given)
    assert result["changed"]
    assert "warnings" not in result


def test_a_deprecated_bundle_is_removed_from_a_catalog_that_stays_valid(tmp_path: Path) -> None:
    directory = tmp_path / "catalog"
    shutil.copytree(EXAMPLES / "catalog", directory)
    given = {"catalog": str(directory), "state": "absent", "package": "greeter", "name": "greeter.v1.0.0"}
    predicted = called(catalog_bundle.PROGRAM, check=True, **given)
    assert (directory / "greeter" / "deprecations.yaml").exists()
    first, second = called(catalog_bundle.PROGRAM, **given), called(catalog_bundle.PROGRAM, **given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["diff"] == predicted["diff"]
    assert "greeter/deprecations.yaml" in first["files"]
    assert not (directory / "greeter" / "deprecations.yaml").exists()
    listed = called(catalog_info.PROGRAM, catalog=str(directory), validate="strict")
    assert not listed.get("failed"), listed["msg"]


@pytest.mark.parametrize(
    ("given", "entry"),
    [
        ({}, {"name": "kiali-operator.v1.9.1", "replaces": "kiali-operator.v1.9.0"}),
        ({"replaces": "kiali-operator.v1.8.0"}, {"name": "kiali-operator.v1.9.1", "replaces": "kiali-operator.v1.8.0"}),
        ({"replaces": ""}, {"name": "kiali-operator.v1.9.1"}),
    ],
)
def test_a_bundle_says_what_it_replaces(given: dict[str, str], entry: dict[str, str], tmp_path: Path) -> None:
    bundle, catalog = tmp_path / "bundle", tmp_path / "catalog"
    shutil.copytree(EXAMPLES / "bundles" / "kiali-k8sv1", bundle)
    (bundle / "olm.yaml").write_text((bundle / "olm.yaml").read_text() + "replaces: kiali-operator.v1.9.0\n")
    options = {"source": str(bundle), "image": "registry.example.com/kiali:1", "channel": "stable", **given}
    called(catalog_bundle.PROGRAM, catalog=str(catalog), **options)
    documents = yaml.safe_load_all((catalog / "kiali-operator" / "catalog.yaml").read_text())
    assert next(one for one in documents if one["schema"] == "olm.channel")["entries"] == [entry]


UPGRADES = {"replaces": "greeter.v0.9.0", "skips": ["greeter.v0.9.1", "greeter.v0.9.2"], "skipRange": ">=0.8.0 <1.0.0"}


@pytest.mark.parametrize(
    ("given", "entry"),
    [
        ({}, UPGRADES),
        ({"skips": ["greeter.v0.9.3"]}, {**UPGRADES, "skips": ["greeter.v0.9.3"]}),
        ({"skip_range": "<1.0.0"}, {**UPGRADES, "skipRange": "<1.0.0"}),
        ({"replaces": "", "skips": [], "skip_range": ""}, {}),
    ],
)
def test_a_bundle_says_what_can_be_upgraded_to_it(given: dict[str, Any], entry: dict[str, Any], tmp_path: Path) -> None:
    catalog = tmp_path / "catalog"
    options = {"source": greeter_with_upgrades(tmp_path, UPGRADES["skipRange"]), "image": "x/greeter:1", **given}
    called(catalog_bundle.PROGRAM, catalog=str(catalog), **options)
    documents = yaml.safe_load_all((catalog / "greeter" / "catalog.yaml").read_text())
    listed = next(one for one in documents if one["schema"] == "olm.channel")["entries"]
    assert listed == [{"name": "greeter.v1.0.0", **entry}]


def test_a_range_that_a_bundle_says_and_nobody_can_read(tmp_path: Path) -> None:
    options = {
        "source": greeter_with_upgrades(tmp_path, "~1"),
        "image": "x/greeter:1",
        "catalog": str(tmp_path / "catalog"),
    }
    message = "skip_range: the bundle's annotation olm.skipRange: '~1' is no range of versions"
    assert called(catalog_bundle.PROGRAM, **options)["msg"].startswith(message)
    assert called(catalog_bundle.PROGRAM, **options, skip_range="")["changed"]


def greeter_with_upgrades(tmp_path: Path, skip_range: Any) -> str:
    bundle = shutil.copytree(EXAMPLES / "bundles" / "greeter", tmp_path / "bundle")
    path = next(bundle.glob("manifests/*clusterserviceversion.yaml"))
    csv = yaml.safe_load(path.read_text())
    csv["metadata"].setdefault("annotations", {})["olm.skipRange"] = skip_range
    csv["spec"].update({"replaces": UPGRADES["replaces"], "skips": UPGRADES["skips"]})
    path.write_text(yaml.safe_dump(csv))
    return str(bundle)


def test_no_way() -> None:
    installed = {"name": "greeter.v2.0.0-rc.1", "version": "2.0.0-rc.1"}
    given = {"catalog": str(EXAMPLES / "catalog"), "package": "greeter", "installed": installed}
    result = called(catalog_resolve.PROGRAM, **given, version="1.0.0", upgrade_path=True)
    assert "no upgrades lead from greeter.v2.0.0-rc.1 to greeter.v1.0.0" in result["msg"]
    result = called(catalog_resolve.PROGRAM, **given, version=">=3", rollback=True)
    assert "nothing older than 2.0.0-rc.1" in result["msg"]


def bundle_image(name: str) -> Any:
    root = EXAMPLES / "bundles" / name
    return image(
        [
            gzipped(
                tar(
                    {
                        str(path.relative_to(root)): path.read_bytes()
                        for path in sorted(root.rglob("*"))
                        if path.is_file()
                    }
                )
            )
        ]
    )


def test_what_each_hop_changes(tmp_path: Path) -> None:
    with running({}) as server:
        blobs = chain("1.0.0", "1.1.0")[:2]
        for version, name in (("1.0.0", "greeter"), ("1.1.0", "greeter-1.1.0")):
            blobs.append(bundle(version, image=server.hold(bundle_image(name), "greeter", version)))
        installed = {"name": "greeter.v1.0.0", "version": "1.0.0"}
        directory = str(write(tmp_path / "catalog", blobs))
        result = called(
            catalog_resolve.PROGRAM,
            catalog=directory,
            package="greeter",
            installed=installed,
            upgrade_path=True,
            compare=True,
        )
    assert [hop["version"] for hop in result["path"]] == ["1.1.0"]
    assert len(result["path"][0]["changes"]["permissions"]["gained"]) == 1


def test_the_graph_is_written_once_and_never_in_check_mode(tmp_path: Path) -> None:
    dest = tmp_path / "greeter.mmd"
    given = {"catalog": str(EXAMPLES / "catalog"), "package": "greeter", "graph": "mermaid", "graph_dest": str(dest)}
    predicted = called(catalog_info.PROGRAM, check=True, **given)
    assert predicted["changed"]
    assert not dest.exists()
    first, second = called(catalog_info.PROGRAM, **given), called(catalog_info.PROGRAM, **given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["diff"] == predicted["diff"]
    assert dest.read_text() == first["graph"]


def test_one_channel_of_the_graph() -> None:
    given = {"catalog": str(EXAMPLES / "catalog"), "package": "greeter", "graph": "data"}
    result = called(catalog_info.PROGRAM, **given, channels=["stable"])
    assert [node["version"] for node in result["graph"]["nodes"]] == ["1.0.0", "1.1.0"]
    result = called(catalog_info.PROGRAM, **given, channels=["beta"])
    assert result["msg"] == "channels: beta is not in package greeter; there are candidate, stable"


def test_validation(tmp_path: Path) -> None:
    given = {"catalog": str(write(tmp_path / "catalog", [package(), channel("stable", "1.0.0")]))}
    result = called(catalog_info.PROGRAM, **given, validate="report")
    assert [problem["message"] for problem in result["problems"]] == ["has an entry without a bundle of this name"]
    result = called(catalog_info.PROGRAM, **given, validate="strict")
    assert result["failed"]
    assert len(result["problems"]) == 1
    assert "channel stable" in result["msg"]


def test_icons_and_properties_only_where_asked_for(tmp_path: Path) -> None:
    icon = {"base64data": "AAAA", "mediatype": "image/png"}
    manifest = {"type": "olm.bundle.object", "value": {"data": "e30="}}
    blobs = [package(icon=icon), channel("stable", "1.0.0"), bundle("1.0.0", manifest)]
    given = {"catalog": str(write(tmp_path / "catalog", blobs)), "package": "greeter"}
    plain = called(catalog_info.PROGRAM, **given)["packages"][0]
    assert "icon" not in plain
    assert "properties" not in plain["bundles"][0]
    full = called(catalog_info.PROGRAM, **given, icon=True, properties=True)["packages"][0]
    assert full["icon"] == icon
    assert [item["type"] for item in full["bundles"][0]["properties"]] == ["olm.package"]


@pytest.mark.parametrize(
    ("program", "options", "message"),
    [
        (catalog_info.PROGRAM, {"graph": "data"}, "missing parameter(s) required by 'graph': package"),
        (
            catalog_info.PROGRAM,
            {"package": "x", "graph_dest": "y"},
            "missing parameter(s) required by 'graph_dest': graph",
        ),
        (
            catalog_resolve.PROGRAM,
            {"package": "x", "rollback": True},
            "rollback is True but all of the following are missing: installed",
        ),
    ],
)
def test_options_that_need_others(program: Program, options: dict[str, Any], message: str) -> None:
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(
        {"catalog": "x", **options}
    )
    assert checked.error_messages == [message]


def test_a_bundle_is_put_into_a_catalog_once_and_never_in_check_mode(tmp_path: Path) -> None:
    directory = tmp_path / "catalog"
    image = "registry.example.com/greeter-bundle:1.0.0"
    given = {"catalog": str(directory), "source": str(EXAMPLES / "bundles" / "greeter"), "image": image}
    predicted = called(catalog_bundle.PROGRAM, check=True, **given)
    assert predicted["changed"]
    assert not directory.exists()
    first, second = called(catalog_bundle.PROGRAM, **given), called(catalog_bundle.PROGRAM, **given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["diff"] == predicted["diff"]
    assert second["diff"] == []
    assert first["files"] == ["greeter/catalog.yaml"]
    listed = called(catalog_info.PROGRAM, catalog=str(directory), package="greeter", validate="strict")
    assert [one["image"] for one in listed["packages"][0]["bundles"]] == [image]
    gone = called(
        catalog_bundle.PROGRAM, catalog=str(directory), state="absent", package="greeter", name="greeter.v1.0.0"
    )
    assert gone["changed"]
    assert list(directory.iterdir()) == []


def test_the_image_of_a_bundle_in_a_registry_is_its_digest(tmp_path: Path) -> None:
    with running({}) as server:
        content = bundle_image("greeter")
        source = "docker://" + server.hold(content, "greeter", "v1")
        result = called(catalog_bundle.PROGRAM, catalog=str(tmp_path / "catalog"), source=source)
    assert result["bundle"]["image"] == f"{server.address}/greeter@{content.digest}"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "image: is needed, since source is no image in a registry"),
        ({"image": "x", "skip_range": "~1"}, "skip_range: '~1' is no range of versions"),
        ({"image": "x", "default_channel": "beta"}, "its default channel beta does not exist"),
    ],
)
def test_bundles_that_cannot_be_put_into_a_catalog(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    source = str(EXAMPLES / "bundles" / "greeter")
    result = called(catalog_bundle.PROGRAM, catalog=str(tmp_path / "catalog"), source=source, **more)
    assert message in result["msg"]
    assert not (tmp_path / "catalog").exists()
