# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a bundle gives to whom: by its ClusterServiceVersion, and by roles and bindings that it ships."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import permissions
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import as_data, compare_bundles
from ansible_collections.fleet.olm.plugins.module_utils.rbac.bundle import bundle_grants
from ansible_collections.fleet.olm.plugins.module_utils.rbac.words import sentences
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import bundle_csv, deployment, strategy

PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-view"


def role(kind: str = "ClusterRole", **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "r", **metadata}, "rules": [PODS]}


def binding(
    kind: str = "ClusterRole", subject: dict[str, Any] | None = None, name: str = "r", **metadata: Any
) -> dict[str, Any]:
    return {
        "kind": "RoleBinding" if kind == "Role" or "namespace" in metadata else "ClusterRoleBinding",
        "metadata": {"name": "b", **metadata},
        "roleRef": {"kind": kind, "name": name},
        "subjects": [subject or account("tea")],
    }


def account(name: str, namespace: str | None = None) -> dict[str, Any]:
    return {"kind": "ServiceAccount", "name": name, **({"namespace": namespace} if namespace else {})}


def bundle(*others: dict[str, Any], **details: Any) -> Bundle:
    runs = strategy(deployments=[deployment(serviceAccountName="runner")], **details)
    return Bundle(package="tea", csv=bundle_csv(install=runs), others=others)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        pytest.param([role()], [], id="a role that nobody has"),
        pytest.param(
            [role(), binding()], ["may read Pods in all namespaces (service account tea)"], id="a ClusterRoleBinding"
        ),
        pytest.param(
            [role("Role", namespace="authors"), binding("Role")],
            ["may read Pods in the install namespace (service account tea)"],
            id="a RoleBinding goes to the install namespace, whatever its authors wrote",
        ),
        pytest.param(
            [role(), binding(namespace="authors")],
            ["may read Pods in the install namespace (service account tea)"],
            id="a ClusterRole in a namespace",
        ),
        pytest.param(
            [role(), binding(subject=account("runner", "authors"))],
            ["may read Pods in all namespaces (service account runner)"],
            id="the account of a deployment, in the namespace of its authors",
        ),
        pytest.param(
            [
                role(),
                binding(subject=account("tea", "authors")),
                {"kind": "ServiceAccount", "metadata": {"name": "tea"}},
            ],
            ["may read Pods in all namespaces (service account tea)"],
            id="an account that the bundle ships",
        ),
        pytest.param(
            [role(), binding(subject=account("prometheus", "monitoring"))],
            ["may read Pods in all namespaces (service account monitoring/prometheus)"],
            id="an account of somebody else",
        ),
        pytest.param(
            [role(), binding(subject={"kind": "Group", "name": "system:authenticated"})],
            ["may read Pods in all namespaces (group system:authenticated)"],
            id="a group",
        ),
        pytest.param(
            [binding(name="cluster-admin")],
            ["may do all that is allowed by ClusterRoles named cluster-admin in all namespaces (service account tea)"],
            id="a role of the cluster",
        ),
        pytest.param(
            [role(labels={AGGREGATE: "true"})],
            [
                "may read Pods in the namespaces where they have it (whoever has the ClusterRole view or edit or admin)",
            ],
            id="a role that roles of the cluster gather",
        ),
    ],
)
def test_what_is_given_by_manifests(others: list[dict[str, Any]], expected: list[str]) -> None:
    assert sentences(bundle_grants(bundle(*others))) == expected
    compared = as_data(compare_bundles(bundle(), bundle(*others)))
    assert compared["permissions"]["gained"] == expected
    assert as_data(compare_bundles(bundle(*others), bundle()))["permissions"]["lost"] == expected


def test_it_is_no_gain_to_get_by_a_binding_what_the_csv_gave() -> None:
    before = bundle(clusterPermissions=[{"serviceAccountName": "runner", "rules": [PODS]}])
    after = bundle(role(), binding(subject=account("runner", "authors")))
    comparison = compare_bundles(before, after)
    assert (comparison.gained, comparison.lost) == (frozenset(), frozenset())


def test_the_rules_of_accounts_with_those_that_bindings_give() -> None:
    given = bundle(
        role(),
        role("Role"),
        binding(),
        binding("Role"),
        binding(name="cluster-admin", subject=account("runner", "authors")),
        binding(subject={"kind": "Group", "name": "people"}),
        permissions=[{"serviceAccountName": "tea", "rules": [PODS]}],
    )
    assert permissions(given) == {
        "runner": {
            "namespaced": [],
            "cluster": [],
            "roles": [{"kind": "ClusterRole", "name": "cluster-admin", "scope": "all namespaces"}],
        },
        "tea": {"namespaced": [PODS], "cluster": [PODS], "install_namespace": [PODS]},
    }
