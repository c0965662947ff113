# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The digest of a comparison, and the gate that is to take it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import K8S_V1, Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import compare_bundles
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.gate import GateResult, permission_gate
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    deployment,
    install_modes,
    strategy,
)

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
ALL = ("AllNamespaces", "OwnNamespace", "SingleNamespace")
OWN = {"watchNamespace": "home"}
SINGLE = {"watchNamespace": "team-a"}


def gate(old: Bundle, new: Bundle, namespace: str, config: Any, accepted: str | None) -> GateResult:
    before, after = (
        render(bundle, Config.parse(config, schema_of(bundle), namespace), namespace, None) for bundle in (old, new)
    )
    return permission_gate(before, after, accepted, namespace)


def bundle(*others: dict[str, Any], modes: tuple[str, ...] = ALL, **details: Any) -> Bundle:
    csv = bundle_csv(installModes=install_modes(*modes), install=strategy(deployments=[deployment()], **details))
    return Bundle(package="tea", csv=csv, others=others)


def permitted(*modes: str) -> Bundle:
    return bundle(modes=modes or ALL, permissions=[{"serviceAccountName": "tea", "rules": [PODS]}])


def bound(kind: str, namespace: str | None = None) -> tuple[dict[str, Any], ...]:
    place = {"namespace": namespace} if namespace else {}
    return (
        {"kind": kind, "metadata": {"name": "r"}, "rules": [PODS]},
        {
            "kind": f"{kind}Binding",
            "metadata": {"name": "b"},
            "roleRef": {"kind": kind, "name": "r"},
            "subjects": [{"kind": "ServiceAccount", "name": "tea", **place}],
        },
    )


def test_the_digest_of_the_examples_opens_the_gate_in_any_namespace() -> None:
    old, new = read_bundle(EXAMPLES / "greeter"), read_bundle(EXAMPLES / "greeter-1.1.0")
    told = compare_bundles(old, new).permissions_digest
    for namespace in ("home", "greeter-system"):
        assert compare_bundles(old, new, None, namespace).permissions_digest == told
        for config in (None, {"watchNamespace": namespace}, SINGLE):
            assert compare_bundles(old, new, config, namespace).permissions_digest == told
            found = gate(old, new, namespace, config, told)
            assert (found.digest, found.problem) == (told, None)


@pytest.mark.parametrize(
    ("old", "new", "config"),
    [
        pytest.param(bundle(), permitted(), None, id="lifted, as all namespaces are watched"),
        pytest.param(bundle(), permitted(), OWN, id="in its own namespace"),
        pytest.param(bundle(), permitted(), SINGLE, id="in another namespace"),
        pytest.param(
            bundle(modes=("OwnNamespace",)), permitted("OwnNamespace"), OWN, id="where nothing else is supported"
        ),
        pytest.param(
            bundle(modes=("SingleNamespace",)), permitted("SingleNamespace"), SINGLE, id="where it must be another"
        ),
        pytest.param(bundle(), bundle(*bound("ClusterRole", "home")), None, id="by a binding to its own account"),
        pytest.param(bundle(), bundle(*bound("ClusterRole", "away")), None, id="by a binding to another account"),
        pytest.param(bundle(), bundle(*bound("Role")), SINGLE, id="in the install namespace while it watches another"),
    ],
)
def test_with_namespace_and_configuration_it_is_what_the_gate_prints(old: Bundle, new: Bundle, config: Any) -> None:
    told = compare_bundles(old, new, config, "home").permissions_digest
    assert told
    assert gate(old, new, "home", config, None).digest == told
    assert gate(old, new, "home", config, told).problem is None


@pytest.mark.parametrize(
    ("old", "new", "config"),
    [
        pytest.param(bundle(), permitted(), None, id="all namespaces are watched"),
        pytest.param(bundle(modes=("OwnNamespace",)), permitted("OwnNamespace"), OWN, id="only its own can be watched"),
        pytest.param(bundle(), bundle(*bound("Role")), SINGLE, id="what does not depend on it"),
        pytest.param(bundle(), bundle(*bound("ClusterRole", "away")), None, id="the account of somebody else"),
    ],
)
def test_without_a_namespace_it_is_that_of_the_widest_install(old: Bundle, new: Bundle, config: Any) -> None:
    told = compare_bundles(old, new).permissions_digest
    assert told
    assert gate(old, new, "home", config, told).problem is None


@pytest.mark.parametrize(
    ("old", "new", "config", "namespace"),
    [
        pytest.param(permitted(), permitted(), None, None, id="nothing is gained"),
        pytest.param(
            permitted(),
            bundle(clusterPermissions=[{"serviceAccountName": "tea", "rules": [PODS]}]),
            None,
            None,
            id="it had that everywhere already",
        ),
        pytest.param(
            bundle(modes=("SingleNamespace",)), permitted("SingleNamespace"), None, None, id="who knows what is watched"
        ),
        pytest.param(bundle(), permitted("OwnNamespace"), SINGLE, "home", id="the new one does not take it"),
        pytest.param(bundle(modes=()), permitted(), None, None, id="not installable"),
    ],
)
def test_none_where_the_gate_asks_for_nothing_or_cannot_be_known(
    old: Bundle, new: Bundle, config: Any, namespace: str | None
) -> None:
    assert compare_bundles(old, new, config, namespace).permissions_digest is None


def test_a_digest_for_one_watched_namespace_is_not_one_for_all() -> None:
    old, new = bundle(), permitted()
    told = compare_bundles(old, new, SINGLE, "home").permissions_digest
    assert (gate(old, new, "home", None, told).problem or "").endswith(f"(not {told}, which is another gain)")


def test_plain_manifests_whose_accounts_have_no_namespace() -> None:
    old, new = (
        Bundle(package="tea", csv=bundle_csv(), others=others, format=K8S_V1) for others in ((), bound("ClusterRole"))
    )
    told = compare_bundles(old, new).permissions_digest
    assert gate(old, new, "home", None, told).problem is None
