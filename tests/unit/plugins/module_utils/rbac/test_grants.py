# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Grants: what rules allow, what one covers, what is gained."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import (
    EVERYWHERE,
    WATCHED,
    Grant,
    covers,
    digest,
    gained,
    grants_of,
)
from ansible_collections.fleet.olm.plugins.module_utils.rbac.words import sentences


def rule(verbs: str, resources: str, groups: str = "", names: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {
        "verbs": verbs.split(),
        "resources": resources.split(),
        "apiGroups": groups.split() or [""],
    }
    return {**found, "resourceNames": names.split()} if names else found


def grants(*rules: dict[str, Any], scope: str = EVERYWHERE, account: str = "") -> set[Grant]:
    return grants_of(rules, scope, account)


def test_a_rule_is_every_combination_of_its_parts() -> None:
    found = grants(rule("get list", "pods secrets", "apps batch"))
    assert len(found) == 8
    assert Grant("", EVERYWHERE, "apps", "secrets", "", "list") in found


def test_urls_are_grants_of_their_own() -> None:
    found = grants({"verbs": ["get"], "nonResourceURLs": ["/metrics"]})
    assert found == {Grant("", EVERYWHERE, "", "", "", "get", "/metrics")}


@pytest.mark.parametrize(
    ("held", "wanted", "enough"),
    [
        (rule("get", "pods"), rule("get", "pods"), True),
        (rule("get", "pods"), rule("list", "pods"), False),
        (rule("*", "pods"), rule("list", "pods"), True),
        (rule("get", "pods"), rule("*", "pods"), False),
        (rule("get", "*"), rule("get", "pods/log"), True),
        (rule("get", "pods"), rule("get", "pods/log"), False),
        (rule("get", "*/log"), rule("get", "pods/log"), True),
        (rule("get", "*/log"), rule("get", "pods"), False),
        (rule("get", "pods", "*"), rule("get", "pods", "metrics.k8s.io"), True),
        (rule("get", "pods", "apps"), rule("get", "pods"), False),
        (rule("get", "pods"), rule("get", "pods", names="one"), True),
        (rule("get", "pods", names="one"), rule("get", "pods"), False),
        (rule("get", "pods", names="one two"), rule("get", "pods", names="two"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/logs/*"]}, {"verbs": ["get"], "nonResourceURLs": ["/logs/a"]}, True),
        ({"verbs": ["get"], "nonResourceURLs": ["/logs/a"]}, {"verbs": ["get"], "nonResourceURLs": ["/logs/*"]}, False),
        (rule("*", "*", "*"), {"verbs": ["get"], "nonResourceURLs": ["/logs"]}, False),
    ],
)
def test_what_covers_what(held: dict[str, Any], wanted: dict[str, Any], enough: bool) -> None:
    assert all(any(covers(have, want) for have in grants(held)) for want in grants(wanted)) is enough


def test_everywhere_covers_the_watched_namespaces_and_not_the_other_way_round() -> None:
    wide, narrow = grants(rule("get", "pods")), grants(rule("get", "pods"), scope=WATCHED)
    assert gained(wide, narrow) == set()
    assert gained(narrow, wide) == wide


def test_another_service_account_gains_what_the_first_had() -> None:
    before, after = grants(rule("get", "pods"), account="a"), grants(rule("get", "pods"), account="b")
    assert gained(before, after) == after


def test_a_digest_names_a_set_whatever_its_order() -> None:
    one, two = grants(rule("get list", "pods")), grants(rule("list get", "pods"))
    assert digest(sorted(one)) == digest(sorted(two, reverse=True))
    assert digest(one) != digest(grants(rule("get", "pods")))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rule("get list", "secrets"), ["may read and list Secrets in all namespaces"]),
        (rule("*", "*", "*"), ["may do anything with everything in all namespaces"]),
        (rule("*", "*", "apps"), ["may do anything with everything in apps in all namespaces"]),
        (rule("update patch", "deployments", "apps"), ["may change Deployments in all namespaces"]),
        (rule("update", "deployments/status", "apps"), ["may change the status of Deployments in all namespaces"]),
        (
            rule("delete", "widgets", "example.com", "one"),
            ["may delete widgets.example.com named one in all namespaces"],
        ),
        (rule("frobnicate", "pods"), ["may frobnicate Pods in all namespaces"]),
        (
            rule("escalate bind", "clusterroles", "rbac.authorization.k8s.io"),
            ["may raise the rights of and hand out ClusterRoles in all namespaces"],
        ),
        ({"verbs": ["get"], "nonResourceURLs": ["/metrics"]}, ["may read the URL /metrics in all namespaces"]),
    ],
)
def test_grants_in_words(given: dict[str, Any], expected: list[str]) -> None:
    assert sentences(grants(given)) == expected


def test_resources_with_the_same_verbs_share_a_sentence() -> None:
    assert sentences(grants(rule("get", "pods secrets"), rule("list", "nodes"), scope=WATCHED, account="me")) == [
        "may read Pods and Secrets in the watched namespaces (service account me)",
        "may list Nodes in the watched namespaces (service account me)",
    ]
