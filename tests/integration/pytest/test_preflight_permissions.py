# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permissions before an installation, under the real RBAC authorizer: the printed roles suffice, and nothing less does."""

from __future__ import annotations

import itertools
import json
import urllib.error
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import ObjectKey, key_of
from ansible_collections.fleet.olm.plugins.module_utils.cluster.permissions import Action, rules_in
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import Forbidden, NotFound
from ansible_collections.fleet.olm.plugins.module_utils.preflight.needs import Need, needed
from ansible_collections.fleet.olm.plugins.module_utils.preflight.permissions import (
    missing_permissions,
    permission_problems,
)
from ansible_collections.fleet.olm.plugins.module_utils.preflight.roles import smallest_roles
from ansible_collections.fleet.olm.plugins.module_utils.rbac.escalation import Granting, grantings_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import EVERYWHERE, grants_of
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
CORPUS = EXAMPLES.parents[2] / "shared" / "corpus" / "bundles"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
INSTALL, WATCHED = "install-ns", "watch-ns"
ABSENT = "absent-ns"
_names = itertools.count()

CASES = [
    pytest.param("greeter", None, INSTALL, id="all namespaces"),
    pytest.param("greeter", INSTALL, INSTALL, id="own namespace"),
    pytest.param("greeter-1.1.0", WATCHED, INSTALL, id="single namespace"),
    pytest.param("stamper", None, INSTALL, id="webhooks and certificates"),
    pytest.param("greeter", None, ABSENT, id="a namespace to be created"),
]


@dataclass(frozen=True)
class Installation:
    """What is to be installed, and what that needs."""

    namespace: str
    manifests: tuple[dict[str, Any], ...]
    keys: tuple[ObjectKey, ...]
    needs: tuple[Need, ...]
    grantings: tuple[Granting, ...]

    @property
    def creates_namespace(self) -> bool:
        return self.namespace == ABSENT

    def roles(self) -> tuple[dict[str, Any], ...]:
        absent = (self.namespace,) if self.creates_namespace else ()
        return smallest_roles(self.needs, self.grantings, name="installer", absent=absent)


@pytest.fixture(scope="module")
def prepared(rig: Any) -> Iterator[Cluster]:
    cluster: Cluster = rig.add_cluster("permissions")
    for name in (INSTALL, WATCHED):
        cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    add_crds(
        cluster,
        minimal_crd("cert-manager.io", "certificates", "Certificate", scope="Namespaced"),
        minimal_crd("cert-manager.io", "issuers", "Issuer", scope="Namespaced"),
    )
    yield cluster
    rig.remove_cluster("permissions")


def installation(cluster: Cluster, example: str, watch: str | None, namespace: str) -> Installation:
    bundle = load_bundle(str(EXAMPLES / example), SourceOptions()).bundle  # an absolute path stays what it is
    raw = {"watchNamespace": watch} if watch else {}
    manifests = render(bundle, Config.parse(raw, schema_of(bundle), namespace), namespace, "cert-manager")
    with Client(connection_to(cluster, ADMIN)) as client:
        found = [(manifest, key_of(manifest, client.discovery())) for manifest in manifests]
    served = [(manifest, key) for manifest, key in found if key is not None]
    manifests, keys = tuple(manifest for manifest, _key in served), tuple(key for _manifest, key in served)
    needs = needed(
        manifests,
        keys,
        namespace=namespace,
        watched=[watch] if watch else [],
        creates_namespace=namespace == ABSENT,
    )
    return Installation(namespace, manifests, keys, needs, grantings_of(manifests))


class Bound:
    """Roles that the limited user has for as long as a test runs."""

    def __init__(self, cluster: Cluster, roles: Iterable[dict[str, Any]]) -> None:
        self.cluster = cluster
        self.roles = [json.loads(json.dumps(role)) for role in roles]

    def __enter__(self) -> Bound:
        for role in self.roles:
            binding = {
                "metadata": role["metadata"],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": "installer"},
                "subjects": [{"kind": "User", "name": LIMITED, "apiGroup": "rbac.authorization.k8s.io"}],
            }
            self.cluster.request("POST", _collection(role), role)
            self.cluster.request("POST", _collection({**role, "kind": f"{role['kind']}Binding"}), binding)
        self.settle()
        return self

    def __exit__(self, *_error: object) -> None:
        for role in self.roles:
            for kind in (role["kind"], f"{role['kind']}Binding"):
                self.cluster.request("DELETE", f"{_collection({**role, 'kind': kind})}/installer")
        self.roles = []

    def change(self, position: int, rules: list[dict[str, Any]]) -> None:
        self.roles[position] = {**self.roles[position], "rules": rules}
        self.cluster.request("PUT", f"{_collection(self.roles[position])}/installer", self.roles[position])
        self.settle()

    def settle(self) -> None:
        """The authorizer hears of roles a moment later."""
        with Client(connection_to(self.cluster, LIMITED)) as client:
            wait_for(lambda: all(self._is_known(client, role) for role in self.roles))

    def _is_known(self, client: Client, role: dict[str, Any]) -> bool:
        expected = grants_of(role["rules"], EVERYWHERE)
        known = rules_in(client, role["metadata"].get("namespace", "")).held.grants
        everywhere = {
            grant
            for other in self.roles
            if other["kind"] == "ClusterRole"
            for grant in grants_of(other["rules"], EVERYWHERE)
        }
        ours = {grant for grant in known if "selfsubject" not in grant.resource and not grant.url}
        return expected <= known and ours <= expected | everywhere


