# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the deployments' service accounts may do: from roles and bindings to the permissions of a ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kubernetes.label_selector import selects
from ..kubernetes.types import kubernetes_types
from ..kubernetes.values import WrongType
from ..nested import at, mappings, texts
from .accepted import AUTHENTICATION_READER, RBAC
from .files import Placed, as_mapping

DEPENDENCY = "operators.operatorframework.io.bundle.dependency"
AGGREGATE_TO = "rbac.authorization.k8s.io/aggregate-to-"
# OLM binds these itself for deployments that serve aggregated APIs.
MADE_FOR_API_SERVICES = ("system:auth-delegator", AUTHENTICATION_READER)


@dataclass(frozen=True)
class Permission:
    """Rules that a binding gives to one service account: in the watched namespaces, or everywhere."""

    account: str
    rules: tuple[Mapping[str, Any], ...]
    everywhere: bool
    optional: bool
    place: str


@dataclass
class Access:
    """What RBAC objects come to: permissions, and the objects that stay what they are."""

    permissions: list[Permission] = field(default_factory=list)
    shipped: list[Placed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def service_account_of(deployment: Mapping[str, Any]) -> str:
    """The service account that a Deployment's pods run as."""
    pod = as_mapping(at(deployment, "spec", "template", "spec"))
    return str(pod.get("serviceAccountName") or pod.get("serviceAccount") or "default")


def project_access(objects: Iterable[Placed], accounts: set[str], serves_apis: bool) -> Access:
    """Turn roles bound to the deployments' service accounts into permissions; leave all others alone."""
    listed = list(objects)
    rbac = [placed for placed in listed if placed.kind in RBAC]
    access = _Projection(rbac, Accounts(frozenset(accounts), home_of(listed)), serves_apis).run()
    access.warnings += _several_homes(rbac, accounts_of(listed, accounts))
    return access


def accounts_of(objects: Iterable[Placed], run_as: Iterable[str]) -> Accounts:
    """All service accounts of a bundle: those that its Deployments run as, and those that it brings."""
    listed = list(objects)
    brought = (placed.name for placed in listed if placed.kind == "ServiceAccount")
    return Accounts(frozenset((*run_as, *brought)), home_of(listed))


def home_of(objects: Iterable[Placed]) -> str:
    """The namespace that plain manifests were written for, as Deployments say it, or else service accounts; empty where none does."""
    listed = list(objects)
    return next(
        (
            str(placed.metadata["namespace"])
            for kind in ("Deployment", "ServiceAccount")
            for placed in listed
            if placed.kind == kind and placed.metadata.get("namespace")
        ),
        "",
    )


def _several_homes(bindings: Iterable[Placed], accounts: Accounts) -> list[str]:
    """Where no manifest says in which namespace the operator is, its service accounts cannot be told from others of the same names."""
    if accounts.home:
        return []
    first: dict[str, Placed] = {}
    for placed in bindings:
        for subject in mappings(placed.manifest.get("subjects")):
            if accounts.named(subject) and _namespace(subject):
                first.setdefault(_namespace(subject), placed)
    if len(first) < 2:
        return []
    return [
        f"{list(first.values())[-1].title}: service accounts with the names of the bundle's are bound in the namespaces {', '.join(sorted(first))}, "
        "and no manifest says in which of them its own are; all are taken for its own unless the Deployment has a metadata.namespace"
    ]


@dataclass(frozen=True)
class Accounts:
    """Service accounts of a bundle, and the namespace that its manifests were written for."""

    names: frozenset[str]
    home: str

    def named(self, subject: Mapping[str, Any]) -> bool:
        """Whether a subject has the name of one of them."""
        return subject.get("kind") == "ServiceAccount" and str(subject.get("name")) in self.names

    def has(self, subject: Mapping[str, Any]) -> bool:
        """Whether a subject is one of them; by name alone where no manifest says in which namespace they are."""
        return self.named(subject) and (not self.home or _namespace(subject) in ("", self.home))


class _Projection:
    def __init__(self, objects: list[Placed], accounts: Accounts, serves_apis: bool) -> None:
        self.objects = objects
        self.accounts = accounts
        self.serves_apis = serves_apis
        self.roles = {(one.kind, one.name): one for one in objects if not one.kind.endswith("Binding")}
        self.access = Access()
        self.taken: set[tuple[str, str]] = set()
        self.kept: set[tuple[str, str]] = set()

    def run(self) -> Access:
        rest: dict[str, Placed] = {}
        for placed in self.objects:
            if placed.kind.endswith("Binding"):
                left = self.binding(placed)
                if left is not None:
                    rest[placed.title] = left
        # A role that stays gathers its rules on the cluster, so what it gathers has to be there, too.
        for placed in [one for one in self.roles.values() if self.stays(one)]:
            self.kept |= {(other.kind, other.name) for other in self.gathered(placed)}
        for placed in self.objects:
            if placed.title in rest:
                self.access.shipped.append(rest[placed.title])
            elif (placed.kind, placed.name) in self.roles and self.stays(placed):
                self.access.shipped.append(placed)
        return self.access

    def stays(self, placed: Placed) -> bool:
        """Whether a role is needed for more than the permissions made of it."""
        role = (placed.kind, placed.name)
        return role not in self.taken or role in self.kept or _aggregates(placed)

    def gathered(self, role: Placed) -> list[Placed]:
        """The roles of the bundle that a role gathers by their labels."""
        selectors = mappings(at(role.manifest, "aggregationRule", "clusterRoleSelectors"))
        return [
            other
            for (kind, _name), other in self.roles.items()
            if kind == "ClusterRole"
            and other is not role
            and any(selects(item, as_mapping(other.metadata.get("labels"))) for item in selectors)
        ]

    def binding(self, placed: Placed) -> Placed | None:
        """Take what a binding gives to the service accounts; what is left of it for other subjects."""
        subjects = mappings(placed.manifest.get("subjects"))
        own = [subject for subject in subjects if self.accounts.has(subject)]
        self.access.warnings += [
            f"{placed.title}: binds the service account '{subject.get('name')}' of the namespace '{_namespace(subject)}', which is not the "
            f"Deployment's of the namespace '{self.accounts.home}'; it is applied as it is"
            for subject in subjects
            if self.accounts.named(subject) and subject not in own
        ]
        reference = as_mapping(placed.manifest.get("roleRef"))
        role = (str(reference.get("kind") or ""), str(reference.get("name") or ""))
        if role[0] not in ("Role", "ClusterRole") or not role[1]:
            self.access.problems.append(f"{placed.title}: roleRef must have the kind Role or ClusterRole and a name")
            return None
        if not own:
            self.kept.add(role)
            return placed
        if role not in self.roles:
            return self.foreign(placed, role)
        self.taken.add(role)
        rules = self.rules(self.roles[role])
        everywhere = placed.kind == "ClusterRoleBinding"
        optional = at(placed.metadata, "annotations", DEPENDENCY) == "optional"
        for account in dict.fromkeys(str(subject.get("name")) for subject in own):
            self.refuse_wildcards(self.roles[role], rules, account, placed)
            self.access.permissions.append(Permission(account, rules, everywhere, optional, placed.place))
        others = [subject for subject in subjects if subject not in own]
        if not others:
            return None
        self.kept.add(role)
        return Placed(placed.place, {**placed.manifest, "subjects": others})

    def foreign(self, placed: Placed, role: tuple[str, str]) -> Placed | None:
        """A binding to a role that is not in the bundle."""
        kind, name = role
        if name == "cluster-admin":
            self.access.problems.append(
                f"{placed.title}: binds a Deployment's service account to cluster-admin, which allows everything; name what it needs in a role"
            )
        elif self.serves_apis and name in MADE_FOR_API_SERVICES:
            return None
        elif name == AUTHENTICATION_READER:
            self.access.problems.append(
                f"{placed.title}: binds the Role '{name}' of kube-system, where a bundle puts nothing; OLM binds it for bundles with an APIService"
            )
        else:
            self.access.warnings.append(
                f"{placed.title}: binds the {kind} '{name}', which is not in the bundle; "
                "it is applied as it is, and what it allows is not known before"
            )
        return placed

    def rules(self, role: Placed) -> tuple[Mapping[str, Any], ...]:
        """The rules of a role; those that it gathers by labels are the ones of the bundle."""
        if not mappings(at(role.manifest, "aggregationRule", "clusterRoleSelectors")):
            return self.decoded(role)
        found: list[Mapping[str, Any]] = []
        for other in self.gathered(role):
            self.taken.add((other.kind, other.name))
            found += [rule for rule in self.decoded(other) if rule not in found]
        self.access.warnings.append(
            f"{role.title}: gathers the rules of other roles by label; those of the bundle are granted, "
            "what a cluster has besides is not"
        )
        return tuple(found)

    def decoded(self, role: Placed) -> tuple[Mapping[str, Any], ...]:
        given = role.manifest.get("rules")
        decode = kubernetes_types().decoder("PolicyRule")
        if given is not None and not isinstance(given, list):
            self.access.problems.append(f"{role.title}: rules must be a list")
            return ()
        found = []
        for number, rule in enumerate(given or ()):
            try:
                found.append(decode({} if rule is None else rule))
            except WrongType as error:
                self.access.problems.append(f"{role.title}: rules[{number}]: {error}")
        return tuple(found)

    def refuse_wildcards(self, role: Placed, rules: Iterable[Mapping[str, Any]], account: str, binding: Placed) -> None:
        for number, rule in enumerate(rules):
            # Not in resourceNames, where an asterisk is a letter like any other.
            for part in ("apiGroups", "resources", "verbs", "nonResourceURLs"):
                wild = [text for text in texts(rule.get(part)) if "*" in text]
                if wild:
                    self.access.problems.append(
                        f"{role.title}: rules[{number}].{part} has '{wild[0]}', and {binding.kind} '{binding.name}' gives it to "
                        f"the Deployment's service account '{account}'; wildcards are not accepted there, name what is needed"
                    )


def _aggregates(role: Placed) -> bool:
    """Whether roles of the cluster gather this one's rules, so that it has to be there by itself."""
    return any(str(label).startswith(AGGREGATE_TO) for label in as_mapping(role.metadata.get("labels")))


def _namespace(subject: Mapping[str, Any]) -> str:
    return str(subject.get("namespace") or "")
