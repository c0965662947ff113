# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Taking an extension off a cluster. Data stays: CRDs and custom resources go only when they are asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import FleetError, Forbidden, NotFound, Problems
from ..waiting.gone import wait_until_gone
from .certificates import signed_secrets
from .custom_resources import back_up, definition_key, is_served_by
from .definitions import Fates, fates_of, take_down
from .ledger import Hold
from .namespaces import end_namespace, is_left_alone, own_namespace, with_namespace_going
from .observe import labelled, live_objects, metadata_in
from .order import DEFINITIONS, phases
from .ownership import NAMESPACE, Extension, belongs_to
from .plan import Plan, Step
from .situation import Situation
from .wanted import Interrupted, Report, Settings

_RBAC, _ADMISSION = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"
_OUTSIDE = (
    Collection(_ADMISSION, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
    Collection(_ADMISSION, "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
    Collection(_RBAC, "v1", "clusterrolebindings", "ClusterRoleBinding"),
    Collection(_RBAC, "v1", "clusterroles", "ClusterRole"),
)


@dataclass(frozen=True)
class Removal:
    """What a removal does: the steps for people and for carrying out, and the data it touches."""

    plan: Plan
    fates: Fates


def remove(situation: Situation, settings: Settings) -> Report:
    """Take an extension off the cluster; nothing is done where it is not there."""
    situation.readable()
    client, extension = situation.client, situation.extension
    entries = situation.ledger.entries()
    removal = _planned(situation, settings)
    namespace = own_namespace(client, extension)
    number = situation.newest.number if situation.newest is not None else None
    if not removal.plan.changed and not entries and not is_left_alone(client, namespace):
        return Report(False, number, removal.plan)
    plan = with_namespace_going(removal.plan, namespace)
    if settings.rehearse_only:
        return Report(True, number, plan)
    more: dict[str, Any] = {}
    if settings.backup_dest:
        names = [item.key.name for item in removal.plan.steps if item.key.kind == DEFINITIONS]
        more |= back_up(client, names, settings.backup_dest)
    hold = situation.ledger.take(situation.newest)
    try:
        if situation.newest is not None:
            hold.reopen(situation.newest, removing=True)
        _carried_out(situation, removal, settings, hold)
        situation.ledger.forget(entries)
        stays = end_namespace(client, namespace, settings)
    except FleetError as error:
        hold.release()
        message = f"{extension.name}: the removal was not finished: {error}. Run it again to go on"
        raise Interrupted(message, number or 0, plan) from error
    return Report(True, number, plan, warnings=stays, more=more)


def _planned(situation: Situation, settings: Settings) -> Removal:
    client, extension = situation.client, situation.extension
    metadata = metadata_in(live_objects(client, extension, situation.recorded.values()))
    uids = {key: item.own_uid for key, item in situation.recorded.items()}
    live = {
        key: item
        for key, item in metadata.items()
        if belongs_to(item, extension, uids.get(key, "")) and not _goes_anyway(item, settings)
    }
    known = dict.fromkeys(situation.recorded)
    if situation.newest is None:
        outside = _left_outside(client, extension)
        live |= outside
        known |= dict.fromkeys(outside)
    ordered = reversed([key for phase in phases(known) for key in phase])
    steps = [
        Step("prune", key, uid=str(live[key].get("uid"))) for key in ordered if key.kind != DEFINITIONS and key in live
    ]
    steps += signed_secrets(client, lambda key: situation.manifests.get(key, ()), [step.key for step in steps])
    definitions = {key.name for key in live if key.kind == DEFINITIONS}
    problems = [
        f"delete_custom_resources: {name} is not among delete_crds; custom resources are deleted with their CRD or not at all"
        for name in settings.delete_custom_resources
        if name not in settings.delete_crds
    ]
    own: dict[str, Mapping[str, Any]] = {}
    for name in sorted(definitions | set(settings.delete_crds)):
        key = definition_key(name)
        crd = client.find(key.path)
        if crd is None:
            continue
        if not belongs_to(crd["metadata"], extension, uids.get(key, "")):
            problems.append(f"delete_crds: {name} is no CRD of {extension}; only its own can be deleted with it")
        elif not _goes_anyway(crd["metadata"], settings):
            own[name] = crd
    fates = fates_of(client, own, settings, lambda crd: is_served_by(crd, extension.namespace))
    problems += fates.problems
    if problems:
        raise Problems(problems, f"{extension.name}: ")
    converting = "; it converts no more, because its webhook goes"
    steps += [replace(step, why=step.why + converting) if step.key in fates.patches else step for step in fates.steps]
    return Removal(Plan(tuple(steps)), fates)


def _goes_anyway(metadata: Mapping[str, Any], settings: Settings) -> bool:
    """Whether there is nothing left to do about an object: it is being deleted, and nobody wants to wait for that."""
    return not settings.wait and bool(metadata.get("deletionTimestamp"))


def _left_outside(client: Client, extension: Extension) -> dict[ObjectKey, Mapping[str, Any]]:
    """What is still there outside the namespace when that was deleted, and the ledger with it: webhooks that nobody answers, above all.

    What we may not list stays; whoever may will find it.
    """
    found = metadata_in(labelled(client, extension, _OUTSIDE, passed_over=(Forbidden, NotFound)))
    return {key: item for key, item in found.items() if _is_from(item, extension)}


def _is_from(metadata: Mapping[str, Any], extension: Extension) -> bool:
    """Whether it was put there from that namespace: an extension of the same name may live in another."""
    return bool((metadata.get("annotations") or {}).get(NAMESPACE) == extension.namespace)


def _carried_out(situation: Situation, removal: Removal, settings: Settings, hold: Hold) -> None:
    client, extension = situation.client, situation.extension

    def progress(text: str) -> None:
        hold.renew()
        settings.progress(f"{extension.name}: {text}")

    def gone(items: list[tuple[ObjectKey, str]]) -> None:
        hold.renew()
        if settings.wait and items:
            wait_until_gone(client, items, seconds=settings.wait_timeout, progress=progress)

    take_down(client, removal.plan, removal.fates, settings, situation.aggregating, gone)