def _collection(role: Mapping[str, Any]) -> str:
    namespace = role["metadata"].get("namespace")
    return f"{RBAC}/{f'namespaces/{namespace}/' if namespace else ''}{role['kind'].lower()}s"


def carry_out(client: Client, wanted: Installation) -> None:
    """Everything that an installer does, each once; the first refusal is raised."""
    for need in wanted.needs:
        if (need.action.verb, need.action.resource) == ("get", "namespaces"):
            client.find(f"/api/v1/namespaces/{need.action.name}")
    for key, manifest in zip(wanted.keys, wanted.manifests, strict=True):
        client.read(key.collection.path)
        client.find(key.path)
        client.apply(key.path, labelled(manifest), force=True)
    secret = f"/api/v1/namespaces/{wanted.namespace}/secrets"
    client.read(secret)
    client.create(secret, {"metadata": {"name": "revision-1"}})
    client.apply(f"{secret}/revision-1", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "revision-1"}})
    client.find(f"{secret}/revision-1")
    client.delete(f"{secret}/revision-1")
    for key in reversed(wanted.keys):
        client.delete(key.path)


def labelled(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A change each time: an API server looks at the rules of a role only if something about it changes."""
    copy: dict[str, Any] = json.loads(json.dumps(manifest))
    copy["metadata"].setdefault("labels", {})["turn"] = str(next(_names))
    return copy


@pytest.fixture
def installed(prepared: Cluster) -> Iterator[Callable[[Installation], None]]:
    """Puts objects there as admin: a role has to be there before who may not `bind` it can even rehearse binding it."""
    with Client(connection_to(prepared)) as client:
        keys: list[ObjectKey] = []

        def install(wanted: Installation) -> None:
            for key, manifest in zip(wanted.keys, wanted.manifests, strict=True):
                keys.append(key)
                client.apply(key.path, labelled(manifest), force=True)

        yield install
        for key in reversed(keys):
            client.delete(key.path)


@pytest.mark.parametrize(("example", "watch", "namespace"), CASES)
def test_with_the_printed_roles_everything_is_allowed(
    prepared: Cluster, example: str, watch: str | None, namespace: str
) -> None:
    wanted = installation(prepared, example, watch, namespace)
    with Bound(prepared, wanted.roles()), Client(connection_to(prepared, LIMITED)) as client:
        assert permission_problems(client, wanted.needs, wanted.grantings) == []
        spent = client.requests
        assert spent == len({need.action.namespace for need in wanted.needs} | {""})
        if wanted.creates_namespace:
            client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
            client.apply(
                f"/api/v1/namespaces/{namespace}",
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": {"a": "b"}}},
            )
        carry_out(client, wanted)
        if wanted.creates_namespace:
            assert client.delete(f"/api/v1/namespaces/{namespace}") is not None


@pytest.mark.parametrize(("example", "watch", "namespace"), CASES[:4])
def test_without_any_one_rule_it_is_refused_and_we_say_so_before(
    prepared: Cluster,
    installed: Callable[[Installation], None],
    example: str,
    watch: str | None,
    namespace: str,
) -> None:
    wanted = installation(prepared, example, watch, namespace)
    installed(wanted)
    roles = wanted.roles()
    with Bound(prepared, roles) as bound, Client(connection_to(prepared, LIMITED), dry_run=True) as client:
        for position, role in enumerate(roles):
            for left_out in role["rules"]:
                bound.change(position, [rule for rule in role["rules"] if rule is not left_out])
                problems = permission_problems(client, wanted.needs, wanted.grantings)
                assert problems, left_out
                with pytest.raises(Forbidden):
                    carry_out(client, wanted)
            bound.change(position, role["rules"])


def corpus() -> list[Path]:
    """Where real bundles are at hand, a few of those."""
    return sorted(CORPUS.iterdir())[::8] if CORPUS.is_dir() else []


@pytest.mark.parametrize("path", corpus(), ids=lambda path: path.name)
def test_the_rbac_of_real_bundles(prepared: Cluster, path: Path) -> None:
    bundle = load_bundle(str(path), SourceOptions()).bundle
    watch = None if "AllNamespaces" in bundle.supported_install_modes else INSTALL
    if watch and "OwnNamespace" not in bundle.supported_install_modes:
        watch = WATCHED
    everything = installation(prepared, str(path), watch, INSTALL)
    rbac = [
        item
        for item in zip(everything.keys, everything.manifests, strict=True)
        if item[0].collection.group == RBAC_GROUP
    ]
    assert rbac
    with Bound(prepared, everything.roles()), Client(connection_to(prepared, LIMITED)) as client:
        assert permission_problems(client, everything.needs, everything.grantings) == []
        for key, manifest in sorted(rbac, key=lambda item: item[0].kind.endswith("Binding")):
            client.apply(key.path, labelled(manifest))
        for key, _manifest in rbac:
            client.delete(key.path)


def test_a_user_with_no_rights_hears_everything_at_once(prepared: Cluster) -> None:
    wanted = installation(prepared, "greeter-1.1.0", INSTALL, INSTALL)
    with Client(connection_to(prepared, LIMITED)) as client:
        missing = missing_permissions(client, wanted.needs, wanted.grantings)
        assert client.requests == 2
    required = {need.action for need in wanted.needs if not need.optional}
    assert {need.action for need in missing.needs if not need.optional} == required
    text = "\n".join(missing.sentences)
    role = next(item["metadata"]["name"] for item in wanted.manifests if item["kind"] == "ClusterRole")
    assert "not allowed in namespace install-ns: list, create of deployments.apps" in text
    assert (
        "not allowed in namespace install-ns: get, patch, delete of deployments.apps named greeter-controller" in text
    )
    assert (
        f"ClusterRole {role} and its ClusterRoleBinding grant cluster-wide what we do not hold: get, list of namespaces, "
        "secrets; who grants rules has to hold them, or to have escalate and bind on the role"
    ) in text


def _holds(*rules: dict[str, Any], kind: str = "ClusterRole", namespace: str = "") -> dict[str, Any]:
    metadata = {"name": "installer", **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata, "rules": list(rules)}


def _rule(verbs: str, resources: str, group: str = "", **more: Any) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": resources.split(), "verbs": verbs.split(), **more}


READS_PODS = _rule("get list", "pods")
WRITES_RBAC = _rule("get create patch", "roles rolebindings clusterroles clusterrolebindings", RBAC_GROUP)
IN_INSTALL = {"kind": "Role", "namespace": INSTALL}


def _role_object(kind: str, *rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": kind, "rules": list(rules), **more}


def _binding(kind: str, role_kind: str, role: str) -> dict[str, Any]:
    return {"kind": kind, "roleRef": {"apiGroup": RBAC_GROUP, "kind": role_kind, "name": role}, "subjects": []}


@pytest.mark.parametrize(
    ("held", "wanted", "allowed"),
    [
        ([_holds()], _role_object("Role", READS_PODS), False),
        ([_holds(READS_PODS)], _role_object("Role", READS_PODS), True),
        ([_holds(READS_PODS, **IN_INSTALL)], _role_object("Role", READS_PODS), True),
        ([_holds(READS_PODS, **IN_INSTALL)], _role_object("ClusterRole", READS_PODS), False),
        ([_holds(_rule("*", "pods"))], _role_object("Role", READS_PODS), True),
        (
            [_holds(_rule("get list watch create update patch delete", "pods"))],
            _role_object("Role", _rule("*", "pods")),
            False,
        ),
        ([_holds(_rule("get", "pods", resourceNames=["a"]))], _role_object("Role", _rule("get", "pods")), False),
        ([_holds(_rule("get", "*/log"))], _role_object("Role", _rule("get", "pods/log")), True),
        ([_holds(_rule("escalate", "roles", RBAC_GROUP))], _role_object("Role", READS_PODS), True),
        ([_holds(_rule("escalate", "roles", RBAC_GROUP))], _role_object("ClusterRole", READS_PODS), False),
        ([_holds(_rule("escalate", "clusterroles", RBAC_GROUP))], _role_object("ClusterRole", READS_PODS), True),
        ([_holds(_rule("bind", "clusterroles", RBAC_GROUP))], _role_object("ClusterRole", READS_PODS), False),
        (
            [_holds({"nonResourceURLs": ["/logs/*"], "verbs": ["get"]})],
            _role_object("ClusterRole", {"nonResourceURLs": ["/logs/a"], "verbs": ["get"]}),
            True,
        ),
        ([_holds()], _role_object("ClusterRole", {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}), False),
        (
            [_holds(READS_PODS)],
            _role_object("ClusterRole", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}),
            False,
        ),
        ([_holds()], _binding("RoleBinding", "ClusterRole", "system:auth-delegator"), False),
        (
            [_holds(_rule("bind", "clusterroles", RBAC_GROUP, resourceNames=["system:auth-delegator"]))],
            _binding("RoleBinding", "ClusterRole", "system:auth-delegator"),
            True,
        ),
        (
            [_holds(_rule("bind", "clusterroles", RBAC_GROUP, resourceNames=["edit"]))],
            _binding("RoleBinding", "ClusterRole", "system:auth-delegator"),
            False,
        ),
        (
            [_holds(_rule("bind", "clusterroles", RBAC_GROUP), **IN_INSTALL)],
            _binding("RoleBinding", "ClusterRole", "system:auth-delegator"),
            True,
        ),
        (
            [_holds(_rule("bind", "clusterroles", RBAC_GROUP), **IN_INSTALL)],
            _binding("ClusterRoleBinding", "ClusterRole", "system:auth-delegator"),
            False,
        ),
        (
            [_holds(_rule("escalate", "clusterroles", RBAC_GROUP))],
            _binding("RoleBinding", "ClusterRole", "system:auth-delegator"),
            False,
        ),
        (
            [
                _holds(
                    _rule("create", "tokenreviews", "authentication.k8s.io"),
                    _rule("create", "subjectaccessreviews", "authorization.k8s.io"),
                )
            ],
            _binding("ClusterRoleBinding", "ClusterRole", "system:auth-delegator"),
            True,
        ),
        (
            [_holds(_rule("create", "tokenreviews", "authentication.k8s.io"))],
            _binding("ClusterRoleBinding", "ClusterRole", "system:auth-delegator"),
            False,
        ),
        ([_holds()], _binding("RoleBinding", "Role", "missing"), False),
        ([_holds(_rule("bind", "roles", RBAC_GROUP))], _binding("RoleBinding", "Role", "missing"), True),
    ],
)
def test_handing_out_rights_is_judged_as_the_api_server_judges_it(
    prepared: Cluster, held: list[dict[str, Any]], wanted: dict[str, Any], allowed: bool
) -> None:
    name = f"handed-out-{next(_names)}"
    place = {} if wanted["kind"].startswith("Cluster") else {"namespace": INSTALL}
    manifest = {"apiVersion": f"{RBAC_GROUP}/v1", "metadata": {"name": name, **place}, **wanted}
    roles = [{**role, "rules": [*role["rules"], *([WRITES_RBAC] if not at else [])]} for at, role in enumerate(held)]
    if held[0]["kind"] == "Role":
        roles = [held[0], _holds(WRITES_RBAC)]
    with Bound(prepared, roles), Client(connection_to(prepared, LIMITED), dry_run=True) as client:
        assert (permission_problems(client, (), grantings_of([manifest])) == []) is allowed
        try:
            client.apply(f"{_collection(manifest)}/{name}", manifest)
        except (Forbidden, NotFound):
            accepted = False
        else:
            accepted = True
    assert accepted is allowed


def test_where_rules_cannot_be_listed_each_thing_is_asked_for(
    cluster: Cluster, proxy: FaultProxy, client_through_proxy: Callable[..., Client]
) -> None:
    nothing: dict[str, Any] = {"status": {"resourceRules": [], "nonResourceRules": [], "incomplete": True}}
    answer = Answer(201, json.dumps(nothing).encode(), {"Content-Type": "application/json"})
    proxy.on("POST", ".*/selfsubjectrulesreviews", answer, times=100)
    role = {"kind": "ClusterRole", "metadata": {"name": "one"}, "rules": [READS_PODS]}
    needs = [
        Need(Action("get", "pods", namespace=INSTALL)),
        Need(Action("list", "pods")),
        Need(Action("list", "nodes"), optional=True),
    ]
    client = client_through_proxy()
    missing = missing_permissions(client, needs, grantings_of([role]))
    assert missing.sentences == []
    # Two namespaces, two things that are needed, and `escalate`; nothing for what is optional.
    assert client.requests == 2 + 2 + 1


def test_a_role_that_is_bound_but_not_brought_is_bound_by_name(prepared: Cluster) -> None:
    binding = _binding("RoleBinding", "ClusterRole", "system:auth-delegator")
    manifest = {"apiVersion": f"{RBAC_GROUP}/v1", "metadata": {"name": "one", "namespace": INSTALL}, **binding}
    roles = smallest_roles((), grantings_of([manifest]), name="installer")
    assert [role["rules"] for role in roles] == [
        [_rule("bind", "clusterroles", RBAC_GROUP, resourceNames=["system:auth-delegator"])]
    ]


def test_nothing_is_left_behind(prepared: Cluster) -> None:
    with pytest.raises(urllib.error.HTTPError):
        prepared.request("GET", f"{RBAC}/clusterroles/installer")
