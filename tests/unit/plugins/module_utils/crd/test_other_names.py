# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names for the convenience of people."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import NAMES, crd


@pytest.mark.parametrize(
    "when", [{"shortNames": ["w"]}, {"categories": ["all"]}, {"singular": "one"}, {"listKind": "Widgets"}, {"odd": 1}]
)
def test_they_are_harmless(when: dict[str, Any]) -> None:
    changes = compare_crds(crd(), crd(names={**NAMES, **when}))
    assert [(change.rule, change.severity) for change in changes] == [("other_names", "harmless")]
