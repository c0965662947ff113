# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Taking an extension off a cluster. Data stays: CRDs and custom resources go only when they are asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import FleetError, Forbidden, NotFound, Problems
from ..nested import at, mappings
from ..waiting.gone import wait_until_gone
from .certificates import signed_secrets
from .custom_resources import (
    back_up,
    definition_key,
    is_served_by,
)
from .definitions import Fates, fates_of, take_down
from .execute import delete
from .ledger import Hold
from .observe import at_once, labelled, live_objects, metadata_in
from .order import DEFINITIONS, phases
from .ownership import CREATED_FOR, NAMESPACE, Extension, belongs_to
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
    changed = removal.plan.changed or bool(entries) or _goes_too(client, namespace, extension, removal.plan)
    number = situation.newest.number if situation.newest is not None else None
    if settings.rehearse_only or not changed:
        return Report(changed, number, removal.plan)
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
        if namespace is not None and namespace_is_empty(client, extension.namespace):
            seconds, progress = settings.wait_timeout, settings.progress
            end_namespace(client, namespace, wait=settings.wait, seconds=seconds, progress=progress)
    except FleetError as error:
        hold.release()
        message = f"{extension.name}: the removal was not finished: {error}. Run it again to go on"
        raise Interrupted(message, number or 0, removal.plan) from error
    return Report(True, number, removal.plan, more=more)


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


def own_namespace(client: Client, extension: Extension) -> Mapping[str, Any] | None:
    """The install namespace if it was made for this extension and is still there."""
    try:
        namespace = client.read(f"/api/v1/namespaces/{extension.namespace}")
    except (NotFound, Forbidden):
        return None
    made_for = (at(namespace, "metadata", "annotations") or {}).get(CREATED_FOR)
    return namespace if made_for == extension.name and not at(namespace, "metadata", "deletionTimestamp") else None


def end_namespace(
    client: Client, namespace: Mapping[str, Any], *, wait: bool, seconds: float, progress: Callable[[str], None]
) -> None:
    """Delete a namespace that was made for an extension."""
    key = ObjectKey(Collection("", "v1", "namespaces", "Namespace"), str(at(namespace, "metadata", "name")))
    uid = str(at(namespace, "metadata", "uid"))
    delete(client, key, uid)
    if wait:
        wait_until_gone(client, [(key, uid)], seconds=seconds, progress=progress)


def _goes_too(client: Client, namespace: Mapping[str, Any] | None, extension: Extension, plan: Plan) -> bool:
    """Whether there is nothing left to do but delete the namespace."""
    return namespace is not None and not plan.changed and namespace_is_empty(client, extension.namespace)


def namespace_is_empty(client: Client, namespace: str) -> bool:
    """Whether a namespace holds nothing but what every namespace has. What we may not see counts as something."""
    core = [item for item in mappings(client.read("/api/v1").get("resources")) if item.get("namespaced")]
    paths = [f"/api/v1/namespaces/{namespace}/{item['name']}" for item in core if "list" in (item.get("verbs") or ())]
    preferred = {(item.group, item.plural): item for item in reversed(client.discovery().resources) if item.namespaced}
    paths += [
        f"/apis/{item.group}/{item.version}/namespaces/{namespace}/{item.plural}"
        for item in preferred.values()
        if "list" in item.verbs
    ]
    try:
        return all(at_once(lambda path: _has_nothing(client, path), paths))
    except Forbidden:
        return False


def _has_nothing(client: Client, path: str) -> bool:
    plural = path.rpartition("/")[2]
    if plural in ("events", "endpoints", "endpointslices"):
        return True
    try:
        found = client.read(path, {"limit": 50}, accept=METADATA_ONLY)
    except NotFound:
        # A kind whose CRD we deleted a moment ago is no longer served: nothing of it is left.
        return True
    return not [item for item in mappings(found.get("items")) if not _comes_by_itself(plural, item)]


def _comes_by_itself(plural: str, item: Mapping[str, Any]) -> bool:
    """What controllers put into every namespace, and what goes away with its owner."""
    metadata = item.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if metadata.get("ownerReferences") or metadata.get("deletionTimestamp"):
        return True
    accounts = ("default", "builder", "deployer")
    return (
        (plural == "configmaps" and metadata.get("name") in ("kube-root-ca.crt", "openshift-service-ca.crt"))
        or (plural == "serviceaccounts" and metadata.get("name") in accounts)
        or (plural == "secrets" and annotations.get("kubernetes.io/service-account.name") in accounts)
        or (plural == "rolebindings" and str(metadata.get("name")).startswith("system:"))
    )
