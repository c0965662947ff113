# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists whose items must not repeat."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"uniqueItems": True}, {"": "tightening"}, id="added"),
        pytest.param({"uniqueItems": True}, {}, {"": "harmless"}, id="removed"),
        pytest.param({}, {"uniqueItems": False}, {"": "harmless"}, id="false is none"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("unique_items", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"uniqueItems": True}, [1, 2, 1], "affected", id="repeats"),
        pytest.param({}, {"uniqueItems": True}, [1, 2, True], "unaffected", id="does not"),
        pytest.param({}, {"uniqueItems": True}, [{"a": 1}, {"a": 1}], "affected", id="objects repeat"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("unique_items", given, when, value) == then
