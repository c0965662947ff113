# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers above a bound."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"maximum": 2}, {"": "tightening"}, id="added"),
        pytest.param({"maximum": 3}, {"maximum": 2}, {"": "tightening"}, id="lowered"),
        pytest.param({"maximum": 1}, {"maximum": 2}, {"": "harmless"}, id="raised"),
        pytest.param({"maximum": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"maximum": []}, {"": "harmless"}, id="no number"),
        pytest.param({"maximum": 2}, {"maximum": 2, "exclusiveMaximum": True}, {"": "tightening"}, id="excluded"),
        pytest.param({"maximum": 2, "exclusiveMaximum": True}, {"maximum": 2}, {"": "harmless"}, id="included"),
        pytest.param({}, {"exclusiveMaximum": True}, {"": "harmless"}, id="excluded where there is no bound"),
        pytest.param(
            {"maximum": 2}, {"maximum": 3, "exclusiveMaximum": True}, {"": "harmless"}, id="excluded but moved away"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("maximum", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"maximum": 2}, 3, "affected", id="above"),
        pytest.param({}, {"maximum": 2}, 2, "unaffected", id="equal"),
        pytest.param({}, {"maximum": 2}, 1, "unaffected", id="below"),
        pytest.param({"maximum": 1}, {"maximum": 2}, 2, "unaffected", id="looser"),
        pytest.param({}, {"maximum": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"maximum": 2}, None, "unaffected", id="null"),
        pytest.param({"maximum": 2}, {"maximum": 2, "exclusiveMaximum": True}, 2, "affected", id="equal and excluded"),
        pytest.param(
            {"maximum": 2, "exclusiveMaximum": True}, {"maximum": 2}, 2, "unaffected", id="equal and included"
        ),
        pytest.param({}, {"maximum": 0}, True, "unaffected", id="true is no number"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("maximum", given, when, value) == then
