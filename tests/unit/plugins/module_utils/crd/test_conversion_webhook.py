# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the conversion webhook is."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd


def test_it_is_harmless() -> None:
    old, new = (
        {"strategy": "Webhook", "webhook": {"clientConfig": {"url": url}}} for url in ("https://a", "https://b")
    )
    changes = compare_crds(crd(conversion=old), crd(conversion=new))
    assert [(change.rule, change.severity) for change in changes] == [("conversion_webhook", "harmless")]
