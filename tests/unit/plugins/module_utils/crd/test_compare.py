# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of changes, their paths, and CRDs that are not as they should be."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.change import static_verdict
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema import Into, path_text
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    changes_of_field,
    crd,
    version,
    with_field,
)


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((), ""),
        (("spec", "replicas"), "spec.replicas"),
        (("spec", "items", Into.ITEMS, "name"), "spec.items[].name"),
        (("spec", "labels", Into.VALUES), "spec.labels{}"),
        (("spec", "-Xms"), "spec.-Xms"),
        (("data", "tls.crt", "x"), "data['tls.crt'].x"),
        (("spec", "[]"), "spec['[]']"),
    ],
)
def test_paths(steps: Any, text: str) -> None:
    assert path_text(steps) == text


def test_the_order_does_not_depend_on_that_of_the_fields() -> None:
    def properties(names: str, kind: str) -> dict[str, Any]:
        return {"type": "object", "properties": {name: {"type": kind, "description": kind} for name in names}}

    one = changes_of_field(properties("abc", "string"), properties("abc", "integer"))
    other = changes_of_field(properties("bca", "string"), properties("cab", "integer"))
    assert one == other
    assert [(change.path, change.rule) for change in one] == [
        (f"spec.field.{name}", rule) for name in "abc" for rule in ("value_type", "documentation")
    ]


def test_the_whole_crd_comes_first_and_then_its_versions() -> None:
    old = crd(version("v2", {"maximum": 2}, storage=False), version("v1", {"maximum": 2}))
    new = crd(version("v1", {"maximum": 1}), version("v2", {"maximum": 3}, storage=False), scope="Cluster")
    assert [(change.version, change.rule) for change in compare_crds(old, new)] == [
        ("", "scope"),
        ("v2", "maximum"),
        ("v1", "maximum"),
    ]


@pytest.mark.parametrize(
    ("given", "when", "allowed", "severity"),
    [
        pytest.param({}, {}, True, "harmless", id="equal"),
        pytest.param({"title": "a"}, {"title": "b"}, True, "harmless", id="documentation"),
        pytest.param({}, {"maximum": 1, "title": "b"}, False, "tightening", id="tightening"),
        pytest.param(
            {"properties": {"a": {}}}, {"maximum": 1, "properties": {}}, False, "losing", id="losing is worse"
        ),
    ],
)
def test_the_verdict_without_looking_at_custom_resources(given: Any, when: Any, allowed: bool, severity: str) -> None:
    verdict = static_verdict(changes_of_field(given, when))
    assert (verdict.allowed, verdict.severity) == (allowed, severity)
    assert all(change.severity != "harmless" for change in verdict.because)


def test_long_texts_are_shown_from_where_they_part() -> None:
    old, new = ({"description": "words " * 50 + end} for end in ("first", "last"))
    message = changes_of_field(old, new)[0].message
    assert message == 'description changed from …s words words words first" to …s words words words last"'


ODD: list[Any] = [None, [], {}, "text", 5, True, [None], [{}], {"a": None}, {5: {}}]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_anything_in_the_place_of_anything_else_is_no_reason_to_fail(odd: Any) -> None:
    whole = crd(version(schema={"type": "object"}))
    places: list[dict[str, Any]] = [
        {**whole, "metadata": odd},
        {**whole, "spec": odd},
        {**whole, "status": odd},
        *({**whole, "spec": {**whole["spec"], key: odd}} for key in [*whole["spec"], "conversion", "validation"]),
        crd({**version(), "schema": odd}),
        crd(version(schema=odd)),
        crd(odd),
        *(with_field({"type": "object", key: odd}) for key in ("properties", "items", "required", "enum", "type")),
        *(with_field({key: odd}) for key in ("additionalProperties", "anyOf", "not", "x-kubernetes-validations")),
    ]
    for place in places:
        for other in (whole, with_field({"type": "string", "enum": ["a"]})):
            static_verdict(compare_crds(place, other))
            static_verdict(compare_crds(other, place))
