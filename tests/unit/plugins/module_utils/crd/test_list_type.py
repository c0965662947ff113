# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How lists are merged, and whether items may repeat."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "atomic",
            },
            {"": "harmless"},
            id="as one value",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "atomic",
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "set",
            },
            {"": "tightening"},
            id="as a set",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            {"": "tightening"},
            id="by keys",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "atomic",
            },
            {"": "harmless"},
            id="no longer by keys",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("list_type", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "set",
            },
            ["a", "a"],
            "affected",
            id="set repeats",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "set",
            },
            ["a", "b"],
            "unaffected",
            id="set does not",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            [{"name": "a"}, {"name": "a", "port": 1}],
            "affected",
            id="keys repeat",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "port"],
            },
            [{"name": "a"}, {"name": "a", "port": 1}],
            "unaffected",
            id="keys do not",
        ),
        pytest.param(
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
            },
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "port": {"type": "integer"},
                        "kind": {"type": "string", "default": "A"},
                    },
                },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["kind"],
            },
            [{"kind": "A"}, {}],
            "affected",
            id="a default is a key",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("list_type", given, when, value) == then
