# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Conversion between versions, by a webhook or by rewriting the apiVersion."""

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

ONE = (version("v1"),)
TWO = (version("v1"), version("v1beta1", storage=False))
WEBHOOK = {"strategy": "Webhook"}


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(crd(*TWO), crd(*TWO, conversion=WEBHOOK), ["harmless"], id="webhook added"),
        pytest.param(crd(*TWO, conversion=WEBHOOK), crd(*TWO), ["losing"], id="webhook removed"),
        pytest.param(crd(*TWO, conversion=WEBHOOK), crd(*ONE), ["harmless"], id="with one version left"),
        pytest.param(crd(*TWO), crd(*TWO, conversion={"strategy": "None"}), [], id="None is the default"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: list[str]) -> None:
    assert [change.severity for change in by_rule("conversion_strategy", compare_crds(given, when))] == then


@pytest.mark.parametrize(
    ("stored", "then"), [(["v1"], "unaffected"), (["v1", "v1beta1"], "undecided"), (None, "undecided")]
)
def test_it_can_only_hurt_objects_that_are_stored_in_another_version(stored: list[str] | None, then: str) -> None:
    changes = by_rule("conversion_strategy", compare_crds(crd(*TWO, conversion=WEBHOOK), crd(*TWO)))
    assert worst_effect(changes, widget(1), stored) == then
