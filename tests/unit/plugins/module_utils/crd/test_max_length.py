# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts that are too long, in characters."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"maxLength": 2}, {"": "tightening"}, id="added"),
        pytest.param({"maxLength": 3}, {"maxLength": 2}, {"": "tightening"}, id="lowered"),
        pytest.param({"maxLength": 1}, {"maxLength": 2}, {"": "harmless"}, id="raised"),
        pytest.param({"maxLength": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"maxLength": []}, {"": "harmless"}, id="no number"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("max_length", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"maxLength": 2}, "aäa", "affected", id="above"),
        pytest.param({}, {"maxLength": 2}, "aä", "unaffected", id="equal"),
        pytest.param({}, {"maxLength": 2}, "a", "unaffected", id="below"),
        pytest.param({"maxLength": 1}, {"maxLength": 2}, "aä", "unaffected", id="looser"),
        pytest.param({}, {"maxLength": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"maxLength": 2}, None, "unaffected", id="null"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("max_length", given, when, value) == then
