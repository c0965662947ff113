# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Exactly one schema of a list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"oneOf": [{"required": ["a"]}]}, {"": "tightening"}, id="added"),
        pytest.param(
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"oneOf": [{"required": ["a"]}]},
            {"": "tightening"},
            id="branch removed",
        ),
        pytest.param(
            {"oneOf": [{"required": ["a"]}]},
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"": "tightening"},
            id="branch added",
        ),
        pytest.param({"oneOf": [{"required": ["a"]}]}, {}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"oneOf": [{"required": ["b"]}, {"required": ["a"]}]},
            {"": "harmless"},
            id="another order",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("one_of", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1}, "unaffected", id="fits one"),
        pytest.param({}, {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, "affected", id="fits none"),
        pytest.param(
            {"oneOf": [{"required": ["a"]}]},
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": 1, "b": 1},
            "affected",
            id="fits two",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("one_of", given, when, value) == then
