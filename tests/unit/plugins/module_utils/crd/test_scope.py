# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Custom resources in namespaces, or in none."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import by_rule, crd, widget, worst_effect


def test_another_scope_is_refused_and_hurts_everybody() -> None:
    changes = by_rule("scope", compare_crds(crd(), crd(scope="Cluster")))
    assert [(change.severity, change.refused, change.version) for change in changes] == [("losing", True, "")]
    assert worst_effect(changes, widget(1)) == "affected"


def test_namespaced_is_what_a_crd_is_that_does_not_say() -> None:
    assert by_rule("scope", compare_crds(crd(), crd(scope=None))) == []
