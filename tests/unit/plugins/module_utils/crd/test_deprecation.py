# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deprecated versions."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version


@pytest.mark.parametrize("when", [{"deprecated": True}, {"deprecationWarning": "use v2"}])
def test_it_is_harmless(when: dict[str, Any]) -> None:
    changes = compare_crds(crd(version()), crd(version(**when)))
    assert [(change.rule, change.version, change.severity) for change in changes] == [("deprecation", "v1", "harmless")]
