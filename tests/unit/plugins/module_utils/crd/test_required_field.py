# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that may not be left out."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"a": "tightening"},
            id="added",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {
                "type": "object",
                "required": ["b", "a"],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            },
            {"a": "tightening", "b": "tightening"},
            id="two",
        ),
        pytest.param(
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"a": "harmless"},
            id="removed",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}},
            {"a": "harmless"},
            id="with a default",
        ),
        pytest.param(
            {
                "type": "object",
                "required": ["a", "b"],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            },
            {
                "type": "object",
                "required": ["b", "a"],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            },
            {"": "harmless"},
            id="another order",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": "a", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"": "harmless"},
            id="no list",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("required_field", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"b": "x"},
            "affected",
            id="missing",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"a": "x"},
            "unaffected",
            id="there",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"a": None},
            "affected",
            id="null is dropped",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "nullable": True}}},
            {"a": None},
            "unaffected",
            id="null may be",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            "text",
            "unaffected",
            id="no object",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            None,
            "unaffected",
            id="no parent",
        ),
        pytest.param(
            {"type": "object", "required": [], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}},
            {},
            "unaffected",
            id="filled in",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("required_field", given, when, value) == then
