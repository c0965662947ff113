# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What people write into fleet_operators, and what is said about it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.description import described, described_fleet


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "namespace": f"{name}-system", "source": f"bundles/{name}", **more}


def names(entries: list[dict[str, Any]], labels: dict[str, Any] | None = None) -> list[str]:
    return [one.name for one in described(entries, labels or {})]


@pytest.mark.parametrize(
    ("entries", "order"),
    [
        ([entry("b", needs=["a"]), entry("a")], ["a", "b"]),
        ([entry("c"), entry("a"), entry("b")], ["c", "a", "b"]),
        ([entry("a", wave=2), entry("b", wave=1), entry("c")], ["c", "b", "a"]),
        (
            [entry("d", needs=["b", "c"]), entry("c", needs=["a"]), entry("b", needs=["a"]), entry("a")],
            ["a", "c", "b", "d"],
        ),
    ],
)
def test_each_comes_after_what_it_needs_and_else_as_written(entries: list[dict[str, Any]], order: list[str]) -> None:
    assert names(entries) == order


@pytest.mark.parametrize(
    ("when", "labels", "meant"),
    [
        (None, {}, True),
        ({"env": "prod"}, {"env": "prod"}, True),
        ({"env": "prod"}, {"env": "edge"}, False),
        ({"env": "prod"}, {}, False),
        ({"env": ["prod", "stage"]}, {"env": "stage"}, True),
        ({"env": "prod", "region": "eu"}, {"env": "prod"}, False),
        ({"size": 3}, {"size": "3"}, True),
        ({"matchLabels": {"env": "prod"}}, {"env": "prod"}, True),
        ({"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}, {"env": "prod"}, False),
    ],
)
def test_labels_say_which_clusters_are_meant(when: Any, labels: dict[str, Any], meant: bool) -> None:
    assert names([entry("a", when=when)], labels) == (["a"] if meant else [])


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("greeter", "fleet_operators must be a list of extensions"),
        (["greeter"], "fleet_operators[0] must be a mapping with name, namespace, and package or source"),
        ([entry("a", colour="x")], "fleet_operators[0]: 'colour' is unknown"),
        ([entry("a", need=["b"])], "fleet_operators[0]: 'need' is unknown, did you mean 'needs'?"),
        ([{"namespace": "x", "source": "s"}], "fleet_operators[0].name is missing"),
        ([{"name": "a", "source": "s"}], "fleet_operators[0].namespace is missing"),
        ([{"name": "a", "namespace": "x"}], "fleet_operators[0] must have either package or source"),
        ([entry("a", package="a")], "fleet_operators[0] must have either package or source"),
        ([entry("a", version="1.x")], "fleet_operators[0].version is for packages, and a source is given"),
        (
            [entry("a", engine="olm")],
            "fleet_operators[0]: OLM v1 installs packages of catalogs; give package instead of source, or engine: direct",
        ),
        ([entry("a", engine="helm")], "fleet_operators[0].engine is 'helm'; it must be auto, olm, direct"),
        (
            [{"name": "a", "namespace": "x", "package": "a"}],
            "fleet_operators[0].catalog is missing; name it here, or once in fleet_catalog",
        ),
        ([entry("a", wave="first")], "fleet_operators[0].wave is 'first'; it must be a whole number"),
        ([entry("a", needs="b")], "fleet_operators[0].needs must be a list of names"),
        (
            [entry("a", when="env=prod")],
            "fleet_operators[0].when must be a mapping of labels, such as {env: prod}, or have matchLabels or matchExpressions",
        ),
        (
            [entry("a", when={"matchLabel": {"env": "prod"}})],
            "fleet_operators[0].when.matchLabel must be one value of this label, or a list of values, did you mean 'matchLabels'?",
        ),
        (
            [entry("a", when={"env": [["edge"], "prod"]})],
            "fleet_operators[0].when.env must be one value of this label, or a list of values",
        ),
        (
            [entry("A")],
            "fleet_operators[0].name: 'A' cannot be the name of an extension; use lower case letters, digits, '-' and '.', at most 52 characters",
        ),
        ([entry("a"), entry("a")], "a is there twice; names are unique on a cluster"),
        (
            [entry("a", needs=["greetr"]), entry("greeter")],
            "a needs greetr, which is not in fleet_operators, did you mean 'greeter'?",
        ),
        ([entry("a", needs=["b"]), entry("b", when={"env": "prod"})], "a needs b, which is not for this cluster"),
        ([entry("a", needs=["b"]), entry("b", wave=1)], "a (wave 0) needs b, which comes later (wave 1)"),
        (
            [entry("x"), entry("a", needs=["b"]), entry("b", needs=["c"]), entry("c", needs=["b"])],
            "needs go in a circle: b needs c needs b",
        ),
        ([entry("a", needs=["a"])], "needs go in a circle: a needs a"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(entries: Any, said: str) -> None:
    with pytest.raises(FleetError) as refused:
        described(entries, {})
    assert str(refused.value) == said


def test_everything_that_is_wrong_comes_at_once_with_the_clusters_that_have_it() -> None:
    wrong = [entry("a", wav=1)]
    fleet, problems = described_fleet(
        {"one": wrong, "two": wrong, "three": [entry("b")], "four": wrong, "five": wrong, "six": None}, {}, {}
    )
    assert problems == ["one, two, four and 1 more: fleet_operators[0]: 'wav' is unknown, did you mean 'wave'?"]
    assert {cluster: [one.name for one in found] for cluster, found in fleet.items()} == {"three": ["b"], "six": []}


def test_labels_that_are_none_are_told_instead_of_leaving_extensions_out() -> None:
    fleet, problems = described_fleet({"one": [entry("a")], "hub": []}, {"one": "env=prod", "hub": ["x"]}, {})
    assert problems == ["one: labels must be a mapping, such as {env: prod}, and is 'env=prod'"]
    assert fleet == {"hub": []}
