# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Grants in words: what a service account may do, in sentences that an administrator can weigh."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .aggregation import GATHERED, who_gathers
from .grants import Grant

# What stands before the slash where it is no namespace of a service account.
_NO_SERVICE_ACCOUNT = ("User", "Group", GATHERED)
# No verb of Kubernetes: having a role whose rules are not known.
HOLD = "hold"

# Verbs in the order in which a person would name them. Several mean one thing to a reader.
_VERBS = (
    ("*", "do anything with"),
    ("get", "read"),
    ("list", "list"),
    ("watch", "watch"),
    ("create", "create"),
    ("update", "change"),
    ("patch", "change"),
    ("delete", "delete"),
    ("deletecollection", "delete all"),
    ("impersonate", "act as"),
    ("escalate", "raise the rights of"),
    ("bind", "hand out"),
    ("use", "use"),
    ("approve", "approve"),
    ("sign", "sign"),
    (HOLD, "do all that is allowed by"),
)
_ORDER = {verb: position for position, (verb, _words) in enumerate(_VERBS)}
_WORDS = dict(_VERBS)

# Resources of the core group and of RBAC that people know by their kind.
_KINDS = {
    "": {
        "secrets": "Secrets",
        "configmaps": "ConfigMaps",
        "pods": "Pods",
        "services": "Services",
        "endpoints": "Endpoints",
        "events": "Events",
        "namespaces": "Namespaces",
        "nodes": "Nodes",
        "serviceaccounts": "ServiceAccounts",
        "persistentvolumes": "PersistentVolumes",
        "persistentvolumeclaims": "PersistentVolumeClaims",
    },
    "apps": {
        "deployments": "Deployments",
        "daemonsets": "DaemonSets",
        "statefulsets": "StatefulSets",
        "replicasets": "ReplicaSets",
    },
    "batch": {"jobs": "Jobs", "cronjobs": "CronJobs"},
    "rbac.authorization.k8s.io": {
        "roles": "Roles",
        "rolebindings": "RoleBindings",
        "clusterroles": "ClusterRoles",
        "clusterrolebindings": "ClusterRoleBindings",
    },
    "apiextensions.k8s.io": {"customresourcedefinitions": "CRDs"},
}


def is_service_account(subject: str) -> bool:
    """Whether a subject is a service account, with or without its namespace; a user, a group or a role of the cluster is none."""
    return subject.partition("/")[0] not in _NO_SERVICE_ACCOUNT


def in_words(subject: str) -> str:
    """Who may do something, in words."""
    if is_service_account(subject):
        return f"service account {subject}"
    kind, _slash, name = subject.partition("/")
    return who_gathers(name) if kind == GATHERED else f"{kind.lower()} {name}"


def sentences(grants: Iterable[Grant], subject: Callable[[str], str] = in_words) -> list[str]:
    """One sentence for each subject, scope and set of verbs, with all that they go for."""
    verbs: dict[tuple[str, str, str], set[str]] = {}
    for grant in grants:
        verbs.setdefault((grant.service_account, grant.scope, _target(grant)), set()).add(grant.verb)
    targets: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (account, scope, target), held in verbs.items():
        ordered = tuple(sorted(held, key=lambda verb: (_ORDER.get(verb, len(_ORDER)), verb)))
        targets.setdefault((account, scope, ordered), []).append(target)
    return [
        f"may {_verb_words(held)} {_joined(sorted(what))} in {scope}" + (f" ({subject(account)})" if account else "")
        for (account, scope, held), what in sorted(targets.items())
    ]


def _verb_words(verbs: tuple[str, ...]) -> str:
    if "*" in verbs:
        return _WORDS["*"]
    return _joined(list(dict.fromkeys(_WORDS.get(verb, verb) for verb in verbs)))


def _target(grant: Grant) -> str:
    if grant.url:
        return f"the URL {grant.url}"
    resource, slash, subresource = grant.resource.partition("/")
    if resource == "*":
        what = {"*": "everything", "": "everything in the core group"}.get(grant.group, f"everything in {grant.group}")
    else:
        plain = resource if grant.group in ("", "*") else f"{resource}.{grant.group}"
        what = _KINDS.get(grant.group, {}).get(resource, plain)
    what = f"the {subresource} of {what}" if slash else what
    return f"{what} named {grant.name}" if grant.name else what


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
