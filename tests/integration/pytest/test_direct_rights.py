# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A user with few rights, under the real RBAC authorizer: told everything at once, and with the printed roles it works."""

from __future__ import annotations

import contextlib
import urllib.error
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.permissions import rules_in
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import EVERYWHERE, grants_of
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import (
    CRD,
    CRDS,
    EXAMPLES,
    RBAC,
    Stage,
    changes_something,
    told,
)
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

NAMESPACE = "greeter-rights"
EXTENSION = {"name": "greeter", "namespace": NAMESPACE}
INSTALL = {**EXTENSION, "source": str(EXAMPLES / "greeter"), "wait_timeout": 60}
UPGRADE = {**INSTALL, "source": str(EXAMPLES / "greeter-1.1.0"), "accept_permissions": "all"}


@pytest.fixture
def live(full_cluster: Cluster, controllers: Controllers) -> Iterator[Stage]:
    """A cluster on which Deployments get ready, with an empty namespace."""
    with FaultProxy(full_cluster.url, full_cluster.ca_file) as proxy:
        stage = Stage(full_cluster, proxy, controllers)
        stage.make_namespace(NAMESPACE)
        yield stage
        stage.run({**EXTENSION, "state": "absent", "delete_crds": [CRD]})
        stage.delete(f"/api/v1/namespaces/{NAMESPACE}")
        wait_for(lambda: stage.read(f"/api/v1/namespaces/{NAMESPACE}") is None, 60)


class Roles:
    """The roles that the limited user has, and no others."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._paths: list[str] = []

    def set(self, roles: list[dict[str, Any]]) -> None:
        self.clear()
        for role in roles:
            namespace, kind, name = role["metadata"].get("namespace"), role["kind"], role["metadata"]["name"]
            base = f"{RBAC}/namespaces/{namespace}" if namespace else RBAC
            binding = {
                "metadata": role["metadata"],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                "subjects": [{"kind": "User", "name": LIMITED, "apiGroup": "rbac.authorization.k8s.io"}],
            }
            for content, plural in ((role, f"{kind.lower()}s"), (binding, f"{kind.lower()}bindings")):
                self._stage.create(f"{base}/{plural}", content)
                self._paths.append(f"{base}/{plural}/{name}")
        with Client(connection_to(self._stage.cluster, LIMITED)) as client:
            # The authorizer hears of roles a moment later.
            wait_for(lambda: all(_is_known(client, role) for role in roles))

    def clear(self) -> None:
        for path in self._paths:
            with contextlib.suppress(urllib.error.HTTPError):
                self._stage.cluster.request("DELETE", path)
        self._paths = []


def _is_known(client: Client, role: dict[str, Any]) -> bool:
    known = rules_in(client, role["metadata"].get("namespace", "")).held.grants
    return grants_of(role["rules"], EVERYWHERE) <= known


@pytest.fixture
def roles(live: Stage) -> Iterator[Roles]:
    given = Roles(live)
    yield given
    given.clear()


def roles_for(stage: Stage, options: dict[str, Any]) -> list[dict[str, Any]]:
    """The roles that a refusal prints, if it is one before the first change that says all at once."""
    stage.proxy.clear()
    result = stage.result(options, through=True, user=LIMITED)
    assert result["failed"], "it was allowed"
    assert result["changed"] is False
    assert not [request for request in stage.proxy.seen if changes_something(request)]
    printed: list[dict[str, Any]] = result["permissions_needed"]
    return printed


def test_with_exactly_the_printed_roles_everything_works(live: Stage, roles: Roles) -> None:
    roles.set(roles_for(live, INSTALL))
    installed = live.run(INSTALL, user=LIMITED)
    assert [item["condition"] for item in installed["conditions"] if item["object"].startswith("Deployment")]
    assert not live.run(INSTALL, user=LIMITED)["changed"]

    # What is handed out has to be held: the new revision hands out more.
    roles.set(roles_for(live, UPGRADE))
    assert live.run(UPGRADE, user=LIMITED)["changed"]
    assert not live.run(UPGRADE, user=LIMITED)["changed"]
    live.patch(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/greeter-controller", {"spec": {"replicas": 2}})
    assert "Deployment greeter-controller" in told(live.run(UPGRADE, user=LIMITED), "update")

    assert live.run({**EXTENSION, "state": "rolled_back"}, user=LIMITED)["changed"]
    assert live.run({**EXTENSION, "state": "absent", "delete_crds": [CRD]}, user=LIMITED)["changed"]
    assert not live.run({**EXTENSION, "state": "absent"}, user=LIMITED)["changed"]
    assert live.read(f"{CRDS}/{CRD}") is None
    assert live.secrets("greeter", NAMESPACE) == {}


def test_everything_that_is_not_allowed_is_told_at_once(live: Stage) -> None:
    live.proxy.clear()
    result = live.result(INSTALL, through=True, user=LIMITED)

    assert not [request for request in live.proxy.seen if changes_something(request)]
    said = result["problems"]
    for word in ("secrets", "deployments", "customresourcedefinitions", "serviceaccounts", "clusterroles", "roles"):
        assert any(word in line for line in said), word
    assert any("who grants rules has to hold them" in line for line in said)
    assert all(line.startswith("greeter: ") for line in said)


def test_who_may_read_only_the_ledger_is_told_at_once_what_an_upgrade_takes(live: Stage, roles: Roles) -> None:
    live.run(INSTALL)
    secrets = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}
    roles.set([{"kind": "Role", "metadata": {"name": "reader", "namespace": NAMESPACE}, "rules": [secrets]}])

    needed = roles_for(live, UPGRADE)

    rules = [rule for role in needed for rule in role["rules"]]
    for word in ("deployments", "customresourcedefinitions", "serviceaccounts", "clusterroles"):
        assert any(word in rule.get("resources", ()) for rule in rules), word


def test_an_extension_of_the_same_name_elsewhere_is_another_for_who_cannot_see_it(live: Stage, roles: Roles) -> None:
    live.run(INSTALL)
    live.create("/api/v1/namespaces", {"metadata": {"name": "team-a"}})
    elsewhere = {**INSTALL, "namespace": "team-a"}
    roles.set(roles_for(live, elsewhere))
    before = live.snapshot()

    said = live.result(elsewhere, user=LIMITED)["msg"]

    assert f"belongs to extension greeter in namespace {NAMESPACE}" in said
    assert f"It may be gone: to see that takes the right to list Secrets in namespace {NAMESPACE}" in said
    assert live.snapshot() == before
    live.cluster.request("DELETE", "/api/v1/namespaces/team-a")


@pytest.mark.parametrize("state", ["rolled_back", "absent"])
def test_who_may_not_read_the_ledger_is_told_so(state: str, live: Stage) -> None:
    live.proxy.clear()
    result = live.result({**EXTENSION, "state": state}, through=True, user=LIMITED)

    assert result["failed"]
    assert "secrets" in result["msg"]
    assert "\n" not in result["msg"]
    assert not [request for request in live.proxy.seen if changes_something(request)]
