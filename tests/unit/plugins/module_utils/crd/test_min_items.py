# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists with too few items."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"minItems": 2}, {"": "tightening"}, id="added"),
        pytest.param({"minItems": 1}, {"minItems": 2}, {"": "tightening"}, id="raised"),
        pytest.param({"minItems": 2}, {"minItems": 1}, {"": "harmless"}, id="lowered"),
        pytest.param({"minItems": 2}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"minItems": "two"}, {"": "harmless"}, id="no number"),
        pytest.param({}, {"minItems": 0}, {"": "harmless"}, id="nothing asked for"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("min_items", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"minItems": 2}, [1], "affected", id="below"),
        pytest.param({}, {"minItems": 2}, [1, 2], "unaffected", id="equal"),
        pytest.param({}, {"minItems": 2}, [1, 2, 3], "unaffected", id="above"),
        pytest.param({"minItems": 2}, {"minItems": 1}, [1], "unaffected", id="looser"),
        pytest.param({}, {"minItems": 2}, True, "unaffected", id="another type"),
        pytest.param({}, {"minItems": 2}, None, "unaffected", id="null"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("min_items", given, when, value) == then
