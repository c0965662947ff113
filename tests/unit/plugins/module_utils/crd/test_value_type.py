# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON type of values."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"type": "integer"}, {"type": "string"}, {"": "tightening"}, id="changed"),
        pytest.param({"type": "integer"}, {"type": "number"}, {"": "harmless"}, id="integer is a number"),
        pytest.param({"type": "number"}, {"type": "integer"}, {"": "tightening"}, id="a number need not be an integer"),
        pytest.param({}, {"type": "integer"}, {"": "tightening"}, id="added"),
        pytest.param({"type": "integer"}, {}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"type": "string"},
            {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            {"": "harmless"},
            id="left to int-or-string",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"type": "string"},
            {"": "tightening"},
            id="fields of another type are not looked at",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("value_type", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"type": "integer"}, {"type": "string"}, 3, "affected", id="old type"),
        pytest.param({"type": "integer"}, {"type": "string"}, "three", "unaffected", id="new type already"),
        pytest.param({"type": "number"}, {"type": "integer"}, 1.0, "unaffected", id="1.0 is an integer"),
        pytest.param({"type": "number"}, {"type": "integer"}, 1.5, "affected", id="1.5 is none"),
        pytest.param({}, {"type": "integer"}, True, "affected", id="true is no integer"),
        pytest.param({}, {"type": "array"}, [], "unaffected", id="list"),
        pytest.param({"type": "integer"}, {"type": "string"}, None, "unaffected", id="null is dropped"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("value_type", given, when, value) == then
