# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every schema of a list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"allOf": [{"required": ["a"]}]}, {"": "tightening"}, id="added"),
        pytest.param(
            {"allOf": [{"required": ["a"]}]},
            {"allOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"": "tightening"},
            id="branch added",
        ),
        pytest.param(
            {"allOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"allOf": [{"required": ["a"]}]},
            {"": "harmless"},
            id="branch removed",
        ),
        pytest.param(
            {"allOf": [{"properties": {"title": {"title": "x"}}}]},
            {"allOf": [{"properties": {"title": {}}}]},
            {"": "harmless"},
            id="documentation",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("all_of", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {}, {"allOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 1}, "unaffected", id="fits all"
        ),
        pytest.param({}, {"allOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1}, "affected", id="fits one"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("all_of", given, when, value) == then
