# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that hurt nobody, and what OLM v1 says of them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.olm_refusals import refused_by_olm
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version

TEXT = {"type": "string"}


def refused(old: Any, new: Any) -> list[str]:
    return [change.rule for change in refused_by_olm(compare_crds(crd(version(schema=old)), crd(version(schema=new))))]


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        pytest.param(TEXT, {**TEXT, "description": "a"}, [], id="described"),
        pytest.param(TEXT, {**TEXT, "example": "a"}, ["documentation"], id="an example"),
        pytest.param({**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a", "b"]}, [], id="one value more"),
        pytest.param({**TEXT, "enum": ["a"]}, TEXT, ["enum_values"], id="any value"),
        pytest.param({**TEXT, "pattern": "^a"}, TEXT, ["pattern"], id="any text"),
        pytest.param({**TEXT, "maxLength": 1}, {**TEXT, "maxLength": 2}, [], id="longer"),
        pytest.param(TEXT, {**TEXT, "nullable": True}, ["nullable"], id="null"),
    ],
)
def test_at_a_field(old: Any, new: Any, rules: list[str]) -> None:
    parent = {"type": "object"}
    assert refused({**parent, "properties": {"x": old}}, {**parent, "properties": {"x": new}}) == rules


def test_below_the_values_of_a_map_it_refuses_everything() -> None:
    described = {**TEXT, "description": "a"}
    old, new = ({"type": "object", "additionalProperties": item} for item in (TEXT, described))
    parent = {"type": "object"}
    assert refused({**parent, "properties": {"x": old}}, {**parent, "properties": {"x": new}}) == ["documentation"]


def test_a_field_that_was_added_is_fine() -> None:
    assert not refused({"type": "object"}, {"type": "object", "properties": {"x": TEXT}})
