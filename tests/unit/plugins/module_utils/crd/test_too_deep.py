# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schemas without end."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema import DEPTH_LIMIT
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version


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
