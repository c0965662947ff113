# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers below a bound."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"minimum": 2}, {"": "tightening"}, id="added"),
        pytest.param({"minimum": 1}, {"minimum": 2}, {"": "tightening"}, id="raised"),
        pytest.param({"minimum": 2}, {"minimum": 1}, {"": "harmless"}, id="lowered"),
        pytest.param({"minimum": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"minimum": "two"}, {"": "harmless"}, id="no number"),
        pytest.param({"minimum": 2}, {"minimum": 2, "exclusiveMinimum": True}, {"": "tightening"}, id="excluded"),
        pytest.param({"minimum": 2, "exclusiveMinimum": True}, {"minimum": 2}, {"": "harmless"}, id="included"),
        pytest.param({}, {"exclusiveMinimum": True}, {"": "harmless"}, id="excluded where there is no bound"),
        pytest.param(
            {"minimum": 2}, {"minimum": 1, "exclusiveMinimum": True}, {"": "harmless"}, id="excluded but moved away"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("minimum", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"minimum": 2}, 1, "affected", id="below"),
        pytest.param({}, {"minimum": 2}, 2, "unaffected", id="equal"),
        pytest.param({}, {"minimum": 2}, 3, "unaffected", id="above"),
        pytest.param({"minimum": 2}, {"minimum": 1}, 1, "unaffected", id="looser"),
        pytest.param({}, {"minimum": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"minimum": 2}, None, "unaffected", id="null"),
        pytest.param({"minimum": 2}, {"minimum": 2, "exclusiveMinimum": True}, 2, "affected", id="equal and excluded"),
        pytest.param(
            {"minimum": 2, "exclusiveMinimum": True}, {"minimum": 2}, 2, "unaffected", id="equal and included"
        ),
        pytest.param({}, {"minimum": 5}, True, "unaffected", id="true is no number"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("minimum", given, when, value) == then
