# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A CRD with another group or plural name is another CRD."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    NAMES,
    by_rule,
    crd,
    widget,
    worst_effect,
)

RENAMED = {**crd(), "metadata": {"name": "other.example.com"}}


@pytest.mark.parametrize(
    ("when", "then"),
    [
        pytest.param(crd(group="other.org"), 'group changed from "example.com" to "other.org"', id="group"),
        pytest.param(
            crd(names={**NAMES, "plural": "parts"}), 'plural name changed from "widgets" to "parts"', id="plural"
        ),
        pytest.param(
            RENAMED,
            'name of the CRD changed from "widgets.example.com" to "other.example.com"',
            id="nothing but the name",
        ),
    ],
)
def test_it_is_refused_and_hurts_everybody(when: Any, then: str) -> None:
    changes = by_rule("identity", compare_crds(crd(), when))
    assert [(change.severity, change.refused, change.message) for change in changes] == [("losing", True, then)]
    assert worst_effect(changes, widget(1)) == "affected"
