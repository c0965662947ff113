# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kind is written into every stored object."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    NAMES,
    by_rule,
    crd,
    widget,
    worst_effect,
)


def test_another_kind_is_refused_and_hurts_everybody() -> None:
    changes = by_rule("kind", compare_crds(crd(), crd(names={**NAMES, "kind": "Part"})))
    assert [(change.severity, change.refused) for change in changes] == [("losing", True)]
    assert worst_effect(changes, widget(1)) == "affected"
