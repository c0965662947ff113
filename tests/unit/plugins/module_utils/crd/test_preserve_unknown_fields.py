# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that the schema does not know, at one place."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object"},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"": "harmless"},
            id="kept now",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object"},
            {"": "losing"},
            id="dropped now",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"": "harmless"},
            id="into a map",
        ),
        pytest.param(
            {"x-kubernetes-preserve-unknown-fields": True},
            {"type": "string"},
            {"": "harmless"},
            id="no object any longer",
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
            {"": "harmless"},
            id="false is none",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("preserve_unknown_fields", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"b": 1},
            "affected",
            id="has some",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            {"a": 1},
            "unaffected",
            id="has none",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object"},
            {},
            "unaffected",
            id="is empty",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("preserve_unknown_fields", given, when, value) == then
