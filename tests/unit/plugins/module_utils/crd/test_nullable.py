# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Null as a value."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "nullable": True}, {"": "harmless"}, id="allowed"),
        pytest.param({"type": "string", "nullable": True}, {"type": "string"}, {"": "tightening"}, id="forbidden"),
        pytest.param(
            {"type": "string"}, {"type": "string", "nullable": False}, {"": "harmless"}, id="false is as if not there"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("nullable", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"type": "string", "nullable": True}, {"type": "string"}, None, "affected", id="null"),
        pytest.param({"type": "string", "nullable": True}, {"type": "string"}, "a", "unaffected", id="a value"),
        pytest.param(
            {"type": "string"}, {"type": "string", "nullable": True}, None, "unaffected", id="null before and now"
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("nullable", given, when, value) == then
