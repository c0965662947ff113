# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Putting an extension on a cluster: first install, upgrade, mending of drift, and going on where a run was broken off.

It is all one: compare what is wanted with the ledger and the cluster, plan, check everything that could go wrong, and carry out the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..errors import FleetError, Forbidden, NotReady, Problems
from ..waiting.ready import ready
from ..waiting.served import served_soon
from ..waiting.wait import wait_until_established, wait_until_ready
from .before import check_access, check_before
from .execute import Hooks, carry_out, prune
from .holder import now, who
from .ledger import Entry, Held, Hold, Ledger
from .namespaces import make_namespace, making
from .observe import live_objects, metadata_in
from .order import DEFINITIONS, DEPLOYMENT, WEBHOOKS
from .ownership import Extension
from .plan import Plan, Step, desired_objects
from .planning import ask, make_plan, suspects
from .record import Placed, Record
from .situation import Situation
from .wanted import Interrupted, NotAllowed, PermissionsHeld, Report, Settings, Wanted


def install(situation: Situation, wanted: Wanted, settings: Settings) -> Report:
    """Make an extension what is wanted."""
    newest = situation.newest
    # Older revisions that still count were left by a run that was broken off at its very end.
    unfinished = newest is not None and (newest.state != "installed" or len(situation.records) > 1)
    same = newest is not None and _is_same(newest, wanted)
    live, denied = _live(situation)
    metadata = metadata_in(live)
    desired, warnings = desired_objects(wanted.manifests, wanted.texts, situation.key_for)
    suspected = suspects(situation, desired, metadata)
    if newest is not None and same and not unfinished and not suspected and denied is None:
        return _unchanged(situation, newest, settings, live)
    entries = situation.ledger.entries() if situation.unreadable is None else ()
    number = newest.number if newest is not None and same else _next_number(entries)
    access = check_access(situation, wanted, settings, desired)
    unusable = access.namespaces.unusable
    # Who may not do the change need not be told what else is in its way: most of that could not even be looked at.
    may = not access.forbidden and denied is None and situation.unreadable is None
    found = ask(situation, suspected, number, metadata, unusable) if may else {}
    checked = check_before(situation, wanted, settings, access, desired, found)
    if access.forbidden:
        raise NotAllowed(checked.problems, f"{wanted.extension.name}: ", access.roles)
    if denied is not None:
        raise denied
    situation.readable()
    plan = make_plan(
        situation, desired, number, metadata, found, adopt=settings.adopt, force_conflicts=settings.force_conflicts
    )
    problems = [*checked.problems, *plan.problems]
    if problems and checked.held:
        raise PermissionsHeld(problems, f"{wanted.extension.name}: ", checked.permissions)
    if problems:
        raise Problems(problems, f"{wanted.extension.name}: ")
    changed = plan.changed or not same or unfinished
    # One that is unusable and no problem is not there yet, and may be made.
    first = (making(wanted.extension),) if wanted.extension.namespace in unusable else ()
    whole = replace(plan, steps=(*first, *plan.steps))
    conditions: tuple[Mapping[str, Any], ...] = ()
    if changed and not settings.rehearse_only:
        conditions = _carried_out(situation, wanted, settings, plan, number, entries, same=same, told=whole)
    told = (*warnings, *checked.warnings)
    return Report(changed, number, whole, conditions, checked.notes, told, checked.permissions)


def _live(situation: Situation) -> tuple[dict[ObjectKey, Mapping[str, Any]], Forbidden | None]:
    """What the extension has on the cluster; where we may not look, why, so that everything that we may not do is told at once."""
    try:
        return live_objects(
            situation.client, situation.extension, situation.recorded.values(), whole={DEPLOYMENT}
        ), None
    except Forbidden as error:
        return {}, error


def _next_number(entries: tuple[Entry, ...]) -> int:
    """Parts without their record were left by an attempt that was broken off before it began: that number is still free."""
    return max((entry.number for entry in entries if not entry.part), default=0) + 1


def _is_same(record: Record, wanted: Wanted) -> bool:
    """Whether a revision is of what is wanted, wherever it was read from."""
    names = ("name", "version")
    return record.digest == wanted.digest and all(record.bundle.get(key) == wanted.identity.get(key) for key in names)


def _unchanged(
    situation: Situation, record: Record, settings: Settings, live: Mapping[ObjectKey, Mapping[str, Any]]
) -> Report:
    steps = tuple(Step("retain" if item.retained else "keep", item.key, placed=item) for item in record.objects)
    conditions: tuple[Mapping[str, Any], ...] = ()
    if settings.wait and settings.wait_for == "ready" and not settings.rehearse_only:
        # Nothing was changed, so only Deployments can have become unready; most often none has.
        deployments = [item.key for item in record.objects if item.key.kind == DEPLOYMENT]
        if not all(ready(live[key]).ready for key in deployments):
            conditions = _waited(situation.client, record.extension, deployments, settings, None)
    return Report(False, record.number, Plan(steps), conditions)


