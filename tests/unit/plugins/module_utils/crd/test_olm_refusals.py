# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that hurt nobody, and what OLM v1 says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.olm_refusals import refused_by_olm
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version

TEXT = {"type": "string"}


def refused(old: Any, new: Any) -> list[str]:
    return [change.rule for change in refused_by_olm(compare_crds(crd(version(schema=old)), crd(version(schema=new))))]


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param(TEXT, {**TEXT, "description": "a"}, [], id="described"),
        pytest.param(TEXT, {**TEXT, "example": "a"}, ["documentation"], id="an example"),
        pytest.param({**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a", "b"]}, [], id="one value more"),
        pytest.param({**TEXT, "enum": ["a"]}, TEXT, ["enum_values"], id="any value"),
        pytest.param({**TEXT, "pattern": "^a"}, TEXT, ["pattern"], id="any text"),
        pytest.param({**TEXT, "maxLength": 1}, {**TEXT, "maxLength": 2}, [], id="longer"),
        pytest.param(TEXT, {**TEXT, "nullable": True}, ["nullable"], id="null"),
        pytest.param(TEXT, {**TEXT, "nullable": False}, [], id="null as before"),
        pytest.param(TEXT, {**TEXT, "default": None}, [], id="no default as before"),
        pytest.param(TEXT, {**TEXT, "minLength": 0}, ["min_length"], id="a bound that binds nothing"),
        pytest.param({**TEXT, "minLength": 1}, {**TEXT, "minLength": 0}, [], id="shorter"),
        pytest.param(TEXT, {**TEXT, "exclusiveMinimum": True}, ["minimum"], id="a flag without its bound"),
        pytest.param({**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "a"}]}, TEXT, ["one_of"], id="one of any"),
        pytest.param(
            {**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "a"}]},
            {**TEXT, "oneOf": [{"minLength": 2, "description": "two"}, {"pattern": "a"}]},
            [],
            id="one of those described",
        ),
        pytest.param(
            {**TEXT, "oneOf": [{"minLength": 2}, {"pattern": "a"}]},
            {**TEXT, "oneOf": [{"pattern": "a"}, {"minLength": 2}]},
            ["one_of"],
            id="one of those in another order",
        ),
        pytest.param(TEXT, {**TEXT, "id": "a"}, ["leftover"], id="a keyword of its types"),
        pytest.param(TEXT, {**TEXT, "readOnly": True}, [], id="a keyword its types do not know"),
        pytest.param(TEXT, {**TEXT, "examples": ["a"]}, [], id="examples, which its types do not know"),
    ],
)
def test_at_a_field(old: Any, new: Any, rules: list[str]) -> None:
    parent = {"type": "object"}
    assert refused({**parent, "properties": {"x": old}}, {**parent, "properties": {"x": new}}) == rules


def test_below_the_values_of_a_map_it_refuses_everything() -> None:
    described = {**TEXT, "description": "a"}
    old, new = ({"type": "object", "additionalProperties": item} for item in (TEXT, described))
    parent = {"type": "object"}
    assert refused({**parent, "properties": {"x": old}}, {**parent, "properties": {"x": new}}) == ["documentation"]


def test_below_the_values_of_a_map_it_sees_only_what_its_types_know() -> None:
    old, new = ({"type": "object", "additionalProperties": item} for item in (TEXT, {**TEXT, "readOnly": True}))
    assert not refused({"type": "object", "properties": {"x": old}}, {"type": "object", "properties": {"x": new}})


def test_a_field_that_was_added_is_fine() -> None:
    assert not refused({"type": "object"}, {"type": "object", "properties": {"x": TEXT}})


def test_a_field_that_was_removed_is_not_even_where_its_values_are_kept() -> None:
    kept = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert refused({**kept, "properties": {"x": TEXT}}, kept) == ["property_removed"]


def test_a_field_that_is_required_now_is_refused_in_spite_of_its_default() -> None:
    parent = {"type": "object", "properties": {"x": {**TEXT, "default": "a"}}}
    assert refused(parent, {**parent, "required": ["x"]}) == ["required_field"]
    assert not refused({**parent, "required": ["x"]}, parent)


def served(schemas: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """A CRD with a field of these schemas in its versions, all of them served."""
    versions = [
        version(name, {"type": "object", "properties": {"x": schema} if schema else {}}, storage=not number)
        for number, (name, schema) in enumerate(schemas.items())
    ]
    return crd(*versions, **spec)


@pytest.mark.parametrize(
    ("old", "new", "then"),
    [
        pytest.param(
            {"v1": TEXT}, {"v1": TEXT, "v2": {**TEXT, "title": "a"}}, [("v2", "x")], id="harmless, in a new version"
        ),
        pytest.param(
            {"v2": TEXT}, {"v2": TEXT, "v1": {**TEXT, "maxLength": 5}}, [], id="an older version that takes less"
        ),
        pytest.param({"v1": TEXT}, {"v1": TEXT, "v1beta1": {}}, [], id="an older version that lacks a field"),
        pytest.param(
            {"v1": {}}, {"v1": {}, "v1beta1": TEXT}, [("v1", "x")], id="an older version that has a field more"
        ),
        pytest.param(
            {"v1": TEXT},
            {"v1": TEXT, "v2": TEXT, "v3": {**TEXT, "pattern": "a"}},
            [("v3", "x"), ("v3", "x")],
            id="two new versions",
        ),
        pytest.param(
            {"v1": {}, "v2": {}}, {"v1": TEXT, "v2": {}}, [("v2", "x")], id="a field in the older version only"
        ),
        pytest.param({"v1": {}, "v2": {}}, {"v1": {}, "v2": TEXT}, [], id="a field in the newer version only"),
        pytest.param(
            {"v1": {**TEXT, "enum": ["a"]}, "v2": {**TEXT, "enum": ["a"]}},
            {"v1": {**TEXT, "enum": ["a", "b"]}, "v2": {**TEXT, "enum": ["a"]}},
            [("v2", "x")],
            id="a value more in the older version only",
        ),
        pytest.param(
            {"v1": TEXT, "v2": {**TEXT, "pattern": "a"}},
            {"v1": {**TEXT, "description": "other"}, "v2": {**TEXT, "pattern": "a"}},
            [],
            id="they differed before",
        ),
        pytest.param(
            {"two": TEXT}, {"two": TEXT, "one": {}}, [("one", "x")], id="names that are no numbers, backwards"
        ),
    ],
)
def test_between_versions_that_are_served(old: Any, new: Any, then: list[tuple[str, str]]) -> None:
    found = refused_by_olm(compare_crds(served(old), served(new)))
    assert [(change.version, change.path) for change in found] == then
    converted = {"conversion": {"strategy": "Webhook"}}
    assert not refused_by_olm(compare_crds(served(old, **converted), served(new, **converted)))
