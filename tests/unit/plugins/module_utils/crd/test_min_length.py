# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts that are too short, in characters."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"minLength": 2}, {"": "tightening"}, id="added"),
        pytest.param({"minLength": 1}, {"minLength": 2}, {"": "tightening"}, id="raised"),
        pytest.param({"minLength": 2}, {"minLength": 1}, {"": "harmless"}, id="lowered"),
        pytest.param({"minLength": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"minLength": "two"}, {"": "harmless"}, id="no number"),
        pytest.param({}, {"minLength": 0}, {"": "harmless"}, id="nothing asked for"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("min_length", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"minLength": 2}, "a", "affected", id="below"),
        pytest.param({}, {"minLength": 2}, "aä", "unaffected", id="equal"),
        pytest.param({}, {"minLength": 2}, "aäa", "unaffected", id="above"),
        pytest.param({"minLength": 2}, {"minLength": 1}, "a", "unaffected", id="looser"),
        pytest.param({}, {"minLength": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"minLength": 2}, None, "unaffected", id="null"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("min_length", given, when, value) == then
