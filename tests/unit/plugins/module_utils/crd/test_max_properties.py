# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects with too many fields."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"maxProperties": 2}, {"": "tightening"}, id="added"),
        pytest.param({"maxProperties": 3}, {"maxProperties": 2}, {"": "tightening"}, id="lowered"),
        pytest.param({"maxProperties": 1}, {"maxProperties": 2}, {"": "harmless"}, id="raised"),
        pytest.param({"maxProperties": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"maxProperties": []}, {"": "harmless"}, id="no number"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("max_properties", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"maxProperties": 2}, {"a": 1, "b": 1, "c": 1}, "affected", id="above"),
        pytest.param({}, {"maxProperties": 2}, {"a": 1, "b": 1}, "unaffected", id="equal"),
        pytest.param({}, {"maxProperties": 2}, {"a": 1}, "unaffected", id="below"),
        pytest.param({"maxProperties": 1}, {"maxProperties": 2}, {"a": 1, "b": 1}, "unaffected", id="looser"),
        pytest.param({}, {"maxProperties": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"maxProperties": 2}, None, "unaffected", id="null"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("max_properties", given, when, value) == then
