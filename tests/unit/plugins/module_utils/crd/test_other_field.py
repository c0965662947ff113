# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of spec that Kubernetes does not know."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd


def test_they_are_harmless() -> None:
    assert [change.told() for change in compare_crds(crd(), crd(odd=1))] == [
        {
            "crd": "widgets.example.com",
            "version": "",
            "path": "",
            "rule": "other_field",
            "severity": "harmless",
            "message": "spec.odd 1 was added, unknown to Kubernetes",
            "refused": False,
        }
    ]
