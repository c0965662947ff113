# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schemas without end."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema import DEPTH_LIMIT
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    changes_of_field,
    crd,
    version,
    widget,
)


def nested(depth: int, innermost: dict[str, Any]) -> dict[str, Any]:
    for _level in range(depth):
        innermost = {"type": "array", "items": innermost}
    return crd(version(schema=innermost))


def test_what_is_within_the_limit_is_compared() -> None:
    changes = compare_crds(nested(DEPTH_LIMIT - 1, {"type": "integer"}), nested(DEPTH_LIMIT - 1, {"type": "string"}))
    assert [(change.rule, change.path) for change in changes] == [("value_type", "[]" * (DEPTH_LIMIT - 1))]


def test_what_is_beyond_is_said_and_left_to_an_api_server() -> None:
    changes = compare_crds(nested(5000, {"type": "integer"}), nested(5000, {"type": "string"}))
    assert [(change.rule, change.severity, change.path) for change in changes] == [
        ("too_deep", "tightening", "[]" * DEPTH_LIMIT)
    ]
    custom_resource: Any = 1
    for _level in range(5000):
        custom_resource = [custom_resource]
    assert effect(changes[0], custom_resource) == "undecided"


@pytest.mark.parametrize("depth", [90, 150, 400, 3000])
@pytest.mark.parametrize("keyword", ["not", "anyOf", "oneOf", "allOf", "items", "default", "x-odd"])
def test_no_depth_is_a_reason_to_fail(keyword: str, depth: int) -> None:
    old: Any = {"type": "string"}
    new: Any = {"type": "integer"}
    for _level in range(depth):
        old, new = ({keyword: [schema] if keyword.endswith("Of") else schema} for schema in (old, new))
    deep_value: Any = 1
    for _level in range(depth):
        deep_value = {"a": [deep_value]}
    changes = changes_of_field(old, new)
    assert changes
    for change in changes:
        assert effect(change, widget(deep_value)) in ("unaffected", "affected", "undecided")


def test_no_depth_of_a_name_is_a_reason_to_fail() -> None:
    old: Any = 1
    new: Any = 2
    for _level in range(5000):
        old, new = [old], [new]
    changes = compare_crds(crd(version(subresources=old)), crd(version(subresources=new)))
    assert [(change.rule, change.severity) for change in changes] == [("subresources", "harmless")]
