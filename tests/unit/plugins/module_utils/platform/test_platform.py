# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which PlatformOperators count, what may be one, and what is told of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.platform.operators import (
    Operator,
    creation,
    given_operators,
    live_operator,
    together,
    with_first_claims,
)
from ansible_collections.fleet.olm.plugins.module_utils.platform.restrictions import bundle_problems, package_problems
from ansible_collections.fleet.olm.plugins.module_utils.platform.result import (
    Result,
    aggregate,
    conditions,
    result_of_status,
    with_times,
)
from ansible_collections.fleet.olm.plugins.module_utils.platform.task import install_namespace

NEW, OLD = {"package": {"name": "tea"}}, {"packageName": "tea"}


def manifest(name: str = "tea-time", spec: Any = None, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "platform.openshift.io/v1alpha1",
        "kind": "PlatformOperator",
        "metadata": {"name": name, **metadata},
        "spec": NEW if spec is None else spec,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tea", ("tea", "tea")),
        ({"name": "tea-time", "package": "tea"}, ("tea-time", "tea")),
        ({"name": "tea"}, ("tea", "tea")),
        (manifest(spec=NEW), ("tea-time", "tea")),
        (manifest(spec=OLD), ("tea-time", "tea")),
        (manifest(spec={**NEW, **OLD}), ("tea-time", "tea")),
    ],
)
def test_an_operator_is_named_in_several_ways(given: Any, expected: tuple[str, str]) -> None:
    (found,) = given_operators([given], None)
    assert (found.name, found.package) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([7], "operators[0]: must be the name of a package"),
        ([{"names": "tea"}], "operators[0]: unknown key 'names', did you mean 'name'?"),
        ([{"package": "tea"}], "operators[0]: must have a name"),
        (
            [manifest(spec={})],
            "operators[0]: must name one package, in spec.package.name or spec.packageName, and names none",
        ),
        ([manifest(spec={**NEW, "packageName": "milk"})], "and names two"),
        ([manifest(spec={"packageName": 7})], "must name one package"),
        (
            [{**manifest(), "apiVersion": "v1"}],
            "must be a PlatformOperator of platform.openshift.io/v1alpha1 (got v1 PlatformOperator)",
        ),
        ([manifest(name="")], "the PlatformOperator has no metadata.name"),
        (["tea", "tea"], "operators[1]: PlatformOperator tea is there twice, in operators[0] too"),
    ],
)
def test_what_is_no_operator(given: list[Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        given_operators(given, None)
    assert message in str(caught.value)


def test_a_folder_may_hold_other_objects(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "a.yaml").write_text(
        "kind: FeatureGate\napiVersion: config.openshift.io/v1\nmetadata: {name: cluster}\n---\n"
        "kind: PlatformOperator\napiVersion: platform.openshift.io/v1alpha1\n"
        "metadata: {name: one}\nspec: {packageName: tea}\n"
    )
    (tmp_path / "more" / "b.json").write_text(
        '{"kind": "PlatformOperator", "apiVersion": "platform.openshift.io/v1alpha1", "metadata": {"name": "two"},'
        ' "spec": {"package": {"name": "milk"}}}'
    )
    (tmp_path / "notes.txt").write_text("none of ours")
    assert [(one.name, one.package) for one in given_operators([], str(tmp_path))] == [("one", "tea"), ("two", "milk")]


@pytest.mark.parametrize(
    ("text", "message"),
    [("kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n", "src: there is no PlatformOperator in")],
)
def test_a_folder_without_any(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(OptionError, match=message):
        given_operators([], str(tmp_path))


def test_the_first_by_creation_has_the_package() -> None:
    live = [
        live_operator(manifest("late", creationTimestamp="2026-02-01T00:00:00Z")),
        live_operator(manifest("early", OLD, creationTimestamp="2026-01-01T00:00:00Z")),
        live_operator(manifest("torn", {}, creationTimestamp="2026-01-02T00:00:00Z")),
    ]
    both = together(live, given_operators(["late"], None))
    ordered = sorted(both, key=lambda one: creation(one, one.live))
    found = with_first_claims([*ordered, *given_operators([{"name": "given", "package": "tea"}], None)])
    problem = "package tea belongs to PlatformOperator early, which was created first"
    assert [(one.name, one.package) for one in found] == [
        ("early", "tea"),
        ("torn", ""),
        ("late", "late"),
        ("given", "tea"),
    ]
    assert [one.problem for one in found] == [
        "",
        "PlatformOperator torn: must name one package, in spec.package.name or spec.packageName, and names none",
        "",
        problem,
    ]


@pytest.mark.parametrize(
    ("package", "problem"),
    [
        ("tea", ""),
        ("a" * 56, ""),
        ("a" * 57, "has 57 characters, and 56 is the most"),
        ("Tea", "must be of lower case letters"),
        ("tea-", "must be of lower case letters"),
        ("tea.time", "must be of lower case letters"),
        ("tea\n", "must be of lower case letters"),
    ],
)
def test_names_of_packages(package: str, problem: str) -> None:
    found = package_problems(package)
    assert bool(found) == bool(problem)
    assert all(problem in one for one in found)


def bundle(*modes: str, kind: str = "registry+v1", annotations: Any = None, **spec: Any) -> Bundle:
    installs = [{"type": mode, "supported": True} for mode in modes]
    csv = {
        "metadata": {"name": "tea.v1.0.0", "annotations": annotations or {}},
        "spec": {"installModes": installs, **spec},
    }
    return Bundle(package="tea", csv=csv, format=kind)


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        (bundle("AllNamespaces"), []),
        (bundle("AllNamespaces", "OwnNamespace"), []),
        (bundle("AllNamespaces", kind="k8s+v1"), ["its format is k8s+v1, and must be registry+v1"]),
        (bundle("OwnNamespace"), ["it must support the install mode AllNamespaces, and supports OwnNamespace"]),
        (bundle(), ["it must support the install mode AllNamespaces, and supports no install mode"]),
        (
            bundle("AllNamespaces", customresourcedefinitions={"required": [{"name": "cups.example.com"}]}),
            ["it depends on APIs of other operators: cups.example.com"],
        ),
        (
            bundle("AllNamespaces", apiservicedefinitions={"required": [{"group": "g", "kind": "Cup"}]}),
            ["it depends on APIs of other operators: Cup.g"],
        ),
        (
            bundle("AllNamespaces", webhookdefinitions=[{"generateName": "v.example.com"}]),
            ["it has webhooks: v.example.com"],
        ),
        (
            bundle("AllNamespaces", apiservicedefinitions={"owned": [{"group": "g", "kind": "Cup"}]}),
            ["it has APIServices: Cup.g"],
        ),
    ],
)
def test_what_may_be_a_platform_operator(given: Bundle, problems: list[str]) -> None:
    assert bundle_problems(given) == problems


@pytest.mark.parametrize(
    ("annotations", "namespace"),
    [({}, "tea-system"), ({"operatorframework.io/suggested-namespace": "kitchen"}, "kitchen")],
)
def test_the_suggested_namespace_is_honoured(annotations: dict[str, str], namespace: str) -> None:
    assert install_namespace(bundle("AllNamespaces", annotations=annotations), "tea") == namespace


TEA = Operator("tea-time", "tea", "here")
GOOD = Result(TEA, {"name": "tea.v1.0.0", "version": "1.0.0"})
LOST = Result(Operator("milk", "milk", "here"), failed="Sourced", message="no catalog has\nthis package")
STUCK = Result(Operator("cup", "cup", "here"), {"name": "cup.v1.0.0"}, failed="Installed", message="no pods")
BEGUN = Result(TEA, {"name": "tea.v1.0.0"}, waiting=True)
# What is installed stays where only a newer one failed.
HELD = Result(TEA, failed="Sourced", message="no catalog", kept={"name": "tea.v1.0.0", "version": "1.0.0"})


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (GOOD, [("True", "SourceSuccessful"), ("True", "ApplySuccessful"), ("True", "InstallSuccessful")]),
        (LOST, [("False", "SourceFailed")] * 3),
        (STUCK, [("True", "SourceSuccessful"), ("True", "ApplySuccessful"), ("False", "InstallFailed")]),
        (BEGUN, [("True", "SourceSuccessful"), ("True", "ApplySuccessful"), ("Unknown", "InstallPending")]),
        (HELD, [("False", "SourceFailed"), ("False", "SourceFailed"), ("True", "InstallSuccessful")]),
    ],
)
def test_the_conditions_of_one(result: Result, expected: list[tuple[str, str]]) -> None:
    found = conditions(result)
    assert [one["type"] for one in found] == ["Sourced", "Applied", "Installed"]
    assert [(one["status"], one["reason"]) for one in found] == expected
    assert not any("\n" in one["message"] for one in found)


