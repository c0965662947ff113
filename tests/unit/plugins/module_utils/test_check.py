# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a bundle and a configuration would be accepted: all that is wrong, and all that one should know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import install_modes

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


@pytest.mark.parametrize("modes", [("MultiNamespace",), ()])
def test_a_bundle_that_can_be_installed_nowhere_is_no_good_one(greeter: Bundle, modes: tuple[str, ...]) -> None:
    csv = {**greeter.csv, "spec": {**greeter.csv["spec"], "installModes": install_modes(*modes)}}
    found = check(replace(greeter, csv=csv), None, None)
    assert found.problems == (
        "bundle 'greeter.v1.0.0' cannot be installed: it must support one of AllNamespaces, SingleNamespace, OwnNamespace, and supports "
        + (", ".join(modes) or "none"),
    )


@pytest.mark.parametrize("namespace", ["Foo_Bar", "", "a" * 70, "-a"])
def test_a_namespace_that_cannot_be_is_refused(greeter: Bundle, namespace: str) -> None:
    with pytest.raises(OptionError, match=r"namespace: '.*' cannot be the name of a namespace"):
        check(greeter, None, namespace)


@pytest.mark.parametrize("namespace", [None, "greeter-system"])
def test_what_olm_does_not_install_is_a_warning(greeter: Bundle, namespace: str | None) -> None:
    owned = {"owned": [{"group": "drinks.example", "version": "v1", "kind": "Cup"}]}
    csv = {**greeter.csv, "spec": {**greeter.csv["spec"], "apiservicedefinitions": owned}}
    found = check(replace(greeter, csv=csv), None, namespace)
    assert (found.problems, found.warnings) == ((), ("the APIService 'v1.drinks.example' is not installed by OLM v1",))
