# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lock: what is pinned, what moves it, and what it refuses to take for the same."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.description import described
from ansible_collections.fleet.olm.plugins.module_utils.fleet.lock import Answer, Request, lock_fleet
from ansible_collections.fleet.olm.plugins.module_utils.fleet.lock_file import SCHEMA, Locked, lock_text, read_lock
from ansible_collections.fleet.olm.plugins.modules.fleet_lock import PROGRAM

BUNDLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("greeter", "greeter-1.1.0", "stamper"):
        shutil.copytree(BUNDLES / name, tmp_path / name)
    return tmp_path


def greeter(place: Path, bundle: str = "greeter", **more: Any) -> dict[str, Any]:
    return {"name": "greeter", "namespace": "greeter-system", "source": str(place / bundle), **more}


def locked(place: Path, fleet: dict[str, list[dict[str, Any]]], **how: Any) -> Answer:
    """One run: the lock file is read, and written where it is to be."""
    path = place / "fleet.lock.yml"
    held = read_lock(str(path))
    wanted = {cluster: described(entries, {}) for cluster, entries in fleet.items()}
    answer = lock_fleet(Request(wanted, held, SourceOptions(cache_directory=str(place / "cache")), **how))
    if not answer.problems and (held is None or how.get("update")):
        path.write_text(lock_text(answer.entries))
    return answer


def of_package(**wanted: Any) -> dict[str, Any]:
    return {"name": "greeter", "namespace": "greeter-system", "package": "greeter", **wanted}


def lock_packages(place: Path, *wanted: dict[str, Any]) -> None:
    """Write a lock as if catalogs had led to the greeter of the examples."""
    (entry,) = locked(place, {"one": [greeter(place)]}).entries
    entries = [replace(entry, wanted={"package": "greeter", **one}) for one in wanted]
    (place / "fleet.lock.yml").write_text(lock_text(entries))


def module(place: Path, operators: dict[str, Any], **options: Any) -> dict[str, Any]:
    """One call of fleet_lock."""
    given = {"operators": operators, "path": str(place / "fleet.lock.yml"), **options}
    checked = ArgumentSpecValidator(dict(PROGRAM.argument_spec)).validate(given)
    assert checked.error_messages == []
    return perform(PROGRAM, Call(checked.validated_parameters, check_mode=False, diff=False))


def test_a_second_run_holds_what_the_first_wrote(place: Path) -> None:
    fleet = {
        "one": [greeter(place)],
        "two": [greeter(place, config={"deploymentConfig": {"nodeSelector": {"a": "b"}}})],
    }
    first = locked(place, fleet)
    text = (place / "fleet.lock.yml").read_text()
    second = locked(place, fleet)
    assert not first.problems
    assert not second.problems
    assert first.extensions == second.extensions
    assert lock_text(second.entries) == text
    assert [entry.bundle["version"] for entry in second.entries] == ["1.0.0"]
    assert len(second.entries[0].renderings) == 2
    assert "may read, list and watch Namespaces in all namespaces (service account greeter)" in text


def test_one_bundle_for_many_clusters_is_read_and_rendered_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.fleet.olm.plugins.module_utils.fleet import lock as module

    calls: list[str] = []
    for name in ("load_bundle", "render"):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, _real=real, _name=name: calls.append(_name) or _real(*given))
    locked(place, {f"cluster-{number}": [greeter(place)] for number in range(50)})
    assert sorted(calls) == ["load_bundle", "render"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "description",
            "one: greeter: wanted is {place}/greeter-1.1.0, and the lock holds it for {place}/greeter; run with update_lock=true to accept that",
        ),
        (
            "configuration",
            "one: greeter: the lock has no rendering of it for namespace greeter-system with this configuration; run with update_lock=true to accept that",
        ),
        (
            "namespace",
            "one: greeter: the lock has no rendering of it for namespace elsewhere with this configuration; run with update_lock=true to accept that",
        ),
        (
            "another",
            "one: stamper: wanted is {place}/stamper, and the lock does not hold it; run with update_lock=true to accept that",
        ),
    ],
)
def test_nothing_moves_that_is_not_in_the_lock(place: Path, change: str, said: str) -> None:
    locked(place, {"one": [greeter(place)]})
    stamper = {"name": "stamper", "namespace": "s", "source": str(place / "stamper")}
    moved = {
        "description": [greeter(place, "greeter-1.1.0")],
        "configuration": [greeter(place, config={"deploymentConfig": {"nodeSelector": {"a": "b"}}})],
        "namespace": [greeter(place, namespace="elsewhere")],
        "another": [greeter(place), stamper],
    }[change]
    assert list(locked(place, {"one": moved}).problems) == [said.format(place=place)]
    assert not locked(place, {"one": moved}, update=True).problems
    assert not locked(place, {"one": moved}).problems


