# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Only what was given is in what is applied."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.extension.manifest import (
    WantedCatalog,
    WantedExtension,
    catalog_manifest,
    extension_manifest,
)
from ansible_collections.fleet.olm.plugins.module_utils.nested import at

SOURCE = {"sourceType": "Catalog", "catalog": {"packageName": "greeter"}}


def test_the_least_is_a_namespace_and_a_package() -> None:
    assert extension_manifest(WantedExtension("greeter", "greeter-system", "greeter")) == {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "greeter"},
        "spec": {"namespace": "greeter-system", "source": SOURCE},
    }


@pytest.mark.parametrize(
    ("option", "value", "path", "field"),
    [
        ("version", "1.x", "source.catalog.version", "1.x"),
        ("channels", ("stable",), "source.catalog.channels", ["stable"]),
        ("selector", {"matchLabels": {"a": "b"}}, "source.catalog.selector", {"matchLabels": {"a": "b"}}),
        ("upgrade_constraint_policy", "SelfCertified", "source.catalog.upgradeConstraintPolicy", "SelfCertified"),
        ("config", {"watchNamespace": "a"}, "config", {"configType": "Inline", "inline": {"watchNamespace": "a"}}),
        ("crd_upgrade_safety", "none", "install.preflight.crdUpgradeSafety.enforcement", "None"),
        ("crd_upgrade_safety", "strict", "install.preflight.crdUpgradeSafety.enforcement", "Strict"),
        ("progress_deadline_minutes", 10, "progressDeadlineMinutes", 10),
        ("service_account", "installer", "serviceAccount", {"name": "installer"}),
    ],
)
def test_an_option_is_a_field(option: str, value: Any, path: str, field: Any) -> None:
    wanted = WantedExtension("greeter", "greeter-system", "greeter", **{option: value})
    assert at(extension_manifest(wanted)["spec"], *path.split(".")) == field


def test_a_catalog_with_everything() -> None:
    wanted = WantedCatalog("example", "registry.example.com/c:1", 10, 0, "Unavailable", {"team": "a"})
    manifest = catalog_manifest(wanted)
    assert manifest["metadata"] == {"name": "example", "labels": {"team": "a"}}
    image = {"ref": "registry.example.com/c:1", "pollIntervalMinutes": 10}
    assert manifest["spec"] == {
        "source": {"type": "Image", "image": image},
        # 0 is a priority that somebody may want to be sure of.
        "priority": 0,
        "availabilityMode": "Unavailable",
    }
