# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""At least one schema of a list."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"anyOf": [{"required": ["a"]}]}, {"": "tightening"}, id="added"),
        pytest.param(
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"anyOf": [{"required": ["a"]}]},
            {"": "tightening"},
            id="branch removed",
        ),
        pytest.param(
            {"anyOf": [{"required": ["a"]}]},
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"": "harmless"},
            id="branch added",
        ),
        pytest.param({"anyOf": [{"required": ["a"]}]}, {}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"type": "string"},
            {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            {"": "harmless"},
            id="all types that there were",
        ),
        pytest.param(
            {"anyOf": [{"required": ["a"], "description": "x"}]},
            {"anyOf": [{"required": ["a"]}]},
            {"": "harmless"},
            id="documentation",
        ),
        pytest.param({}, {"anyOf": {}}, {"": "harmless"}, id="no list"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("any_of", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param({}, {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1}, "unaffected", id="fits one"),
        pytest.param({}, {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"c": 1}, "affected", id="fits none"),
        pytest.param({}, {"anyOf": [{"format": "uri"}]}, "x", "undecided", id="not decided here"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("any_of", given, when, value) == then
