# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of accepted values."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"enum": ["a"]}, {"": "tightening"}, id="added"),
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a"]}, {"": "tightening"}, id="value removed"),
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a", "c"]}, {"": "tightening"}, id="value replaced"),
        pytest.param({"enum": ["a"]}, {"enum": ["a", "b"]}, {"": "harmless"}, id="value added"),
        pytest.param({"enum": ["a"]}, {}, {"": "harmless"}, id="removed"),
        pytest.param({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, {"": "harmless"}, id="another order"),
        pytest.param({}, {"enum": "a"}, {"": "harmless"}, id="no list"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("enum_values", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a"]}, "b", "affected", id="removed value used"),
        pytest.param({"enum": ["a", "b"]}, {"enum": ["a"]}, "a", "unaffected", id="other value used"),
        pytest.param({}, {"enum": ["a"]}, "c", "affected", id="not among them"),
        pytest.param({}, {"enum": [1]}, True, "affected", id="1 is not true"),
        pytest.param({}, {"enum": [1]}, 1.0, "unaffected", id="1 is 1.0"),
        pytest.param({}, {"enum": [{"a": 1, "b": 2}]}, {"b": 2, "a": 1}, "unaffected", id="objects"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("enum_values", given, when, value) == then