def _carried_out(
    situation: Situation,
    wanted: Wanted,
    settings: Settings,
    plan: Plan,
    number: int,
    entries: tuple[Entry, ...],
    *,
    same: bool,
    told: Plan,
) -> tuple[Mapping[str, Any], ...]:
    """Carry out the plan of the objects; `told` is what a user is told of it."""
    client, extension, newest = situation.client, wanted.extension, situation.newest

    def interrupted(error: FleetError, serving: Record | None) -> Interrupted:
        return Interrupted(_what_now(error, extension, number, serving, settings.wait_timeout), number, told)

    hold = situation.ledger.take(newest)
    objects = {step.key: step.placed for step in plan.steps if step.placed is not None}
    try:
        if settings.create_namespace and newest is None:
            make_namespace(client, extension)
        if newest is not None and same:
            record = hold.reopen(newest, objects=tuple(objects.values()), removing=False, outcome="")
        else:
            record = hold.begin(_pending(wanted, number, tuple(objects.values())))
    except Held:
        hold.release()
        raise
    except FleetError as error:
        # The namespace or the record may be there although nobody said so.
        hold.release()
        raise interrupted(error, situation.installed) from error
    try:
        conditions = _worked(situation, wanted, settings, plan, hold, objects)
    except FleetError as error:
        _close_as_failed(hold, record, tuple(objects.values()), str(error))
        raise interrupted(error, situation.installed) from error
    try:
        hold.close(record, "installed", tuple(objects.values()))
        for older in situation.records:
            if older.number != number:
                hold.supersede(older)
        _trim(situation.ledger, entries, record, settings.history_limit, situation.installed)
    except FleetError as error:
        # All objects are in place; the next run finishes the ledger.
        raise interrupted(error, None) from error
    return conditions


def _worked(
    situation: Situation, wanted: Wanted, settings: Settings, plan: Plan, hold: Hold, objects: dict[ObjectKey, Placed]
) -> tuple[Mapping[str, Any], ...]:
    client = situation.client
    wait_for_ready = settings.wait and settings.wait_for == "ready"

    def before_phase(steps: list[Step]) -> None:
        hold.renew()
        if wait_for_ready and any(step.key.kind in WEBHOOKS for step in steps):
            # A webhook that nobody answers yet would block the API.
            deployments = [key for key in objects if key.kind == DEPLOYMENT]
            _waited(client, wanted.extension, deployments, settings, hold)

    def after_phase(steps: list[Step]) -> None:
        definitions = [step for step in steps if step.key.kind == DEFINITIONS]
        if not served_soon(client, [step.manifest for step in definitions if step.manifest is not None]):
            keys = [step.key for step in definitions]
            _waited(client, wanted.extension, keys, settings, hold, established=True)

    def done(placed: Placed) -> None:
        objects[placed.key] = placed

    carry_out(client, wanted.extension, plan, Hooks(before_phase, after_phase, done, settings.progress))
    conditions: tuple[Mapping[str, Any], ...] = ()
    if wait_for_ready:
        own = [key for key, placed in objects.items() if not placed.shared and not placed.retained]
        conditions = _waited(client, wanted.extension, own, settings, hold)
        _look_again(client, wanted.extension, objects)
    if plan.of("prune"):
        # Whoever took over from us may want what our plan wants gone.
        hold.renew(at_once=True)
    prune(client, plan, situation.aggregating, lambda _phase: hold.renew())
    return conditions


def _waited(
    client: Client,
    extension: Extension,
    keys: list[ObjectKey],
    settings: Settings,
    hold: Hold | None,
    *,
    established: bool = False,
) -> tuple[Mapping[str, Any], ...]:
    def progress(text: str) -> None:
        if hold is not None:
            hold.renew()
        settings.progress(f"{extension.name}: {text}")

    wait = wait_until_established if established else wait_until_ready
    found = wait(client, keys, seconds=settings.wait_timeout, progress=progress, selector=extension.selector)
    return tuple(
        {"object": item.object, "condition": item.condition, "seconds": round(item.seconds, 1)} for item in found
    )


def _look_again(client: Client, extension: Extension, objects: dict[ObjectKey, Placed]) -> None:
    """Remember objects as they are now that controllers have written into them what they do, as certificates of webhooks."""
    metadata = metadata_in(live_objects(client, extension, objects.values()))
    for key, placed in list(objects.items()):
        live = metadata.get(key)
        if live is not None and live.get("uid") == placed.uid:
            version = str(live.get("resourceVersion") or "")
            objects[key] = replace(placed, generation=live.get("generation"), resource_version=version)


def _pending(wanted: Wanted, number: int, objects: tuple[Placed, ...]) -> Record:
    return Record(
        extension=wanted.extension,
        number=number,
        state="pending",
        bundle=wanted.identity,
        config=wanted.config,
        certificate_provider=wanted.certificate_provider,
        digest=wanted.digest,
        objects=objects,
        started=now(),
        by=who(),
        rolled_back_to=wanted.rolled_back_to,
        texts=wanted.texts,
    )


def _close_as_failed(hold: Hold, record: Record, objects: tuple[Placed, ...], outcome: str) -> None:
    try:
        hold.close(record, "failed", objects, outcome.partition("\n")[0])
    except FleetError:
        # The record stays pending, which the next run understands as well; the first error is what the user needs.
        return


def _what_now(
    error: FleetError, extension: Extension, number: int, installed: Record | None, wait_timeout: float
) -> str:
    verb = f"did not become ready within {wait_timeout:g} s" if isinstance(error, NotReady) else "was not finished"
    text = f"{extension.name}: revision {number} {verb}: {error}"
    if installed is not None and installed.number != number:
        return f"{text}. Revision {installed.number} keeps serving where it still can; roll back with state: rolled_back, or run again"
    return f"{text}. Run it again to go on, or remove it with state: absent"


def _trim(ledger: Ledger, entries: tuple[Entry, ...], record: Record, limit: int, good: Record | None) -> None:
    """Forget old revisions, but never the last good one before this, nor what this one consists of."""
    numbers = sorted({entry.number for entry in entries} | {record.number}, reverse=True)
    kept = set(numbers[: max(limit, 1)]) | {record.number} | ({good.number} if good is not None else set())
    old = [entry for entry in entries if entry.number not in kept]
    stray = [
        entry for entry in entries if entry.part and entry.number == record.number and entry.name not in record.parts
    ]
    ledger.forget((*old, *stray))
