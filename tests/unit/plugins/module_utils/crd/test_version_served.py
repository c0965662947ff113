# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions that are no longer served. Objects stored in them are shown by those that are."""

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

FULL = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"field": {"type": "integer"}}}}}
BARE = {"type": "object", "properties": {"spec": {"type": "object"}}}
WEBHOOK = {"strategy": "Webhook"}


def served(beta: bool, stable: bool = True, schema: Any = None, **spec: Any) -> dict[str, Any]:
    return crd(
        version("v1", schema or FULL, served=stable), version("v1beta1", FULL, served=beta, storage=False), **spec
    )


def test_no_longer_is_tightening_and_again_is_harmless() -> None:
    stops = by_rule("version_served", compare_crds(served(True), served(False)))
    starts = by_rule("version_served", compare_crds(served(False), served(True)))
    assert [(change.version, change.severity) for change in stops] == [("v1beta1", "tightening")]
    assert stops[0].message == "version v1beta1 is no longer served; those that are: v1"
    assert [(change.version, change.severity) for change in starts] == [("v1beta1", "harmless")]


@pytest.mark.parametrize(
    ("given", "when", "stored", "then"),
    [
        pytest.param(served(True), served(False), ["v1beta1"], "unaffected", id="another version shows it in full"),
        pytest.param(
            served(True, schema=BARE),
            served(False, schema=BARE),
            ["v1beta1"],
            "affected",
            id="no version shows it in full",
        ),
        pytest.param(
            served(True, schema=BARE), served(False, schema=BARE), ["v1"], "unaffected", id="not stored in it"
        ),
        pytest.param(
            served(True, schema=BARE, conversion=WEBHOOK),
            served(False, schema=BARE, conversion=WEBHOOK),
            ["v1beta1"],
            "unaffected",
            id="converted",
        ),
        pytest.param(served(True, False), served(False, False), ["v1"], "affected", id="none is served"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, stored: list[str], then: str) -> None:
    assert worst_effect(by_rule("version_served", compare_crds(given, when)), widget(1), stored) == then
