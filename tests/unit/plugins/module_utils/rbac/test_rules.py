# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Grants back into rules: as few as can be, and never more than was there."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.rbac.escalation import Granting, grantings_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import EVERYWHERE, Grant, covers, grants_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.held import Held
from ansible_collections.fleet.olm.plugins.module_utils.rbac.rules import rule_text, rules_of, without_covered


def rule(verbs: str, resources: str, groups: str = "", names: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"apiGroups": groups.split() or [""], "resources": resources.split()}
    return {**found, **({"resourceNames": names.split()} if names else {}), "verbs": verbs.split()}


def grants(*rules: dict[str, Any]) -> set[Grant]:
    return grants_of(rules, EVERYWHERE)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([rule("list get", "pods")], [rule("get list", "pods")], id="verbs in order"),
        pytest.param([rule("get", "pods"), rule("list", "pods")], [rule("get list", "pods")], id="verbs joined"),
        pytest.param(
            [rule("get", "pods"), rule("get", "secrets")], [rule("get", "pods secrets")], id="resources joined"
        ),
        pytest.param(
            [rule("get", "pods", "a"), rule("get", "pods", "b")], [rule("get", "pods", "a b")], id="groups joined"
        ),
        pytest.param(
            [rule("get", "pods", names="a"), rule("get", "pods", names="b")],
            [rule("get", "pods", names="a b")],
            id="names joined",
        ),
        pytest.param(
            [rule("get", "pods", names="a"), rule("get", "pods")], [rule("get", "pods")], id="a name within all"
        ),
        pytest.param(
            [rule("get", "pods", names="a"), rule("list", "pods")],
            [rule("list", "pods"), rule("get", "pods", names="a")],
            id="names apart from all",
        ),
        pytest.param([rule("get", "pods"), rule("*", "pods")], [rule("*", "pods")], id="any verb"),
        pytest.param([rule("get", "pods/log"), rule("get", "*/log")], [rule("get", "*/log")], id="any subresource"),
        pytest.param(
            [{"nonResourceURLs": ["/b", "/a"], "verbs": ["get"]}, {"nonResourceURLs": ["/a"], "verbs": ["get"]}],
            [{"nonResourceURLs": ["/a", "/b"], "verbs": ["get"]}],
            id="URLs",
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_rules(given: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert rules_of(grants(*given)) == expected


def test_rules_allow_exactly_what_was_granted() -> None:
    chance = random.Random(1)  # noqa: S311 - not for secrets
    every = list(itertools.product(("", "apps", "*"), ("pods", "pods/log", "*/log", "*"), ("", "a", "b"), ("get", "*")))
    for _turn in range(300):
        given = {Grant("", EVERYWHERE, *chosen) for chosen in chance.sample(every, 9)}
        written = grants(*rules_of(given))
        assert written == without_covered(given)
        for wanted in (Grant("", EVERYWHERE, *chosen) for chosen in every):
            allowed = any(covers(grant, wanted) for grant in given)
            assert any(covers(grant, wanted) for grant in written) is allowed
            assert Held(frozenset(given)).allows(wanted) is allowed


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rule("get list", "secrets"), "get, list of secrets"),
        (rule("*", "things/status pods", "new.io"), "* of things.new.io/status, pods.new.io"),
        (rule("get", "roles", "rbac.authorization.k8s.io", "a b"), "get of roles.rbac.authorization.k8s.io named a, b"),
        ({"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, "get of /metrics"),
    ],
)
def test_a_rule_in_words(given: dict[str, Any], expected: str) -> None:
    assert rule_text(given) == expected


def role(kind: str, name: str, *rules: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"kind": kind, "metadata": {"name": name, **place}, "rules": list(rules)}


def binding(kind: str, role_kind: str, role_name: str, namespace: str = "") -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"kind": kind, "metadata": {"name": "b", **place}, "roleRef": {"kind": role_kind, "name": role_name}}


PODS = rule("get", "pods")


@pytest.mark.parametrize(
    ("manifests", "bound", "known"),
    [
        ([role("Role", "r", PODS, namespace="a")], binding("RoleBinding", "Role", "r", "a"), True),
        ([role("Role", "r", PODS, namespace="b")], binding("RoleBinding", "Role", "r", "a"), False),
        ([role("ClusterRole", "r", PODS)], binding("RoleBinding", "ClusterRole", "r", "a"), True),
        ([role("ClusterRole", "r", PODS)], binding("ClusterRoleBinding", "ClusterRole", "r"), True),
        ([role("ClusterRole", "r", PODS)], binding("RoleBinding", "Role", "r", "a"), False),
        ([], binding("ClusterRoleBinding", "ClusterRole", "view"), False),
    ],
)
def test_a_binding_hands_out_the_rules_of_its_role(
    manifests: list[dict[str, Any]], bound: dict[str, Any], known: bool
) -> None:
    found = grantings_of([*manifests, bound])[-1]
    assert found.grants == (frozenset(grants(PODS)) if known else None)
    assert found.verb == "bind"


def test_an_aggregated_role_asks_for_everything_and_its_binding_does_not() -> None:
    gathering = {
        **role("ClusterRole", "r", PODS),
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
    }
    made, bound = grantings_of([gathering, binding("ClusterRoleBinding", "ClusterRole", "r")])
    assert Grant("", EVERYWHERE, "*", "*", "", "*") in (made.grants or ())
    assert bound.grants == frozenset(grants(PODS))


def test_where_a_role_is_read() -> None:
    bound = Granting("RoleBinding", "b", "a", "ClusterRole", "view", None)
    assert bound.role_path == "/apis/rbac.authorization.k8s.io/v1/clusterroles/view"
    assert str(bound) == "RoleBinding a/b"
