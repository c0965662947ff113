# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubernetes objects within custom resources."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-embedded-resource": True},
            {"": "tightening"},
            id="added",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-embedded-resource": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"": "harmless"},
            id="removed where all is kept",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-embedded-resource": True}, {"type": "object"}, {"": "losing"}, id="removed"
        ),
        pytest.param(
            {"type": "object"},
            {"type": "object", "x-kubernetes-embedded-resource": False},
            {"": "harmless"},
            id="false is none",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-embedded-resource": True},
            {
                "type": "object",
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"type": "object"},
                },
            },
            {"": "harmless"},
            id="removed where fields are listed",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("embedded_resource", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-embedded-resource": True},
            {"apiVersion": "v1", "kind": "Pod"},
            "unaffected",
            id="is one",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-embedded-resource": True},
            {"apiVersion": "v1"},
            "affected",
            id="has no kind",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-embedded-resource": True},
            {"type": "object"},
            {"kind": "Pod"},
            "affected",
            id="would lose its kind",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-embedded-resource": True},
            {"type": "object"},
            {},
            "unaffected",
            id="nothing to lose",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("embedded_resource", given, when, value) == then