def test_a_bundle_that_was_changed_under_the_lock_is_refused(place: Path) -> None:
    locked(place, {"one": [greeter(place)]})
    (place / "greeter" / "manifests" / "extra.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n"
    )
    [problem] = locked(place, {"one": [greeter(place)]}).problems
    assert problem.startswith(f"one: greeter: {place}/greeter is not what was locked: its digest is sha256:")


@pytest.mark.parametrize(("part", "edited"), [("version", "1.1.0"), ("name", "greeter.v1.1.0")])
def test_a_lock_that_was_edited_by_hand_is_refused(place: Path, part: str, edited: str) -> None:
    locked(place, {"one": [greeter(place)]})
    path = place / "fleet.lock.yml"
    document = yaml.safe_load(path.read_text())
    document["extensions"][0]["bundle"][part] = edited
    path.write_text(yaml.safe_dump(document))
    held = {"name": "greeter.v1.0.0", "version": "1.0.0", part: edited}
    assert list(locked(place, {"one": [greeter(place)]}).problems) == [
        f"one: greeter: the lock has {held['name']} {held['version']} with the digest of greeter.v1.0.0 1.0.0, as after an edit by hand; "
        "to move it, change the version in fleet_operators and run with update_lock=true"
    ]


def test_what_is_no_longer_described_is_told(place: Path) -> None:
    stamper = {"name": "stamper", "namespace": "s", "source": str(place / "stamper")}
    module(place, {"one": [greeter(place), stamper]})
    left = "stamper was locked and is no longer in fleet_operators: it stays where it is installed. To remove it, describe it again and run "
    left += "fleet.olm.remove -e extensions=stamper first"
    told = [f"{left}; update_lock=true takes it out of the lock"]
    assert module(place, {"one": [greeter(place)]})["warnings"] == told
    # Others may have it: clusters of another slice, and those that could not be read.
    assert "warnings" not in module(place, {"one": [greeter(place)]}, partial=True)
    assert "warnings" not in module(place, {"one": [greeter(place)], "two": [{}]}, strict=False)
    assert module(place, {"one": [greeter(place)]}, update=True)["warnings"] == [left]
    assert "warnings" not in module(place, {"one": [greeter(place)]})


def test_an_update_tells_what_moves_and_what_it_gains(place: Path) -> None:
    locked(place, {"one": [greeter(place)]})
    answer = locked(place, {"one": [greeter(place, "greeter-1.1.0")]}, update=True)
    assert list(answer.moves) == [
        {
            "name": "greeter",
            "from": "1.0.0",
            "to": "1.1.0",
            "permissions_gained": ["may read and list Secrets in all namespaces (service account greeter)"],
        }
    ]


def test_a_configuration_that_does_not_fit_names_all_its_clusters(place: Path) -> None:
    wrong = greeter(place, config={"watchNamespaces": "x"})
    answer = locked(place, {"one": [greeter(place)], "two": [wrong], "three": [wrong]})
    assert list(answer.problems) == [
        "two, three: greeter: invalid bundle configuration: unknown key 'watchNamespaces', did you mean 'watchNamespace'?"
    ]
    assert [len(found) for found in answer.extensions.values()] == [1, 0, 0]


def test_two_extensions_that_bring_the_same_object_collide(place: Path) -> None:
    twin = greeter(place, name="twin")
    problems = locked(place, {"one": [greeter(place), twin]}).problems
    assert "one: greeter and twin both bring Deployment greeter-system/greeter-controller" in problems
    assert not any("CustomResourceDefinition" in problem for problem in problems)


