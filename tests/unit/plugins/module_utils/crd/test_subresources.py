# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Subresources."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version


def test_they_are_harmless() -> None:
    changes = compare_crds(crd(version()), crd(version(subresources={"status": {}})))
    assert [(change.rule, change.version, change.severity) for change in changes] == [
        ("subresources", "v1", "harmless")
    ]
