# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""spec.preserveUnknownFields, which v1beta1 takes for true and v1 for false."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    by_rule,
    crd,
    version,
    widget,
    worst_effect,
)

SCHEMA = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"field": {"type": "object", "properties": {"a": {}}}}}},
}
DROPS = crd(version(schema=SCHEMA))
KEEPS = crd(version(schema=SCHEMA), preserveUnknownFields=True)
OLD_FORMAT = {**DROPS, "apiVersion": "apiextensions.k8s.io/v1beta1"}


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(KEEPS, DROPS, ["losing"], id="dropped now"),
        pytest.param(DROPS, KEEPS, ["harmless"], id="kept now"),
        pytest.param(OLD_FORMAT, DROPS, ["losing"], id="v1beta1 keeps them"),
        pytest.param(OLD_FORMAT, KEEPS, [], id="kept as before"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: list[str]) -> None:
    assert [change.severity for change in by_rule("pruning_everywhere", compare_crds(given, when))] == then


@pytest.mark.parametrize(
    ("custom_resource", "then"),
    [
        pytest.param(widget({"a": 1}), "unaffected", id="known"),
        pytest.param(widget({"b": 1}), "affected", id="unknown"),
        pytest.param({**widget({}), "apiVersion": "example.com/v9"}, "undecided", id="in a version without schema"),
    ],
)
def test_whom_it_hurts(custom_resource: Any, then: str) -> None:
    assert worst_effect(by_rule("pruning_everywhere", compare_crds(KEEPS, DROPS)), custom_resource) == then


def test_a_field_that_is_removed_is_kept_where_all_is_kept() -> None:
    bare = crd(version(schema={"type": "object"}), preserveUnknownFields=True)
    assert [change.severity for change in by_rule("property_removed", compare_crds(KEEPS, bare))] == ["harmless"]