@pytest.mark.parametrize(
    ("results", "statuses", "words"),
    [
        ([], "True False False", "there are no platform operators"),
        ([GOOD], "True False False", "1 platform operator is installed"),
        ([GOOD, LOST, STUCK], "False False True", "not installed: milk (no catalog has this package); cup (no pods)"),
        ([GOOD, BEGUN], "False True False", "not installed: tea-time (not waited for)"),
        ([HELD], "True False True", "1 platform operator is installed"),
    ],
)
def test_the_state_of_all(results: list[Result], statuses: str, words: str) -> None:
    found = aggregate(results, {})
    assert [one["type"] for one in found["conditions"]] == ["Available", "Progressing", "Degraded"]
    assert [one["status"] for one in found["conditions"]] == statuses.split()
    assert found["conditions"][0]["message"] == words
    assert found["versions"] == [{"name": "tea-time", "version": "1.0.0"} for one in results if one in (GOOD, HELD)]


def test_what_a_status_says_is_what_became_of_it() -> None:
    for result in (GOOD, LOST, STUCK, BEGUN, HELD):
        live = {"status": {"conditions": conditions(result), "activeBundleDeployment": result.active}}
        read = result_of_status(replace(result.operator, live=live))
        versions = {result.operator.name: "1.0.0"}
        assert aggregate([read], versions) == aggregate([result], {})
    new = result_of_status(replace(GOOD.operator, live={}))
    assert [one["status"] for one in aggregate([new], {})["conditions"]] == ["False", "True", "False"]


def test_the_time_of_a_condition_is_that_of_its_status() -> None:
    before = [
        {"type": "A", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "old"},
        {"type": "B", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "Other", "status": "True"},
    ]
    wanted = [{"type": "A", "status": "True", "message": "new"}, {"type": "B", "status": "False"}]
    first, second, other = with_times(wanted, before, 3)
    assert first == {**wanted[0], "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 3}
    assert second["lastTransitionTime"] > "2026-01-01T00:00:00Z"
    assert other == before[2]
