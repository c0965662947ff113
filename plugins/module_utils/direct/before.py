# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that is checked before the first change, all of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..cluster.client import Client
from ..nested import at
from ..preflight.apis import api_problems
from ..preflight.certificates import certificate_problems
from ..preflight.crd_safety import CrdReport, crd_problems
from ..preflight.namespaces import Namespaces, look_at_namespaces
from ..preflight.needs import Need, needed
from ..preflight.permissions import permission_problems
from ..preflight.quota import quota_problems
from ..preflight.roles import smallest_roles
from ..preflight.versions import version_problems
from ..rbac.escalation import Granting, grantings_of
from ..rbac.gate import GateResult, gain_sentences, grants_of_manifests, permission_gate
from .ledger import extensions_elsewhere
from .order import DEFINITIONS
from .plan import Desired
from .planning import Answers
from .situation import Situation
from .wanted import Settings, Wanted


@dataclass(frozen=True)
class Access:
    """The namespaces of a change, and what it takes that we may not do, with the smallest roles that would let us."""

    namespaces: Namespaces
    forbidden: tuple[str, ...] = ()
    roles: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Checked:
    """What speaks against a change, and what to know although nothing does. `held` says that the gain in `permissions` was not accepted."""

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    permissions: Mapping[str, Any] = field(default_factory=dict)
    held: bool = False


def check_access(situation: Situation, wanted: Wanted, settings: Settings, desired: tuple[Desired, ...]) -> Access:
    """Look at where a change goes, and at what we may do there."""
    client, extension = situation.client, wanted.extension
    namespaces = look_at_namespaces(client, extension.namespace, wanted.watched, may_create=settings.create_namespace)
    creates = settings.create_namespace and extension.namespace in namespaces.absent
    needs, grantings = rights(situation, wanted, desired, creates_namespace=creates)
    forbidden = tuple(permission_problems(client, needs, grantings))
    if not forbidden:
        return Access(namespaces)
    roles = smallest_roles(needs, grantings, name=f"fleet-olm-{extension.name}", absent=namespaces.absent)
    return Access(namespaces, forbidden, roles)


def check_before(
    situation: Situation,
    wanted: Wanted,
    settings: Settings,
    access: Access,
    desired: tuple[Desired, ...],
    found: Answers,
) -> Checked:
    """Look at everything else, and tell all of it. `found` are those objects that may have to be changed."""
    client, extension = situation.client, wanted.extension
    absent = extension.namespace in access.namespaces.absent
    gate = _gate(situation, wanted, settings)
    crds = _crds(client, desired, found, settings)
    problems = [
        *access.namespaces.problems,
        *_of_bundle(client, wanted),
        *_elsewhere(situation),
        *access.forbidden,
        *([] if absent else quota_problems(client, extension.namespace, wanted.manifests, _existing(situation))),
        *crds.problems,
        *([gate.problem] if gate.problem else []),
    ]
    return Checked(
        problems=tuple(problems),
        warnings=crds.warnings,
        notes=crds.notes,
        permissions={
            "all": gain_sentences(grants_of_manifests(wanted.manifests)),
            "gained": list(gate.gained),
            "digest": gate.digest,
        },
        held=gate.problem is not None,
    )


def rights(
    situation: Situation, wanted: Wanted, desired: tuple[Desired, ...], *, creates_namespace: bool
) -> tuple[tuple[Need, ...], tuple[Granting, ...]]:
    """What one has to be allowed to do, and to hand out."""
    keys = dict.fromkeys((*(item.key for item in desired), *situation.recorded))
    needs = needed(
        wanted.manifests,
        keys,
        namespace=wanted.extension.namespace,
        watched=wanted.watched,
        creates_namespace=creates_namespace,
    )
    return needs, grantings_of(wanted.manifests)


def absent_namespaces(client: Client, wanted: Wanted) -> frozenset[str]:
    """Those of the install and watched namespaces that are not there."""
    return look_at_namespaces(client, wanted.extension.namespace, wanted.watched, may_create=True).absent


def _of_bundle(client: Client, wanted: Wanted) -> list[str]:
    """What a bundle asks for beyond its manifests; nothing for one that comes from the ledger."""
    bundle = wanted.bundle
    if bundle is None:
        return []
    return [
        *version_problems(client, at(bundle.csv, "spec", "minKubeVersion")),
        *api_problems(client.discovery(), bundle, wanted.manifests),
        *certificate_problems(client.discovery(), bundle, wanted.certificate_provider),
    ]


def _elsewhere(situation: Situation) -> list[str]:
    if situation.newest is not None:
        return []
    return [
        f"extension {situation.extension.name} is installed in namespace {other} already; names are unique on a cluster, remove it there first"
        for other in extensions_elsewhere(situation.client, situation.extension)
    ]


def _existing(situation: Situation) -> set[tuple[str, str]]:
    return {(item.key.kind, item.key.name) for item in situation.recorded.values() if item.uid}


def _crds(client: Client, desired: tuple[Desired, ...], found: Answers, settings: Settings) -> CrdReport:
    """CRDs that are as we left them do not change. One that drifted does, and custom resources may use what others put into it."""
    changed = [item for item in desired if item.key.kind == DEFINITIONS and item.key in found]
    live = {}
    for item in changed:
        seen = found[item.key]
        # One that was refused did not come back.
        content = client.find(item.key.path) if seen.refused else seen.live
        if content is not None:
            live[item.key.name] = content
    return crd_problems(client, [item.manifest for item in changed], settings.crd_safety, live)


def _gate(situation: Situation, wanted: Wanted, settings: Settings) -> GateResult:
    """What is gained over the revision that is installed. Going back to one that was installed once was accepted then."""
    installed = situation.installed
    before = situation.ledger.manifests(installed) if installed is not None else None
    accepted = "all" if wanted.rolled_back_to is not None else settings.accept_permissions
    return permission_gate(before, wanted.manifests, accepted, wanted.extension.namespace)
