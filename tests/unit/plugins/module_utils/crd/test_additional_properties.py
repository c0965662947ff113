# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values under names that the schema does not list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object"},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"": "harmless"},
            id="map from nothing",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"": "tightening"},
            id="map from anything",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"": "tightening"},
            id="map from unknown fields",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "additionalProperties": True},
            {"": "harmless"},
            id="anything from map",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "object", "additionalProperties": True},
            {"": "losing"},
            id="anything from map of objects",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "additionalProperties": True},
            {"": "losing"},
            id="unknown fields kept before, with all in them",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"": "harmless"},
            id="unknown fields from map",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object"},
            {"": "losing"},
            id="nothing from map",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"type": "object", "additionalProperties": False},
            {"": "losing"},
            id="nothing from anything",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "additionalProperties": False},
            {"": "harmless"},
            id="false is nothing",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "additionalProperties": {"type": "string"}},
            {},
            id="compared further down",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("additional_properties", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": 1},
            "unaffected",
            id="fits the map",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": "x"},
            "affected",
            id="does not fit",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"b": {"type": "integer"}}}},
            {"a": {"c": 1}},
            "affected",
            id="would lose something",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "object", "additionalProperties": True},
            {"x": {"a": 1}},
            "affected",
            id="no schema for what is in it",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "object", "additionalProperties": True},
            {"x": {}},
            "unaffected",
            id="nothing in it",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object"},
            {"a": 1},
            "affected",
            id="has values",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object"},
            {},
            "unaffected",
            id="has none",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"a": 1},
            "unaffected",
            id="listed names stay",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("additional_properties", given, when, value) == then
