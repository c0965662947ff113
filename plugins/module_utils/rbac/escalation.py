# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to be ours before we may hand it out: Roles, ClusterRoles and their bindings among manifests.

An API server takes a role from who holds all its rules or has the verb `escalate` on it, and a binding from who holds
all rules of the role or has the verb `bind` on it. It looks where the object is: in its namespace, or everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings
from .grants import EVERYWHERE, Grant, grants_of

RBAC_GROUP = "rbac.authorization.k8s.io"
RESOURCES = {"Role": "roles", "ClusterRole": "clusterroles"}
BINDINGS = ("RoleBinding", "ClusterRoleBinding")

# An aggregated role can gather any rule, so an API server takes it only from who may do everything. Binding it asks
# for no more than the rules that it has by then.
_EVERYTHING = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)


@dataclass(frozen=True)
class Granting:
    """An object that hands out rights in a namespace, or everywhere where that is empty.

    `grants` are None where a binding is to a role that is not among the manifests. Who has `verb` on the role
    `role` (its kind is `role_kind`) need not hold them.
    """

    kind: str
    name: str
    namespace: str
    role_kind: str
    role: str
    grants: frozenset[Grant] | None

    @property
    def verb(self) -> str:
        return "bind" if self.kind in BINDINGS else "escalate"

    @property
    def excuse(self) -> Grant:
        """The one right that stands for all of them."""
        return Grant("", EVERYWHERE, RBAC_GROUP, RESOURCES.get(self.role_kind, ""), self.role, self.verb)

    @property
    def role_path(self) -> str:
        """Where the role is read."""
        where = f"namespaces/{self.namespace}/" if self.role_kind == "Role" else ""
        return f"/apis/{RBAC_GROUP}/v1/{where}{RESOURCES.get(self.role_kind, '')}/{self.role}"

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


def grantings_of(manifests: Iterable[Mapping[str, Any]]) -> tuple[Granting, ...]:
    """What each RBAC object among manifests hands out."""
    objects = list(manifests)
    roles = {_place(role): role_grants(role) for role in objects if role.get("kind") in RESOURCES}
    found = []
    for manifest in objects:
        kind, namespace, name = _place(manifest)
        if kind in RESOURCES:
            found.append(Granting(kind, name, namespace, kind, name, role_grants(manifest) | _gathered(manifest)))
        elif kind in BINDINGS:
            role_kind, role = (str(at(manifest, "roleRef", field) or "") for field in ("kind", "name"))
            place = (role_kind, namespace if role_kind == "Role" else "", role)
            found.append(Granting(kind, name, namespace, role_kind, role, roles.get(place)))
    return tuple(dict.fromkeys(found))


def role_grants(role: Mapping[str, Any]) -> frozenset[Grant]:
    """Every single right that the rules of a role give."""
    return frozenset(grants_of(mappings(role.get("rules")), EVERYWHERE))


def _gathered(role: Mapping[str, Any]) -> frozenset[Grant]:
    aggregated = at(role, "aggregationRule", "clusterRoleSelectors")
    return frozenset(grants_of(_EVERYTHING, EVERYWHERE)) if aggregated else frozenset()


def _place(manifest: Mapping[str, Any]) -> tuple[str, str, str]:
    kind = str(manifest.get("kind") or "")
    namespace = "" if kind.startswith("Cluster") else str(at(manifest, "metadata", "namespace") or "")
    return kind, namespace, str(at(manifest, "metadata", "name") or "")
