# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two configuration schemas side by side."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.compare.schemas import SchemaChange, compare_schemas
from ansible_collections.fleet.olm.plugins.module_utils.config.derived_schema import registry_v1_schema


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, None, []),
        (schema(), None, [(True, "the bundle no longer takes a configuration")]),
        (None, schema(), [(False, "the bundle now takes a configuration")]),
        (None, {**schema(), "required": ["a"]}, [(True, "the bundle now takes a configuration, and needs a")]),
        (schema(a={}), schema(), [(True, "a is no longer accepted")]),
        (schema(), schema(a={}), [(False, "a is new")]),
        (schema(a={}), {**schema(a={}), "required": ["a"]}, [(True, "a is now required")]),
        ({**schema(a={}), "required": ["a"]}, schema(a={}), [(False, "a is no longer required")]),
        (
            schema(a={"type": "string"}),
            schema(a={"type": ["string", "null"]}),
            [(False, "a: type changed from 'string' to ['string', 'null']")],
        ),
        (
            schema(a={"type": "string"}),
            schema(a={"type": "integer"}),
            [(True, "a: type changed from 'string' to 'integer'")],
        ),
        (schema(a={"enum": [1, 2]}), schema(a={"enum": [1]}), [(True, "a: enum changed from [1, 2] to [1]")]),
        (schema(a={"enum": [1]}), schema(a={"enum": [1, 2]}), [(False, "a: enum changed from [1] to [1, 2]")]),
        (schema(a={}), schema(a={"maximum": 5}), [(True, "a: maximum 5 now holds")]),
        (schema(a={"maximum": 5}), schema(a={"maximum": 6}), [(False, "a: maximum changed from 5 to 6")]),
        (schema(a={"minLength": 1}), schema(a={"minLength": 2}), [(True, "a: minLength changed from 1 to 2")]),
        (schema(a={"pattern": "x"}), schema(a={}), [(False, "a: pattern 'x' no longer holds")]),
        (schema(a={"description": "x"}), schema(a={"description": "y"}), []),
        (
            schema(a={"items": {"type": "string"}}),
            schema(a={"items": {"type": "integer"}}),
            [(True, "a[]: type changed from 'string' to 'integer'")],
        ),
        (schema(a=schema(b={})), schema(a=schema()), [(True, "a.b is no longer accepted")]),
    ],
)
def test_each_difference_is_told(old: Any, new: Any, expected: list[tuple[bool, str]]) -> None:
    assert [(change.breaking, change.message) for change in compare_schemas(old, new)] == expected


def test_references_are_followed_into_their_own_document() -> None:
    old = {**schema(a={"$ref": "#/definitions/x"}), "definitions": {"x": schema(b={})}}
    new = {**schema(a={"$ref": "#/definitions/y"}), "definitions": {"y": schema(c={})}}
    assert [change.message for change in compare_schemas(old, new)] == ["a.b is no longer accepted", "a.c is new"]


def test_references_in_a_circle_end() -> None:
    old = {"$ref": "#/definitions/x", "definitions": {"x": {"$ref": "#/definitions/x"}}}
    assert compare_schemas(old, {**old, "definitions": {"x": schema(a=old)}}) is not None


@pytest.mark.parametrize(
    ("before", "after", "breaking"),
    [
        (["AllNamespaces"], ["AllNamespaces", "OwnNamespace"], []),
        (["OwnNamespace"], ["OwnNamespace", "SingleNamespace"], []),
        (["AllNamespaces", "OwnNamespace"], ["AllNamespaces"], ["watchNamespace is no longer accepted"]),
        (
            ["AllNamespaces", "OwnNamespace"],
            ["OwnNamespace"],
            ["watchNamespace: type changed from ['string', 'null'] to 'string'", "watchNamespace is now required"],
        ),
    ],
)
def test_install_modes_that_come_and_go(before: list[str], after: list[str], breaking: list[str]) -> None:
    changes: tuple[SchemaChange, ...] = compare_schemas(registry_v1_schema(before), registry_v1_schema(after))
    assert [change.message for change in changes if change.breaking] == breaking
