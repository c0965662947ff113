# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the CRD rules say of custom resources, held against what a real API server does to them.

The cases are those of the unit tests: each new schema is given to the server, and each value is sent to it.
"""

from __future__ import annotations

import importlib
import itertools
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema_rules import SCHEMA_RULES
from ansible_collections.fleet.olm.plugins.module_utils.crd.validity import type_of
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.wait import wait_for
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import NAMES, by_rule, crd, version

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/example.com/v1/namespaces/default/widgets"
PRESERVE = "x-kubernetes-preserve-unknown-fields"
UNIT_TESTS = "ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.test_"

# Values that the server changes or refuses for another reason than the rule that is looked at.
ANOTHER_REASON = {
    "property_removed: null is nothing": "nulls are dropped with the field, which loses nothing",
    "required_field: no object": "it is of the wrong type",
    "required_field: filled in": "a default is added",
    "list_items: no list": "it is of the wrong type",
}


@dataclass(frozen=True)
class Case:
    """A new schema, a value, and what we say that happens to the value."""

    name: str
    schema: dict[str, Any]
    value: Any
    expected: str


def cases() -> Iterator[Case]:
    for rule in SCHEMA_RULES:
        test = getattr(importlib.import_module(UNIT_TESTS + rule.name), "test_whom_it_hurts", None)
        for given in test.pytestmark[0].args[1] if test else ():
            _old, schema, value, expected = given.values
            # That a null is dropped is no loss by itself, but for the rule that is about nulls.
            if isinstance(schema, dict) and (value is not None or rule.name == "nullable"):
                yield Case(f"{rule.name}: {given.id}", _structural(schema, value), value, expected)


def _structural(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """API servers ask for types, which the unit tests leave out where they do not matter."""
    if "type" in schema or "x-kubernetes-int-or-string" in schema:
        return schema
    typed = {**schema, "type": type_of(value)}
    return {PRESERVE: True, **typed} if typed["type"] == "object" else typed


def _crd(fields: dict[str, Any]) -> dict[str, Any]:
    spec = {"type": "object", "properties": fields}
    return crd(version(schema={"type": "object", "properties": {"spec": spec}}))


def _accepts(cluster: Cluster, path: str, content: dict[str, Any], method: str = "POST") -> Any:
    """The server's answer to a dry run; None where it refuses."""
    try:
        return cluster.request(method, f"{path}?dryRun=All&fieldValidation=Ignore", content)
    except urllib.error.HTTPError as refused:
        if refused.code != 422:
            raise
        return None


def _establish(cluster: Cluster, content: dict[str, Any]) -> dict[str, Any]:
    cluster.request("POST", CRDS, content)
    path = f"{CRDS}/{content['metadata']['name']}"

    def established() -> bool:
        conditions = cluster.request("GET", path).get("status", {}).get("conditions") or []
        return any((item["type"], item["status"]) == ("Established", "True") for item in conditions)

    wait_for(established, 15)
    return dict(cluster.request("GET", path))


def test_values_fare_as_the_rules_say(fresh_cluster: Cluster) -> None:
    usable = [case for case in cases() if _accepts(fresh_cluster, CRDS, _crd({"field": case.schema}))]
    fields = {f"case{position}": case.schema for position, case in enumerate(usable)}
    _establish(fresh_cluster, _crd(fields))
    wrong = []
    for position, case in enumerate(usable):
        field = f"case{position}"
        content = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}}
        answer = _served(fresh_cluster, {**content, "spec": {field: case.value}})
        kept = answer is not None and answer["spec"].get(field, "dropped") == case.value
        seen = "unaffected" if kept else "affected"
        if case.expected not in (seen, "undecided") and case.name not in ANOTHER_REASON:
            wrong.append(f"{case.name}: {case.expected} by the rule, {seen} by the server: {answer and answer['spec']}")
    assert len(usable) > 60
    assert not wrong, "\n".join(wrong)


def _served(cluster: Cluster, content: dict[str, Any]) -> Any:
    """As _accepts; a server needs a moment to serve a CRD that is established."""
    answers: list[Any] = []

    def served() -> bool:
        try:
            answers.append(_accepts(cluster, WIDGETS, content))
        except urllib.error.HTTPError as refused:
            if refused.code != 404:
                raise
            return False
        return True

    wait_for(served, 10)
    return answers[0]


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        pytest.param("scope", {"scope": "Cluster"}, id="scope"),
        pytest.param("kind", {"names": {**NAMES, "kind": "Part"}}, id="kind"),
        pytest.param("identity", {"group": "other.org"}, id="group"),
        pytest.param("stored_version_removed", {"versions": [version("v2", {"type": "object"})]}, id="stored version"),
    ],
)
def test_what_is_said_to_be_refused_is(fresh_cluster: Cluster, rule: str, change: dict[str, Any]) -> None:
    live = _establish(fresh_cluster, crd())
    wanted = {**live, "spec": {**live["spec"], **change}}
    found = by_rule(rule, compare_crds(live, wanted))
    assert [item.refused for item in found] == [True]
    assert effect(found[0], {}) == "affected"
    assert _accepts(fresh_cluster, f"{CRDS}/{live['metadata']['name']}", wanted, "PUT") is None


def test_a_storage_version_that_knows_less_loses_at_the_next_write(fresh_cluster: Cluster) -> None:
    knows = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "integer"}}}}}
    less = {"type": "object", "properties": {"spec": {"type": "object"}}}

    def versions(storage: str) -> list[dict[str, Any]]:
        return [version(name, schema, storage=name == storage) for name, schema in (("v1", knows), ("v2", less))]

    live = _establish(fresh_cluster, crd(*versions("v1")))
    path = f"{WIDGETS}/one"
    one = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {"a": 1}}
    _served(fresh_cluster, one)
    fresh_cluster.request("POST", WIDGETS, one)

    wanted = {**live, "spec": {**live["spec"], "versions": versions("v2")}}
    found = by_rule("storage_version", compare_crds(live, wanted))
    assert [(item.severity, effect(item, one)) for item in found] == [("losing", "affected")]

    current = fresh_cluster.request("GET", f"{CRDS}/widgets.example.com")
    current["spec"]["versions"] = versions("v2")
    fresh_cluster.request("PUT", f"{CRDS}/widgets.example.com", current)
    turns = itertools.count()

    def lost() -> bool:
        label = {"metadata": {"labels": {"turn": str(next(turns))}}}
        fresh_cluster.request("PATCH", path, label, "application/merge-patch+json")
        return "a" not in fresh_cluster.request("GET", path).get("spec", {})

    wait_for(lost, 10)
