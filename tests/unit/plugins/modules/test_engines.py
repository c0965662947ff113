# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One extension, described once, works with either engine: cluster_extension and bundle_install call the same things by the same names."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_catalog import KEYS
from ansible_collections.fleet.olm.plugins.modules import bundle_install, cluster_extension

OLM: dict[str, Any] = dict(cluster_extension.PROGRAM.argument_spec)
DIRECT: dict[str, Any] = dict(bundle_install.PROGRAM.argument_spec)

# Which values they take differs: OLM v1 keeps no history, each takes over from the other, and the namespace of what is removed is known to OLM v1.
OTHER_VALUES = {"state", "adopt_from", "namespace"}
# How OLM v1 finds a bundle, which for bundle_install is part of `source`, where upgrade_constraint_policy is called as catalog_resolve calls it.
IN_SOURCE = set(KEYS) - {"policy"}
# What only one of them does.
OF_OLM = {
    *("selector", "upgrade_constraint_policy"),
    *("crd_upgrade_safety", "progress_deadline_minutes", "service_account", "validate", "retry_grace"),
}
OF_DIRECT = {
    *("source", "revision", "wait_for", "adopt", "accept_permissions", "crd_safety", "history_limit"),
    *("certificate_provider", "image_mirrors"),
}


def test_what_both_take_is_the_same() -> None:
    shared = set(OLM) & set(DIRECT)
    assert {name for name in shared if OLM[name] != DIRECT[name]} == OTHER_VALUES
    assert all(OLM[name]["type"] == DIRECT[name]["type"] for name in shared)
    assert {"name", "config", "create_namespace", "wait", "wait_timeout", "force_conflicts", "delete_crds"} < shared


def test_what_only_one_takes_is_its_own() -> None:
    assert set(OLM) - set(DIRECT) == IN_SOURCE | OF_OLM
    assert set(DIRECT) - set(OLM) == OF_DIRECT


def test_each_names_the_other_to_take_over_from() -> None:
    assert (OLM["adopt_from"]["choices"], DIRECT["adopt_from"]["choices"]) == (["direct"], ["olm"])
