# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs that change under live custom resources, and conversion webhooks that nobody answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import CRDS, Stage, tea, told
from ansible_collections.fleet.olm.tests.rig.wait import wait_for
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import crd

CRD = f"{CRDS}/teas.drinks.example"
GONE = {"name": "tea", "namespace": "tea-system", "state": "absent", "wait": False}
BACK = {"name": "tea", "namespace": "tea-system", "state": "rolled_back", "wait_for": "applied"}
# Nobody listens there.
CONVERSION = {
    "strategy": "Webhook",
    "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"service": {"namespace": "tea-system", "name": "tea-webhook", "path": "/convert"}},
    },
}


def version(name: str, *, storage: bool = False, required: tuple[str, ...] = (), **fields: str) -> dict[str, Any]:
    properties = {key: {"type": kind} for key, kind in fields.items()}
    spec = {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}
    schema = {"type": "object", "properties": {"spec": spec}}
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}}


def install(stage: Stage, options: dict[str, Any], *teas: tuple[str, dict[str, Any]]) -> None:
    """An extension, and custom resources of it."""
    stage.run(options)
    wait_for(lambda: stage.is_served("/apis/drinks.example/v1/teas"))
    for name, spec in teas:
        content = {"apiVersion": "drinks.example/v1", "kind": "Teas", "metadata": {"name": name}, "spec": spec}
        stage.create("/apis/drinks.example/v1/namespaces/tea-system/teas", content)


@pytest.fixture
def open_teas(tmp_path: Path) -> dict[str, Any]:
    return tea(tmp_path, crd(versions=[version("v1", storage=True, kind="string")]))


@pytest.fixture
def strict_teas(tmp_path: Path) -> dict[str, Any]:
    """The next version, which requires a field."""
    changed = crd(versions=[version("v1", storage=True, required=("kind",), kind="string")])
    return tea(tmp_path, changed, version="1.1.0")


def test_a_new_required_field_is_refused_by_the_names_of_those_without_it(
    open_teas: dict[str, Any], strict_teas: dict[str, Any], stage: Stage
) -> None:
    install(stage, open_teas, ("green", {"kind": "sencha"}), ("plain", {}))
    before = stage.snapshot()

    said = stage.refused(strict_teas)

    assert "teas.drinks.example" in said
    assert "tea-system/plain" in said
    assert "tea-system/green" not in said
    assert "\n" not in said
    assert stage.snapshot() == before
    stage.patch("/apis/drinks.example/v1/namespaces/tea-system/teas/plain", {"spec": {"kind": "assam"}})
    assert stage.run(strict_teas)["notes"] == [
        "CRD teas.drinks.example: 1 change that could matter, no custom resource is affected (2 looked at)"
    ]


