# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that are no longer there."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
            {"type": "object", "properties": {"b": {"type": "integer"}}},
            {"a": "losing"},
            id="dropped",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}},
            {"type": "object", "properties": {}},
            {"a": "losing"},
            id="with all below it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"a": "harmless"},
            id="kept",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "additionalProperties": True},
            {"a": "harmless"},
            id="any name allowed",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "object"}}},
            {"type": "object", "additionalProperties": True},
            {"a": "losing"},
            id="any name allowed, but no schema for what is in it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": "tightening"},
            id="into a map",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "array", "items": {"type": "object", "properties": {}}},
            {"[].a": "losing"},
            id="in a list",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "object", "additionalProperties": {"type": "object", "properties": {}}},
            {"{}.a": "losing"},
            id="in a map",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("property_removed", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}},
            {"type": "object", "additionalProperties": True},
            {"a": {"b": 1}},
            "affected",
            id="any name allowed, but no schema for what is in it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "object"}}},
            {"type": "object", "additionalProperties": True},
            {"a": {}},
            "unaffected",
            id="any name allowed",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"a": {"b": 1}},
            "unaffected",
            id="kept with all that is in it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
            {"type": "object", "properties": {"b": {"type": "integer"}}},
            {"a": 1},
            "affected",
            id="has it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
            {"type": "object", "properties": {"b": {"type": "integer"}}},
            {"b": 1},
            "unaffected",
            id="has it not",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "properties": {}},
            {"a": None},
            "unaffected",
            id="null is nothing",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": 1},
            "unaffected",
            id="fits the map",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}}},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": "x"},
            "affected",
            id="does not fit the map",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "array", "items": {"type": "object", "properties": {}}},
            [{}, {"a": 1}],
            "affected",
            id="one item has it",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "object", "additionalProperties": {"type": "object", "properties": {}}},
            {"x": {}, "y": {"a": 1}},
            "affected",
            id="one value has it",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "object", "properties": {}},
            None,
            "unaffected",
            id="nothing there",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("property_removed", given, when, value) == then
