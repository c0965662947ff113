# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions that go, and in which nothing is stored."""

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

SERVED = crd(version("v1"), version("v1beta1", storage=False))


@pytest.mark.parametrize(
    ("given", "then"),
    [
        pytest.param(SERVED, [("v1beta1", "tightening")], id="served"),
        pytest.param(
            crd(version("v1"), version("v1beta1", storage=False, served=False)),
            [("v1beta1", "harmless")],
            id="unserved",
        ),
        pytest.param(crd(version("v1"), version("v1beta1", storage=False), stored=["v1", "v1beta1"]), [], id="stored"),
    ],
)
def test_how_much_it_matters(given: Any, then: list[Any]) -> None:
    changes = by_rule("version_removed", compare_crds(given, crd(version("v1"))))
    assert [(change.version, change.severity) for change in changes] == then


@pytest.mark.parametrize(
    ("stored", "then"), [(None, "unaffected"), (["v1"], "unaffected"), (["v1beta1", "v1"], "affected")]
)
def test_it_hurts_objects_that_turn_out_to_be_stored_in_it(stored: list[str] | None, then: str) -> None:
    changes = by_rule("version_removed", compare_crds(SERVED, crd(version("v1"))))
    assert worst_effect(changes, widget(1), stored) == then
