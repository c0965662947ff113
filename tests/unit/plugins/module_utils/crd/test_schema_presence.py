# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions with and without a schema."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    by_rule,
    crd,
    version,
    widget,
    with_field,
    worst_effect,
)

NONE = crd(version())
NULL = crd({**version(), "schema": {"openAPIV3Schema": None}})
LIST = crd({**version(), "schema": []})


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(NONE, with_field({"type": "integer"}), ["tightening"], id="added"),
        pytest.param(NULL, with_field({"type": "integer"}), ["tightening"], id="null is none"),
        pytest.param(NONE, crd(version(schema={})), ["harmless"], id="an empty one"),
        pytest.param(with_field({"type": "integer"}), NONE, ["harmless"], id="removed"),
        pytest.param(NONE, LIST, [], id="none in two ways"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: list[str]) -> None:
    assert [change.severity for change in by_rule("schema_presence", compare_crds(given, when))] == then


@pytest.mark.parametrize(
    ("custom_resource", "then"),
    [
        pytest.param(widget(1), "unaffected", id="fits"),
        pytest.param(widget("x"), "affected", id="does not fit"),
        pytest.param({"spec": {"other": 1}}, "affected", id="would lose a field"),
    ],
)
def test_whom_it_hurts(custom_resource: Any, then: str) -> None:
    changes = by_rule("schema_presence", compare_crds(NONE, with_field({"type": "integer"})))
    assert worst_effect(changes, custom_resource) == then
