# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schemas for the items of a list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "array"}, {"type": "array", "items": {"type": "integer"}}, {"": "tightening"}, id="added"
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "array"},
            {"": "losing"},
            id="removed",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "x-kubernetes-preserve-unknown-fields": True},
            {"": "harmless"},
            id="removed where all is kept",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": [{"type": "integer"}]},
            {"": "tightening"},
            id="by position",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "string"}},
            {},
            id="compared further down",
        ),
        pytest.param({"type": "array"}, {"type": "array", "items": None}, {"": "harmless"}, id="null is none"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("list_items", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"type": "array"}, {"type": "array", "items": {"type": "integer"}}, [1], "unaffected", id="fits"),
        pytest.param(
            {"type": "array"}, {"type": "array", "items": {"type": "integer"}}, ["x"], "affected", id="does not fit"
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "array"},
            [{"a": 1}],
            "affected",
            id="would lose something",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
            {"type": "array"},
            [1],
            "unaffected",
            id="nothing to lose",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": [{"type": "integer"}]},
            [1],
            "undecided",
            id="by position",
        ),
        pytest.param(
            {"type": "array"}, {"type": "array", "items": {"type": "integer"}}, "x", "unaffected", id="no list"
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("list_items", given, when, value) == then