ENTRY = "{name: a, wanted: {source: x}, bundle: {name: b, version: v, source: s, digest: d}, permissions: [], renderings: []}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "lock {path}: not valid YAML"),
        ("a: b", "lock {path} is no lock file: schema is None, not fleet.olm/lock.v1"),
        ("", "lock {path} is empty"),
        ("schema: fleet.olm/lock.v1", "lock {path}: extensions is missing"),
        (
            "schema: fleet.olm/lock.v1\nextensions: 5",
            "lock {path}: extensions must be a list of mappings, and is 5",
        ),
        (
            "schema: fleet.olm/lock.v1\nextensions: [1]",
            "lock {path}: extensions must be a list of mappings, and is [1]",
        ),
        ("schema: fleet.olm/lock.v1\nextensions: [{name: a}]", "lock {path}: extensions[0].wanted is missing"),
        (
            "schema: fleet.olm/lock.v1\nextensions: [{name: a, wanted: greeter}]",
            "lock {path}: extensions[0].wanted must be a mapping, and is 'greeter'",
        ),
        (
            "schema: fleet.olm/lock.v1\nextensions: [{name: a, wanted: {foo: bar}}]",
            "lock {path}: extensions[0].wanted has neither source nor package",
        ),
        (
            "schema: fleet.olm/lock.v1\nextensions: [{name: a, wanted: {source: x}, bundle: {name: b}}]",
            "lock {path}: extensions[0].bundle.version is missing",
        ),
        (
            f"schema: fleet.olm/lock.v1\nextensions: [{ENTRY}, {ENTRY}]",
            "lock {path}: extensions[1] is a for the same wish once more",
        ),
        ("\0", "lock {path}"),
    ],
)
def test_a_file_that_is_no_lock_is_refused_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "fleet.lock.yml"
    path.write_text(text)
    with pytest.raises(FleetError) as refused:
        read_lock(str(path))
    assert str(refused.value).startswith(said.format(path=path))
    assert "\n" not in str(refused.value)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything is in nested data."""
    if way:
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*way, key))


def changed(document: Any, way: tuple[Any, ...], *value: Any) -> Any:
    """A copy with another value in a place, or with nothing there."""
    copied = copy.deepcopy(document)
    holder = copied
    for key in way[:-1]:
        holder = holder[key]
    del holder[way[-1]]
    if value and isinstance(holder, list):
        holder.insert(way[-1], *value)
    elif value:
        holder[way[-1]] = value[0]
    return copied


def test_whatever_stands_anywhere_in_a_lock_is_told_in_lines(place: Path) -> None:
    lock_packages(place, {"catalog": str(place / "none"), "version": "1.0.0", "channels": ["stable"]})
    path = place / "fleet.lock.yml"
    document = yaml.safe_load(path.read_text())
    wrong: tuple[Any, ...] = (None, 5, 1.5, True, "x", [], ["x"], [5], {}, {"foo": "bar"}, {1: 2, "a": 3})
    damaged = [changed(document, way, value) for way in places(document) for value in wrong]
    damaged += [changed(document, way) for way in places(document)]
    for given in damaged:
        path.write_text(yaml.safe_dump(given))
        for version, update in (("1.0.0", False), ("1.1.0", False), ("1.1.0", True)):
            wanted = of_package(catalog=str(place / "none"), version=version, channels=["stable"])
            result = module(place, {"one": [wanted]}, ask_catalogs=False, update=update)
            assert "\n" not in result.get("msg", ""), given


DAMAGED = {
    "no YAML": b"<<<<<<< HEAD\nschema: fleet.olm/lock.v1\n",
    "no text": b"\xff\xfe",
    "nothing": b"",
    "another type": b"schema: fleet.olm/lock.v1\nextensions: 5\n",
    "no bundle": b"schema: fleet.olm/lock.v1\nextensions: [{name: greeter, wanted: {source: x}}]\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_lock_is_written_anew_where_that_is_asked_for(place: Path, name: str) -> None:
    path, fleet = place / "fleet.lock.yml", {"one": [greeter(place)]}
    path.write_bytes(DAMAGED[name])
    refused = module(place, fleet)
    assert refused["msg"].startswith(f"lock {path}")
    assert refused["msg"].endswith("; write the file anew with update_lock=true")
    assert module(place, fleet, update=True, partial=True)["msg"].startswith(
        f"lock {path} cannot be updated from a part"
    )
    assert path.read_bytes() == DAMAGED[name]
    anew = module(place, fleet, update=True)
    assert anew["changed"]
    (warning,) = anew["warnings"]
    assert warning.startswith(f"lock {path}")
    assert warning.endswith("; it counts as none, so that packages may move to any version that fits")
    again = module(place, fleet, update=True)
    assert not again["changed"]
    assert "warnings" not in again


def test_a_file_that_never_was_a_lock_is_not_overwritten(place: Path) -> None:
    (place / "fleet.lock.yml").write_text("all: {hosts: {one: }}\n")
    result = module(place, {"one": [greeter(place)]}, update=True)
    assert result["msg"] == f"lock {place}/fleet.lock.yml is no lock file: schema is None, not {SCHEMA}"
    assert (place / "fleet.lock.yml").read_text() == "all: {hosts: {one: }}\n"


def test_the_same_fleet_in_another_order_gives_the_same_bytes(place: Path) -> None:
    fleet = {name: [greeter(place, config={"watchNamespace": name})] for name in ("b", "a")}
    first, second = (
        lock_text(locked(place, dict(order), update=True).entries) for order in (fleet.items(), reversed(fleet.items()))
    )
    assert first.index("in namespace a ") < first.index("in namespace b ")
    assert first == second


def test_what_is_wanted_is_written_in_one_order_only() -> None:
    ways = (
        {"catalog": {"catalog": "c", "name": "n"}, "package": "p"},
        {"package": "p", "catalog": {"name": "n", "catalog": "c"}},
    )
    assert len({lock_text([Locked("p", wanted, {}, "", (), ())]) for wanted in ways}) == 1


def test_a_policy_goes_where_the_extension_goes(place: Path) -> None:
    policy = {"upgrade_constraint_policy": "SelfCertified"}
    lock_packages(place, {"catalog": "a"}, {"catalog": "a", **policy})
    fleet = {"one": [of_package(catalog="a", engine="olm", **policy)], "two": [of_package(catalog="a", engine="olm")]}
    answer = locked(place, fleet, ask_catalogs=False)
    assert not answer.problems
    assert answer.extensions["one"][0]["upgrade_constraint_policy"] == "SelfCertified"
    assert "upgrade_constraint_policy" not in answer.extensions["two"][0]


def test_each_cluster_has_its_own_catalog_and_else_that_of_all(place: Path) -> None:
    lock_packages(place, {"catalog": "edge"}, {"catalog": "prod"}, {"catalog": "all"}, {"catalog": "own"})
    fleet = {name: [of_package()] for name in ("one", "two", "three")} | {"four": [of_package(catalog="own")]}
    catalogs = {"one": "edge", "two": "prod", "three": "", "four": "edge"}
    result = module(place, fleet, catalogs=catalogs, catalog="all", ask_catalogs=False)
    found = {cluster: listed[0]["catalog"] for cluster, listed in result["extensions"].items()}
    assert found == {"one": "edge", "two": "prod", "three": "all", "four": "own"}


@pytest.mark.parametrize(
    ("held", "wanted", "said"),
    [
        (
            {"catalog": "edge", "version": "1.x"},
            {"catalog": "prod", "version": "1.x"},
            'wanted is greeter 1.x with catalog "prod", and the lock holds it for greeter 1.x with catalog "edge"',
        ),
        (
            {"catalog": "edge"},
            {"catalog": "edge", "upgrade_constraint_policy": "SelfCertified"},
            'wanted is greeter in any version with upgrade_constraint_policy "SelfCertified", and the lock holds it for '
            "greeter in any version with no upgrade_constraint_policy",
        ),
        (
            {"catalog": "edge", "version": "1.0.0"},
            {"catalog": "prod", "version": "1.x", "channels": "stable"},
            "wanted is greeter 1.x in stable, and the lock holds it for greeter 1.0.0",
        ),
    ],
)
def test_what_is_wanted_and_what_is_locked_are_told_apart(
    place: Path, held: dict[str, Any], wanted: dict[str, Any], said: str
) -> None:
    lock_packages(place, held)
    answer = locked(place, {"one": [of_package(**wanted)]}, ask_catalogs=False)
    assert list(answer.problems) == [f"one: greeter: {said}; run with update_lock=true to accept that"]


@pytest.mark.parametrize(
    "rules", [[{"from": "a", "to": "b"}], ["registry"], [{"source": 5, "mirror": "b"}], "registry", 5]
)
def test_mirrors_that_are_none_are_told_in_a_line(place: Path, rules: Any) -> None:
    answer = locked(place, {"one": [greeter(place, image_mirrors=rules)]})
    assert list(answer.problems) == [
        "one: greeter: image_mirrors must be a list of mappings with source and mirror",
    ]
