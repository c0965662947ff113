# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions that go although objects are stored in them."""

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

BETA_STORED = crd(version("v1", storage=False), version("v1beta1"))


@pytest.mark.parametrize(
    ("given", "then"),
    [
        pytest.param(BETA_STORED, ["v1beta1"], id="storage version"),
        pytest.param(
            crd(version("v1"), version("v1beta1", storage=False), stored=["v1beta1", "v1"]), ["v1beta1"], id="by status"
        ),
        pytest.param(crd(version("v1"), version("v1beta1", storage=False), stored=["v1"]), [], id="migrated"),
    ],
)
def test_it_is_refused(given: Any, then: list[str]) -> None:
    changes = by_rule("stored_version_removed", compare_crds(given, crd(version("v1"), group="example.com", odd=1)))
    assert [change.version for change in changes] == then
    assert all(change.severity == "losing" and change.refused for change in changes)


@pytest.mark.parametrize(("stored", "then"), [(None, "affected"), (["v1beta1"], "affected"), (["v1"], "unaffected")])
def test_it_hurts_objects_that_are_stored_in_it(stored: list[str] | None, then: str) -> None:
    changes = by_rule("stored_version_removed", compare_crds(BETA_STORED, crd(version("v1"))))
    assert worst_effect(changes, widget(1), stored) == then
