# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Taking a ClusterExtension off a cluster without losing data.

Deleted as usual, a ClusterExtension takes its CRDs with it and so every custom resource: they refer to it as their owner. Here it is deleted so that
its objects stay, and then they are deleted in order, but for CRDs. Broken off at any moment, the next run finds what is left by its labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..direct.certificates import signed_secrets
from ..direct.custom_resources import back_up, definition_key, is_served_by
from ..direct.definitions import Fates, fates_of, take_down
from ..direct.execute import delete
from ..direct.namespaces import end_namespace, is_left_alone, own_namespace, with_namespace_going
from ..direct.order import DEFINITIONS, phases
from ..direct.ownership import Extension
from ..direct.plan import Plan, Step
from ..errors import ClusterError, FleetError, Problems
from ..nested import at, mappings
from ..waiting.gone import wait_until_gone
from .api import RELEASE_NAMESPACE, catalog_key, extension_key
from .let_go import let_go
from .owned import object_sets, owned_objects, release_records
from .report import Report, Settings, Unfinished

ORPHANS = "its objects are let go of first, so that no data goes with it"


@dataclass(frozen=True)
class Removal:
    """What a removal does: the steps for people and for carrying out, and the data it touches."""

    plan: Plan
    fates: Fates
    aggregating: frozenset[ObjectKey]
    warnings: tuple[str, ...]


def extension_absent(client: Client, name: str, namespace: str | None, settings: Settings) -> Report:
    """Take an extension off the cluster; nothing is done where it is not there."""
    key = extension_key(name)
    live = client.find(key.path)
    owned = owned_objects(client, name)
    removal = _planned(client, name, live, owned, settings)
    place = Extension(name, _install_namespace(live, owned) or namespace or "")
    own = own_namespace(client, place) if place.namespace else None
    if not removal.plan.changed and not is_left_alone(client, own):
        return Report(False, removal.plan, live, removal.warnings)
    if settings.rehearse_only:
        return Report(True, with_namespace_going(removal.plan, own), live, removal.warnings)
    more: dict[str, Any] = {}
    if settings.backup_dest:
        names = [step.key.name for step in removal.plan.steps if step.key.kind == DEFINITIONS]
        more |= back_up(client, names, settings.backup_dest)
    try:
        removal = _carried_out(client, key, live, removal, settings)
        stays = end_namespace(client, own, settings)
    except FleetError as error:
        message = f"{name}: the removal was not finished: {error}. Run it again to go on"
        plan = with_namespace_going(removal.plan, own)
        raise Unfinished(message, changed=True, plan=plan, content=live) from error
    return Report(True, with_namespace_going(removal.plan, own), None, (*removal.warnings, *stays), more)


def catalog_absent(client: Client, name: str, settings: Settings) -> Report:
    """Take a catalog off the cluster. What was installed from it stays."""
    key = catalog_key(name)
    live = client.find(key.path)
    if live is None:
        return Report(False, Plan(()))
    uid = str(at(live, "metadata", "uid"))
    plan = Plan((Step("prune", key, uid=uid),))
    if not settings.rehearse_only:
        delete(client, key, uid)
        if settings.wait:
            try:
                wait_until_gone(client, [(key, uid)], seconds=settings.wait_timeout, progress=settings.progress)
            except FleetError as error:
                raise Unfinished(str(error), changed=True, plan=plan, content=live) from error
    return Report(True, plan)


def _install_namespace(live: Mapping[str, Any] | None, owned: Mapping[ObjectKey, Mapping[str, Any]]) -> str:
    """From the ClusterExtension, or where it is gone already from what it left."""
    noted = [(at(item, "metadata", "annotations") or {}).get(RELEASE_NAMESPACE) for item in owned.values()]
    return str(at(live, "spec", "namespace") or next(filter(None, noted), ""))


def _planned(
    client: Client,
    name: str,
    live: Mapping[str, Any] | None,
    owned: Mapping[ObjectKey, Mapping[str, Any]],
    settings: Settings,
) -> Removal:
    problems = object_sets(client, name, live)
    steps = [Step("prune", extension_key(name), uid=_uid(live), why=ORPHANS)] if live is not None else []
    going = [key for phase in reversed(phases(owned)) for key in phase if key.kind != DEFINITIONS]
    steps += [Step("prune", key, uid=_uid(owned[key])) for key in going]
    steps += signed_secrets(client, lambda key: (owned[key],), going)
    records, warning = release_records(client, name)
    steps += [
        Step("prune", key, uid=_uid(item), why="operator-controller's record of it") for key, item in records.items()
    ]
    definitions = {key.name: item for key, item in owned.items() if key.kind == DEFINITIONS}
    problems += [
        f"delete_crds: {unknown} is no CRD of ClusterExtension {name}; only its own can be deleted with it"
        for unknown in sorted(set(settings.delete_crds) - set(definitions))
        if client.find(definition_key(unknown).path) is not None
    ]
    place = _install_namespace(live, owned)
    fates = fates_of(client, definitions, settings, lambda crd: _converter_goes(crd, going, place))
    problems += fates.problems
    if problems:
        raise Problems(problems, f"{name}: ")
    aggregating = frozenset(key for key, item in owned.items() if item.get("aggregationRule"))
    return Removal(Plan((*steps, *fates.steps)), fates, aggregating, (warning,) if warning else ())


def _uid(item: Mapping[str, Any] | None) -> str:
    return str(at(item, "metadata", "uid") or "")


def _converter_goes(crd: Mapping[str, Any], going: list[ObjectKey], namespace: str) -> bool:
    service = at(crd, "spec", "conversion", "webhook", "clientConfig", "service")
    services = {(key.namespace, key.name) for key in going if key.kind == "Service"}
    return (at(service, "namespace"), at(service, "name")) in services or is_served_by(crd, namespace)


def _carried_out(
    client: Client, key: ObjectKey, live: Mapping[str, Any] | None, removal: Removal, settings: Settings
) -> Removal:
    """Carry a removal out; what it came to."""

    def progress(text: str) -> None:
        settings.progress(f"{key.name}: {text}")

    def gone(items: list[tuple[ObjectKey, str]]) -> None:
        if settings.wait and items:
            wait_until_gone(client, items, seconds=settings.wait_timeout, progress=progress)

    if live is None:
        take_down(client, removal.plan, removal.fates, settings, removal.aggregating, gone)
        return removal
    # Whoever waits for nothing else waits for this: while it is there, operator-controller puts back what is deleted.
    let_go(client, key, live, seconds=settings.wait_timeout, progress=progress)
    check_let_go(client, [step.key for step in removal.plan.of("retain")], _uid(live))
    # Until then it may have put there more than was planned on.
    rest = _planned(client, key.name, None, owned_objects(client, key.name), settings)
    take_down(client, rest.plan, rest.fates, settings, rest.aggregating, gone)
    return replace(rest, plan=Plan((*(step for step in removal.plan.steps if step.key == key), *rest.plan.steps)))


def check_let_go(client: Client, keys: list[ObjectKey], uid: str) -> None:
    """A CRD that still refers to an owner that is gone would be collected, with all its custom resources."""
    for key in keys:
        found = client.find(key.path)
        owners = [str(item.get("uid")) for item in mappings(at(found, "metadata", "ownerReferences"))]
        if found is None or uid in owners or at(found, "metadata", "deletionTimestamp"):
            raise ClusterError(
                f"{key} did not stay when the ClusterExtension was deleted; nothing more was touched, look at it"
            )
