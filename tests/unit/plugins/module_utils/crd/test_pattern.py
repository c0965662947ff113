# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Regular expressions, in Go's dialect."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "pattern": "^a"}, {"": "tightening"}, id="added"),
        pytest.param(
            {"type": "string", "pattern": "a"}, {"type": "string", "pattern": "^a$"}, {"": "tightening"}, id="changed"
        ),
        pytest.param({"type": "string", "pattern": "^a"}, {"type": "string"}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"type": "string", "pattern": "^a"}, {"type": "string", "pattern": ""}, {"": "harmless"}, id="emptied"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("pattern", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "pattern": "^a+$"}, "aaa", "unaffected", id="matches"),
        pytest.param({"type": "string"}, {"type": "string", "pattern": "^a+$"}, "b", "affected", id="does not"),
        pytest.param({"type": "string"}, {"type": "string", "pattern": "b"}, "abc", "unaffected", id="matches within"),
        pytest.param(
            {"type": "string"}, {"type": "string", "pattern": "^\\d$"}, "٣", "affected", id="digits are ASCII"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "pattern": "^a$"}, "a\n", "undecided", id="line break at the end"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "pattern": "^\\pL+$"}, "é", "undecided", id="only Go knows it"
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "pattern": "^[[:alpha:]]$"},
            "a",
            "undecided",
            id="only Go knows it either",
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "pattern": "^(?!a)"}, "b", "undecided", id="Go does not know it"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "pattern": "("}, "a", "undecided", id="not a regular expression"
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "pattern": "^(a+)+$"},
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
            "undecided",
            id="would take for ever",
        ),
        pytest.param({}, {"pattern": "^a"}, 5, "unaffected", id="no text"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("pattern", given, when, value) == then
