# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that were not there before."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object", "properties": {}},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"a": "harmless"},
            id="unknown fields dropped before",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "integer"}}},
            {"a": "tightening"},
            id="unknown fields kept before",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"a": "tightening"},
            id="any name allowed before",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"a": {"x-kubernetes-preserve-unknown-fields": True, "description": "?"}},
            },
            {"a": "harmless"},
            id="kept before, and takes anything",
        ),
        pytest.param(
            {"type": "object", "properties": {}},
            {"type": "object", "properties": {"a.b": {"type": "integer"}}},
            {"['a.b']": "harmless"},
            id="name with a dot",
        ),
        pytest.param(
            {"type": "object", "properties": {}},
            {"type": "object", "properties": {"a": None}},
            {"a": "harmless"},
            id="no schema",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("property_added", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "integer"}}},
            {"a": 1},
            "unaffected",
            id="fits",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "integer"}}},
            {"a": "x"},
            "affected",
            id="does not fit",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": {"type": "integer"}}},
            {"b": "x"},
            "unaffected",
            id="not there",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}},
            },
            {"a": {"c": 1}},
            "affected",
            id="would lose something",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("property_added", given, when, value) == then
