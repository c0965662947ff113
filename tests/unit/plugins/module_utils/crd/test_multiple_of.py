# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Multiples of a number."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"multipleOf": 2}, {"": "tightening"}, id="added"),
        pytest.param({"multipleOf": 2}, {"multipleOf": 4}, {"": "tightening"}, id="coarser"),
        pytest.param({"multipleOf": 4}, {"multipleOf": 2}, {"": "harmless"}, id="finer"),
        pytest.param({"multipleOf": 3}, {"multipleOf": 2}, {"": "tightening"}, id="unrelated"),
        pytest.param({"multipleOf": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"multipleOf": 0}, {"": "harmless"}, id="zero asks for nothing"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("multiple_of", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"multipleOf": 2}, 4, "unaffected", id="multiple"),
        pytest.param({}, {"multipleOf": 2}, 3, "affected", id="none"),
        pytest.param({}, {"multipleOf": 0.1}, 0.3, "unaffected", id="decimal"),
        pytest.param({}, {"multipleOf": 2}, "3", "unaffected", id="no number"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("multiple_of", given, when, value) == then
