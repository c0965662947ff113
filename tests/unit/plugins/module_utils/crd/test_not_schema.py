# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A schema that values must not fit."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"not": {"required": ["a"]}}, {"": "tightening"}, id="added"),
        pytest.param({"not": {"required": ["a"]}}, {"not": {"required": ["b"]}}, {"": "tightening"}, id="changed"),
        pytest.param({"not": {"required": ["a"]}}, {}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"not": {"required": ["a"], "title": "x"}},
            {"not": {"required": ["a"]}},
            {"": "harmless"},
            id="documentation",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("not_schema", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"not": {"required": ["a"]}}, {"a": 1}, "affected", id="fits"),
        pytest.param({}, {"not": {"required": ["a"]}}, {"b": 1}, "unaffected", id="does not"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("not_schema", given, when, value) == then
