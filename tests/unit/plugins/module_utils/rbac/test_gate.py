# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade gate: what is gained between two revisions, and what opens the gate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.gate import (
    GateResult,
    gain_sentences,
    grants_of_manifests,
    permission_gate,
)
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"
ACCOUNT = {"kind": "ServiceAccount", "name": "robot", "namespace": "home"}
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
SECRETS = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}


def role(*rules: dict[str, Any], name: str = "r", namespace: str = "", **more: Any) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    kind = "Role" if namespace else "ClusterRole"
    return {"kind": kind, "metadata": {"name": name, **place}, "rules": list(rules), **more}


def labelled(
    *labels: str, value: str = "true", name: str = "r", rules: Sequence[dict[str, Any]] = (SECRETS,)
) -> dict[str, Any]:
    return {**role(*rules), "metadata": {"name": name, "labels": dict.fromkeys(labels, value)}}


def gathering(label: str, **more: Any) -> dict[str, Any]:
    return role(name="all", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}, **more)


def binding(
    role_kind: str = "ClusterRole", role_name: str = "r", namespace: str = "", *subjects: dict[str, Any]
) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": "b", **place},
        "roleRef": {"kind": role_kind, "name": role_name},
        "subjects": list(subjects or [ACCOUNT]),
    }


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([], [role(PODS)], [], id="a role that nobody has"),
        pytest.param(
            [], [role(PODS), binding()], ["may read Pods in all namespaces (service account robot)"], id="everywhere"
        ),
        pytest.param(
            [],
            [role(PODS), binding(namespace="a")],
            ["may read Pods in namespace a (service account robot)"],
            id="a ClusterRole in a namespace",
        ),
        pytest.param(
            [],
            [role(PODS, namespace="a"), binding("Role", namespace="a")],
            ["may read Pods in namespace a (service account robot)"],
            id="a Role",
        ),
        pytest.param(
            [role(PODS), binding()], [role(PODS, name="other"), binding("ClusterRole", "other")], [], id="renamed"
        ),
        pytest.param([role(PODS), binding()], [role(PODS), binding(namespace="a")], [], id="narrowed"),
        pytest.param(
            [role(PODS), binding(namespace="a")],
            [role(PODS), binding()],
            ["may read Pods in all namespaces (service account robot)"],
            id="widened",
        ),
        pytest.param([role(PODS, SECRETS), binding()], [role(PODS), binding()], [], id="lost"),
        pytest.param(
            [],
            [binding("ClusterRole", "view")],
            ["may do all that is allowed by ClusterRoles named view in all namespaces (service account robot)"],
            id="a role from elsewhere",
        ),
        pytest.param(
            [binding("ClusterRole", "view")], [binding("ClusterRole", "view", "a")], [], id="narrowed elsewhere"
        ),
        pytest.param(
            [],
            [role(aggregationRule={"clusterRoleSelectors": []}), binding()],
            ["may do all that is allowed by ClusterRoles named r in all namespaces (service account robot)"],
            id="a role that gathers",
        ),
        pytest.param(
            [],
            [role(PODS), binding("ClusterRole", "r", "", {"kind": "Group", "name": "system:authenticated"})],
            ["may read Pods in all namespaces (group system:authenticated)"],
            id="a group",
        ),
        pytest.param(
            [],
            [role(PODS), binding("ClusterRole", "r", "", ACCOUNT, {**ACCOUNT, "namespace": "away"})],
            [
                "may read Pods in all namespaces (service account away/robot)",
                "may read Pods in all namespaces (service account home/robot)",
            ],
            id="accounts of several namespaces",
        ),
    ],
)
def test_what_is_gained(before: list[dict[str, Any]], after: list[dict[str, Any]], expected: list[str]) -> None:
    found = permission_gate(before, after, None, "home")
    assert list(found.gained) == expected
    assert (found.digest is None, found.problem is None) == (not expected, not expected)


