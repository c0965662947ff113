# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Defaults: they change what leaving a field out means, and hurt no stored object."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "default": "a"}, {"": "tightening"}, id="added"),
        pytest.param(
            {"type": "string", "default": "a"}, {"type": "string", "default": "b"}, {"": "tightening"}, id="changed"
        ),
        pytest.param({"type": "string", "default": "a"}, {"type": "string"}, {"": "tightening"}, id="removed"),
        pytest.param({"type": "string"}, {"type": "string", "default": None}, {"": "harmless"}, id="null is none"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("default_value", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "default": "a"}, "b", "unaffected", id="added"),
        pytest.param({"type": "string", "default": "a"}, {"type": "string"}, "a", "unaffected", id="removed"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("default_value", given, when, value) == then
