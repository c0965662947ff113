# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles that somebody has: by the bindings among manifests, or because roles of the cluster gather them by label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings
from .aggregation import GATHERED, gathered_by, rules_with_gathered
from .escalation import BINDINGS, RBAC_GROUP, RESOURCES
from .grants import Grant, grants_of, scope_in
from .words import HOLD

# Where the rules of a role count that other roles gather: they are bound by people of the cluster, in some namespaces or in all.
WHERE_BOUND = "the namespaces where they have it"


@dataclass(frozen=True)
class Bound:
    """A role, who has it, and where. It is not `known` where it may have more rules than these: it is not among the
    manifests, or gathers its rules on the cluster."""

    subject: str
    scope: str
    kind: str
    name: str
    known: bool
    rules: tuple[Mapping[str, Any], ...] = ()

    def grants(self) -> set[Grant]:
        """What the subject may do by it; one grant names a role that is not known."""
        unknown = Grant(self.subject, self.scope, RBAC_GROUP, RESOURCES.get(self.kind, ""), self.name, HOLD)
        return grants_of(self.rules, self.scope, self.subject) | (set() if self.known else {unknown})


def bound_roles(manifests: Iterable[Mapping[str, Any]]) -> Iterator[Bound]:
    """The roles that the subjects of bindings have, and those that roles of the cluster gather."""
    objects = list(manifests)
    roles: dict[tuple[str, str, str], Mapping[str, Any]] = {
        (str(role["kind"]), _namespace(role), str(at(role, "metadata", "name"))): role
        for role in objects
        if role.get("kind") in RESOURCES
    }
    for binding in objects:
        if binding.get("kind") not in BINDINGS:
            continue
        namespace = _namespace(binding)
        kind, name = (str(at(binding, "roleRef", field) or "") for field in ("kind", "name"))
        role = roles.get((kind, namespace if kind == "Role" else "", name))
        rules = () if role is None else tuple(rules_with_gathered(role, roles.values()))
        known = role is not None and not at(role, "aggregationRule")
        for subject in mappings(binding.get("subjects")):
            yield Bound(_subject(subject, namespace), scope_in(namespace), kind, name, known, rules)
    for (kind, _place, name), role in roles.items():
        for label in gathered_by(role):
            rules = tuple(rules_with_gathered(role, roles.values()))
            yield Bound(f"{GATHERED}/{label}", WHERE_BOUND, kind, name, True, rules)


def _namespace(manifest: Mapping[str, Any]) -> str:
    cluster_wide = str(manifest.get("kind")).startswith("Cluster")
    return "" if cluster_wide else str(at(manifest, "metadata", "namespace") or "")


def _subject(subject: Mapping[str, Any], namespace: str) -> str:
    kind, name = str(subject.get("kind") or ""), str(subject.get("name") or "")
    # A capital letter is allowed in no name of a namespace, so users and groups cannot be taken for service accounts.
    return f"{subject.get('namespace') or namespace}/{name}" if kind == "ServiceAccount" else f"{kind}/{name}"
