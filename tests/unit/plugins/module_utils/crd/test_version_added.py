# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""New versions."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import by_rule, crd, version


def test_it_is_harmless() -> None:
    changes = compare_crds(crd(version("v1")), crd(version("v1"), version("v2", storage=False)))
    found = by_rule("version_added", changes)
    assert [(change.version, change.severity) for change in found] == [("v2", "harmless")]
    assert found[0].message == "version v2 was added, served"
