# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade gate: which permissions a new revision gains over the installed one, and whether somebody accepted that.

No request: both revisions are manifests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings
from .aggregation import gathered_by, rules_with_gathered, who_gathers
from .escalation import BINDINGS, RBAC_GROUP, RESOURCES
from .grants import EVERYWHERE, Grant, digest, gained, grants_of
from .words import HOLD, sentences

ACCEPT_ALL = "all"
# Stands for a subject: whoever has a ClusterRole that gathers a label. No kind of subjects has this name.
_GATHERED = "ClusterRole"
# Where the rules of a role count that other roles gather: they are bound by people of the cluster, in some namespaces or in all.
WHERE_BOUND = "the namespaces where they have it"


@dataclass(frozen=True)
class GateResult:
    """What is gained, in sentences, and the digest that accepts just that; `problem` is None where the gate is open."""

    gained: tuple[str, ...] = ()
    digest: str | None = None
    problem: str | None = None


def permission_gate(
    before_manifests: Sequence[Mapping[str, Any]] | None,
    after_manifests: Sequence[Mapping[str, Any]],
    accepted: str | None,
) -> GateResult:
    """Closed where something is gained that nobody accepted. On a first install (`before_manifests` is None) all is
    gained and the gate is open: to install is to accept."""
    new = gained(grants_of_manifests(before_manifests or ()), grants_of_manifests(after_manifests))
    if not new:
        return GateResult()
    words, name = tuple(gain_sentences(new)), digest(new)
    if before_manifests is None or accepted in (name, ACCEPT_ALL):
        return GateResult(words, name)
    other = f" (not {accepted}, which is another gain)" if accepted else ""
    problem = (
        f"it gains permissions; held until accepted: {'; '.join(words)}; accept with accept_permissions: {name}{other}"
    )
    return GateResult(words, name, problem)


def grants_of_manifests(manifests: Iterable[Mapping[str, Any]]) -> set[Grant]:
    """What the subjects of bindings may do, and those who have a role of the cluster that gathers rules of ours. Where the
    rules of a role are not known, one grant names it: it is not among the manifests, or gathers its rules on the cluster."""
    objects = list(manifests)
    roles: dict[tuple[str, str, str], Mapping[str, Any]] = {
        (str(role["kind"]), _namespace(role), str(at(role, "metadata", "name"))): role
        for role in objects
        if role.get("kind") in RESOURCES
    }
    found: set[Grant] = set()
    for binding in objects:
        if binding.get("kind") not in BINDINGS:
            continue
        namespace = _namespace(binding)
        scope = f"namespace {namespace}" if namespace else EVERYWHERE
        kind, name = (str(at(binding, "roleRef", field) or "") for field in ("kind", "name"))
        role = roles.get((kind, namespace if kind == "Role" else "", name))
        for subject in mappings(binding.get("subjects")):
            who = _subject(subject, namespace)
            if role is None or at(role, "aggregationRule"):
                found.add(Grant(who, scope, RBAC_GROUP, RESOURCES.get(kind, ""), name, HOLD))
            if role is not None:
                found |= grants_of(rules_with_gathered(role, roles.values()), scope, who)
    for role in roles.values():
        for label in gathered_by(role):
            found |= grants_of(rules_with_gathered(role, roles.values()), WHERE_BOUND, f"{_GATHERED}/{label}")
    return found


def gain_sentences(grants: Iterable[Grant]) -> list[str]:
    """Service accounts go without their namespace where there is only one."""
    listed = list(grants)
    places = {grant.service_account.partition("/")[0] for grant in listed} - {"User", "Group", _GATHERED}

    def words(subject: str) -> str:
        place, _slash, name = subject.partition("/")
        if place in ("User", "Group"):
            return f"{place.lower()} {name}"
        if place == _GATHERED:
            return who_gathers(name)
        return f"service account {name if len(places) == 1 else subject}"

    return sentences(listed, words)


def _namespace(manifest: Mapping[str, Any]) -> str:
    cluster_wide = str(manifest.get("kind")).startswith("Cluster")
    return "" if cluster_wide else str(at(manifest, "metadata", "namespace") or "")


def _subject(subject: Mapping[str, Any], namespace: str) -> str:
    kind, name = str(subject.get("kind") or ""), str(subject.get("name") or "")
    # A capital letter is allowed in no name of a namespace, so users and groups cannot be taken for service accounts.
    return f"{subject.get('namespace') or namespace}/{name}" if kind == "ServiceAccount" else f"{kind}/{name}"