TO = "rbac.authorization.k8s.io/aggregate-to-"
SECRETS_WHERE_HELD = "may read and list Secrets in the namespaces where they have it"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            [labelled(f"{TO}view", rules=())],
            [labelled(f"{TO}view")],
            [f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole view or edit or admin)"],
            id="viewers",
        ),
        pytest.param(
            [],
            [labelled(f"{TO}edit")],
            [f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole edit or admin)"],
            id="editors",
        ),
        pytest.param(
            [],
            [labelled(f"{TO}admin")],
            [f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole admin)"],
            id="administrators",
        ),
        pytest.param(
            [labelled(f"{TO}view")],
            [labelled(f"{TO}view", f"{TO}edit", f"{TO}admin")],
            [],
            id="editors and administrators had what viewers have",
        ),
        pytest.param(
            [labelled(f"{TO}admin")],
            [labelled(f"{TO}view", f"{TO}admin")],
            [f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole view or edit or admin)"],
            id="viewers get what administrators had",
        ),
        pytest.param(
            [],
            [labelled("example.com/aggregate-to-monitoring")],
            [f"{SECRETS_WHERE_HELD} (whoever has a ClusterRole that gathers example.com/aggregate-to-monitoring)"],
            id="a role that somebody else brought",
        ),
        pytest.param([], [labelled(f"{TO}view", value="false")], [], id="not to be gathered"),
        pytest.param([], [labelled("example.com/part-of")], [], id="another label"),
        pytest.param([labelled(f"{TO}view")], [labelled(f"{TO}view", name="other")], [], id="renamed"),
        pytest.param([labelled(f"{TO}view")], [], [], id="lost"),
        pytest.param(
            [],
            [{**labelled(f"{TO}view"), "kind": "Role"}],
            [],
            id="only ClusterRoles are gathered",
        ),
        pytest.param(
            [gathering("tea"), binding("ClusterRole", "all"), labelled("tea", rules=[PODS])],
            [gathering("tea"), binding("ClusterRole", "all"), labelled("tea", rules=[PODS, SECRETS])],
            ["may read and list Secrets in all namespaces (service account robot)"],
            id="gathered by a role of the bundle",
        ),
        pytest.param(
            [],
            [
                {**gathering("tea"), "metadata": {"name": "all", "labels": {f"{TO}admin": "true"}}},
                labelled("tea"),
            ],
            [f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole admin)"],
            id="gathered by way of a role of the bundle",
        ),
        pytest.param(
            [],
            [role(PODS), binding(), labelled(f"{TO}view", name="v")],
            [
                f"{SECRETS_WHERE_HELD} (whoever has the ClusterRole view or edit or admin)",
                "may read Pods in all namespaces (service account robot)",
            ],
            id="beside a service account",
        ),
    ],
)
def test_what_people_gain_through_roles_of_the_cluster(
    before: list[dict[str, Any]], after: list[dict[str, Any]], expected: list[str]
) -> None:
    found = permission_gate(before, after, None, "home")
    assert list(found.gained) == expected
    assert (found.digest is None, found.problem is None) == (not expected, not expected)
    assert list(permission_gate(None, after, None, "home").gained) == gain_sentences(grants_of_manifests(after))
    assert permission_gate(before, after, found.digest, "home").problem is None


def test_roles_that_gather_each_other_come_to_an_end() -> None:
    one, two = (
        {**gathering(label, rules=[PODS]), "metadata": {"name": label, "labels": {other: "true"}}}
        for label, other in (("a", "b"), ("b", "a"))
    )
    found = grants_of_manifests([one, two, binding("ClusterRole", "a")])
    assert {grant.resource for grant in found} == {"pods", "clusterroles"}


def test_the_digest_of_a_gain_through_bindings_alone_stays_what_it_was() -> None:
    # It was another one, 2ad7…, while it depended on the install namespace.
    manifests = [role(PODS, SECRETS), binding(), labelled("app.kubernetes.io/part-of", name="other")]
    assert (
        permission_gate(None, manifests, None, "home").digest
        == "sha256:a81b3a95cb6312626914d73466585d1cd2656bec75ad83eac13d368d11181af0"
    )


def test_a_gain_has_one_digest_in_whichever_namespace_it_is_installed() -> None:
    def found(namespace: str, watched: str, account: str) -> str | None:
        manifests = [role(PODS), binding("ClusterRole", "r", watched, {**ACCOUNT, "namespace": account})]
        return permission_gate([], manifests, None, namespace).digest

    assert found("a", "", "a") == found("b", "", "b")
    assert found("a", "a", "a") == found("b", "b", "b")
    different = [
        found("a", "", "a"),
        found("a", "a", "a"),
        found("a", "watched", "a"),
        found("a", "other", "a"),
        found("a", "", "b"),
    ]
    assert len(set(different)) == len(different)


def test_only_the_digest_of_this_gain_or_all_opens_the_gate() -> None:
    before, after = [role(PODS), binding()], [role(PODS, SECRETS), binding()]
    held = permission_gate(before, after, None, "home")
    assert held.problem == (
        "it gains permissions; held until accepted: may read and list Secrets in all namespaces (service account robot); "
        f"accept with accept_permissions: {held.digest}"
    )
    for accepted in (held.digest, "all"):
        assert permission_gate(before, after, accepted, "home") == GateResult(held.gained, held.digest)
    other = permission_gate(before, after, "sha256:0000", "home").problem or ""
    assert other.endswith(f"{held.digest} (not sha256:0000, which is another gain)")


def test_a_first_install_tells_what_it_grants_and_is_not_held() -> None:
    found = permission_gate(None, [role(PODS), binding()], None, "home")
    assert found.gained
    assert found.digest
    assert found.problem is None


def rendered(example: str) -> tuple[dict[str, Any], ...]:
    bundle = load_bundle(str(EXAMPLES / example), SourceOptions()).bundle
    return render(bundle, Config.parse({}, schema_of(bundle), "home"), "home", None)


def test_the_examples() -> None:
    old, new = rendered("greeter"), rendered("greeter-1.1.0")
    assert permission_gate(old, new, None, "home").gained == (
        "may read and list Secrets in all namespaces (service account greeter)",
    )
    assert permission_gate(new, old, None, "home") == GateResult()
    assert {grant.service_account for grant in grants_of_manifests(old)} == {"home/greeter"}