def test_a_crd_that_drifted_is_not_mended_where_custom_resources_use_what_others_put_there(
    open_teas: dict[str, Any], stage: Stage
) -> None:
    install(stage, open_teas, ("green", {"kind": "sencha"}))
    versions = stage.read(CRD)["spec"]["versions"]
    versions[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["sugar"] = {"type": "string"}
    stage.patch(CRD, {"spec": {"versions": versions}})
    green = "/apis/drinks.example/v1/namespaces/tea-system/teas/green"

    def sweetened() -> bool:
        stage.patch(green, {"spec": {"sugar": "lots"}})
        return "sugar" in stage.read(green)["spec"]

    wait_for(sweetened)
    before = stage.snapshot()
    said = stage.refused(open_teas)
    assert "teas.drinks.example" in said
    assert "sugar" in said
    assert stage.snapshot() == before
    stage.patch(green, {"spec": {"sugar": None}})
    assert stage.run(open_teas)["changed"]


@pytest.mark.parametrize("safety", ["strict", "warn", "off"])
def test_how_strict_to_be_is_up_to_the_user(
    safety: str, open_teas: dict[str, Any], strict_teas: dict[str, Any], stage: Stage
) -> None:
    install(stage, open_teas, ("plain", {}))
    options = {**strict_teas, "crd_safety": safety}

    result = stage.result(options)

    if safety == "strict":
        assert result["failed"]
        assert "required" in result["msg"]
        return
    assert result["changed"]
    assert [text for text in result.get("warnings", []) if "tea-system/plain" in text] == (
        result["warnings"] if safety == "warn" else []
    )
    assert ("warnings" in result) == (safety == "warn")


def test_strict_refuses_although_no_custom_resource_is_there(
    open_teas: dict[str, Any], strict_teas: dict[str, Any], stage: Stage
) -> None:
    install(stage, open_teas)

    assert "required" in stage.refused({**strict_teas, "crd_safety": "strict"})
    assert stage.run(strict_teas)["changed"]


def test_a_stored_version_cannot_be_dropped_before_it_is_migrated(stage: Stage, tmp_path: Path) -> None:
    first = tea(tmp_path, crd(versions=[version("v1", storage=True)]))
    both = tea(tmp_path, crd(versions=[version("v1"), version("v2", storage=True)]), version="1.1.0")
    second = tea(tmp_path, crd(versions=[version("v2", storage=True)]), version="1.2.0")
    install(stage, first, ("green", {}))

    assert "migrate the storage" in stage.refused(second)
    stage.run(both)
    said = stage.refused(second)
    assert "teas.drinks.example" in said
    assert "take v1 out of status.storedVersions of the CRD" in said
    assert "v1" in stage.refused({**second, "crd_safety": "off"}), "the API server itself does not take it"

    # Written once more, it is stored in the new version; an API server could not even delete what it cannot read.
    wait_for(lambda: stage.is_served("/apis/drinks.example/v2/teas"))
    stage.patch("/apis/drinks.example/v2/namespaces/tea-system/teas/green", {"metadata": {"labels": {"a": "b"}}})
    status = {"status": {"storedVersions": ["v2"]}}
    stage.cluster.request("PATCH", f"{CRD}/status", status, "application/merge-patch+json")
    assert stage.run({**second, "crd_safety": "warn"})["changed"]


def test_a_rollback_that_would_lose_what_custom_resources_use_is_refused(stage: Stage, tmp_path: Path) -> None:
    stage.run(tea(tmp_path, crd(versions=[version("v1", storage=True, kind="string")])))
    richer = crd(versions=[version("v1", storage=True, kind="string", milk="boolean")])
    install(stage, tea(tmp_path, richer, version="1.1.0"), ("white", {"milk": True}))

    said = stage.refused(BACK)

    assert "tea-system/white" in said
    assert stage.refused(BACK, check=True) == said
    stage.delete("/apis/drinks.example/v1/namespaces/tea-system/teas/white")
    assert stage.run(BACK)["changed"]


def converting(directory: Path, number: str, second: dict[str, Any]) -> dict[str, Any]:
    versions = [version("v1", storage=True, kind="string"), second]
    return tea(directory, crd(versions=versions, conversion=CONVERSION), version=number)


def test_custom_resources_that_cannot_be_converted_are_not_guessed_at(stage: Stage, tmp_path: Path) -> None:
    first = converting(tmp_path, "1.0.0", version("v2", kind="string"))
    second = converting(tmp_path, "1.1.0", version("v2", required=("kind",), kind="string"))
    install(stage, first, ("green", {"kind": "sencha"}))

    said = stage.refused(second)

    assert "CRD teas.drinks.example: its custom resources cannot be read in version v2" in said
    assert "see that the conversion webhook (Service tea-system/tea-webhook) answers" in said
    assert "\n" not in said
    warned = stage.run({**second, "crd_safety": "warn"})
    assert any("cannot be read in version v2" in text for text in warned["warnings"])


def test_a_change_that_hurts_nobody_needs_no_conversion(stage: Stage, tmp_path: Path) -> None:
    install(stage, converting(tmp_path, "1.0.0", version("v2", kind="string")), ("green", {}))

    assert stage.run(converting(tmp_path, "1.1.0", version("v2", kind="string", milk="boolean")))["changed"]


def test_a_removal_leaves_custom_resources_that_can_be_read_without_the_webhook(stage: Stage, tmp_path: Path) -> None:
    install(stage, converting(tmp_path, "1.0.0", version("v2", kind="string")), ("green", {"kind": "sencha"}))

    stage.run(GONE)

    assert stage.read(CRD)["spec"]["conversion"] == {"strategy": "None"}
    path = "/apis/drinks.example/v2/namespaces/tea-system/teas/green"
    wait_for(lambda: stage.is_served("/apis/drinks.example/v2/teas"))
    assert stage.read(path)["spec"] == {"kind": "sencha"}
    assert not stage.run(GONE)["changed"]
    # What we set ourselves does not stand in the way when it comes back.
    again = converting(tmp_path, "1.0.0", version("v2", kind="string"))
    assert stage.run(again)["changed"]
    assert stage.read(CRD)["spec"]["conversion"]["strategy"] == "Webhook"
    assert not stage.run(again)["changed"]


def test_a_removal_that_would_make_custom_resources_unreadable_is_refused(stage: Stage, tmp_path: Path) -> None:
    install(stage, converting(tmp_path, "1.0.0", version("v2", kind="string")), ("green", {}))
    status = {"status": {"storedVersions": ["v2", "v1"]}}
    stage.cluster.request("PATCH", f"{CRD}/status", status, "application/merge-patch+json")
    before = stage.snapshot()

    said = stage.refused(GONE)

    assert "custom resources of teas.drinks.example are stored in the versions v2, v1" in said
    assert "migrate them to v1 first" in said
    assert stage.snapshot() == before


def test_a_crd_goes_only_by_name_and_only_without_custom_resources(stage: Stage, open_teas: dict[str, Any]) -> None:
    install(stage, open_teas, ("green", {}), ("plain", {}))
    named = {**GONE, "delete_crds": ["teas.drinks.example"]}

    said = stage.refused(named)

    assert "delete_crds: teas.drinks.example has 2 custom resources (tea-system/green, tea-system/plain)" in said
    stage.run({**named, "delete_custom_resources": ["teas.drinks.example"]})
    wait_for(lambda: stage.read(CRD) is None)


def test_a_custom_resource_that_is_made_during_a_removal_keeps_its_crd(stage: Stage, open_teas: dict[str, Any]) -> None:
    install(stage, open_teas)
    named = {**GONE, "delete_crds": ["teas.drinks.example"]}
    late = {"apiVersion": "drinks.example/v1", "kind": "Teas", "metadata": {"name": "late"}, "spec": {}}
    teas = "/apis/drinks.example/v1/namespaces/default/teas"
    stage.after("DELETE", r".*/deployments/tea-operator.*", lambda: stage.create(teas, late))

    said = stage.broken_off(named, through=True)

    assert (
        "the removal was not finished: delete_crds: teas.drinks.example has 1 custom resources (default/late)" in said
    )
    assert not stage.read(CRD)["metadata"].get("deletionTimestamp")
    assert stage.read(f"{teas}/late") is not None
    assert "has 1 custom resources (default/late)" in stage.refused(named)
    stage.run({**named, "delete_custom_resources": ["teas.drinks.example"]})
    wait_for(lambda: stage.read(CRD) is None)


def test_a_removal_that_is_run_again_keeps_what_the_first_one_saved(
    stage: Stage, open_teas: dict[str, Any], tmp_path: Path
) -> None:
    install(stage, open_teas, ("green", {}), ("white", {}))
    white, target = "/apis/drinks.example/v1/namespaces/tea-system/teas/white", tmp_path / "saved.yaml"
    stage.patch(white, {"metadata": {"finalizers": ["example.com/hold"]}})
    names = ["teas.drinks.example"]
    everything = {**GONE, "delete_crds": names, "delete_custom_resources": names, "backup_dest": str(target)}

    assert "held by finalizer example.com/hold" in stage.broken_off({**everything, "wait": True, "wait_timeout": 1})
    assert "held by finalizer example.com/hold" in stage.broken_off({**everything, "wait": True, "wait_timeout": 1})
    stage.patch(white, {"metadata": {"finalizers": None}})
    wait_for(lambda: stage.read(white) is None)
    ended = stage.run(everything)

    assert (ended["backed_up"], ended["backup_file"]) == (0, None)
    assert saved_names(target) == ["green", "white"]
    assert saved_names(tmp_path / "saved.yaml.1") == ["white"]
    assert sorted(path.name for path in tmp_path.glob("*saved.yaml*")) == ["saved.yaml", "saved.yaml.1"]


def saved_names(path: Path) -> list[str]:
    return [item["metadata"]["name"] for item in yaml.safe_load_all(path.read_text())]


def test_what_is_saved_goes_beside_a_file_that_is_there(
    stage: Stage, open_teas: dict[str, Any], tmp_path: Path
) -> None:
    install(stage, open_teas, ("green", {}))
    target = tmp_path / "saved.yaml"
    target.write_text("of somebody else")

    assert "is a directory; name a file in it" in stage.refused({**GONE, "backup_dest": str(tmp_path)})
    removed = stage.run({**GONE, "backup_dest": str(target)})

    assert (removed["backed_up"], removed["backup_file"]) == (1, f"{target}.1")
    assert target.read_text() == "of somebody else"
    assert saved_names(Path(f"{target}.1")) == ["green"]
    assert Path(f"{target}.1").stat().st_mode & 0o777 == 0o600


def test_a_crd_that_a_bundle_no_longer_has_stays_with_its_data(
    stage: Stage, open_teas: dict[str, Any], tmp_path: Path
) -> None:
    install(stage, open_teas, ("green", {}))
    without = tea(tmp_path, version="1.1.0")

    upgraded = stage.run(without)

    assert told(upgraded, "retain")["CustomResourceDefinition teas.drinks.example"]["why"] == (
        "no longer part of the bundle"
    )
    assert stage.read("/apis/drinks.example/v1/namespaces/tea-system/teas/green") is not None
    assert not stage.run(without)["changed"]
    assert stage.run(open_teas)["changed"], "it can come back"
    assert not stage.run(open_teas)["changed"]
