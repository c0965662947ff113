# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a bundle and a configuration would be accepted: all that is wrong, and all that one should know."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "bundles"


@pytest.fixture(scope="module")
def greeter() -> Bundle:
    return read_bundle(EXAMPLES / "greeter")


def test_problems_of_bundle_and_configuration_are_told_together(greeter: Bundle) -> None:
    broken = Bundle(package="", csv=greeter.csv, crds=())
    found = check(broken, {"watchNamespaces": "x"}, "greeter-system")
    assert [problem.partition(":")[0] for problem in found.problems] == [
        "invalid bundle 'greeter.v1.0.0'",
        "invalid bundle 'greeter.v1.0.0'",
        "invalid bundle configuration",
    ]


def test_without_a_namespace_only_the_bundle_is_checked(greeter: Bundle) -> None:
    assert check(greeter, None, None).problems == ()


def test_what_olm_accepts_and_will_not_work_is_a_warning(greeter: Bundle) -> None:
    config = {
        "deploymentConfig": {
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "env": [{"name": "X", "valeu": "1"}],
        }
    }
    found = check(greeter, config, "greeter-system")
    assert found.problems == ()
    assert any("'deploymentConfig.env[0].valeu'" in warning for warning in found.warnings)
    assert any("mounts the volume 'data'" in warning for warning in found.warnings)
