# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two CRDs that are written differently and mean the same."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version


@pytest.mark.parametrize(
    "when",
    [
        pytest.param(crd(conversion={"strategy": "None"}), id="default written out"),
        pytest.param(crd(version(schema={"type": "object"}, deprecated=False)), id="false written out"),
        pytest.param(crd(version(schema={"type": "object"}), "nonsense"), id="what is no version"),
    ],
)
def test_it_is_named_and_harmless(when: Any) -> None:
    assert [(change.rule, change.severity) for change in compare_crds(crd(), when)] == [("notation", "harmless")]
