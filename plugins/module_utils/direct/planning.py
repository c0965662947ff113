# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Making a plan: what is wanted is compared with the ledger and with the cluster, and the API server is asked about the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from .certificates import signed_secrets
from .observe import at_once, owners_ledger_is_gone, rehearse
from .ownership import Extension, owner_of, stamped
from .plan import (
    Desired,
    Plan,
    Rules,
    Seen,
    Step,
    desired_objects,
    is_as_left,
    leftovers,
    step_for,
)
from .situation import Situation
from .text import texts_of

Metadata = Mapping[ObjectKey, Mapping[str, Any]]
Answers = Mapping[ObjectKey, Seen]


def suspects(situation: Situation, desired: tuple[Desired, ...], metadata: Metadata) -> tuple[Desired, ...]:
    """What has to be asked about: all but objects that are as wanted and as we left them, judged by their metadata."""
    return tuple(item for item in desired if not _is_untouched(situation, item, metadata))


def ask(
    situation: Situation,
    suspected: tuple[Desired, ...],
    number: int,
    metadata: Metadata,
    unusable_namespaces: Collection[str] = (),
) -> Answers:
    """What the API server has of objects, and what it would make of them in the revision `number`."""

    def seen(item: Desired) -> Seen:
        if item.key.namespace in unusable_namespaces:
            return Seen()
        revision, new = _revision_of(situation, item, number), item.key not in metadata
        return rehearse(situation.client, item, situation.extension, revision, new=new)

    return dict(zip((item.key for item in suspected), at_once(seen, suspected), strict=True))


def make_plan(
    situation: Situation,
    desired: tuple[Desired, ...],
    number: int,
    metadata: Metadata,
    found: Answers,
    *,
    adopt: bool = False,
    force_conflicts: bool = False,
) -> Plan:
    """What a run would do, with everything that speaks against it. `number` is the revision that it would make; what was not asked about is kept."""
    extension = situation.extension
    rules = Rules(adopt, force_conflicts, *_owners(situation.client, extension, found))
    steps: list[Step] = []
    problems: list[str] = []
    for item in desired:
        placed = situation.recorded.get(item.key)
        if item.key not in found:
            steps.append(Step("keep", item.key, placed=placed))
            continue
        recorded = None
        if placed is not None and placed.uid:
            recorded = situation.manifests.get(item.key, []) if found[item.key].conflicts else []
        revision = _revision_of(situation, item, number)
        uid = placed.own_uid if placed is not None else ""
        step, against = step_for(item, found[item.key], extension, revision, rules, recorded, uid)
        steps.append(step)
        problems += against
    going = leftovers(desired, situation.recorded.values(), metadata, extension)
    pruned = [step.key for step in going if step.action == "prune"]
    steps += (*going, *signed_secrets(situation.client, lambda key: situation.manifests.get(key, ()), pruned))
    return Plan(tuple(steps), tuple(problems))


def plan_again(situation: Situation, number: int, manifests: Sequence[dict[str, Any]], metadata: Metadata) -> Plan:
    """What a run would do that wants what is installed."""
    desired, _warnings = desired_objects(manifests, texts_of(manifests), situation.key_for)
    found = ask(situation, suspects(situation, desired, metadata), number, metadata)
    return make_plan(situation, desired, number, metadata, found)


def _is_untouched(situation: Situation, desired: Desired, metadata: Metadata) -> bool:
    placed = situation.recorded.get(desired.key)
    if placed is None or placed.digest != desired.digest:
        return False
    manifest = desired.manifest
    expected = manifest if placed.shared else stamped(manifest, situation.extension, placed.revision)
    return is_as_left(placed, expected, metadata.get(desired.key))


def _revision_of(situation: Situation, desired: Desired, number: int) -> int:
    """The revision to mark an object with: the one that changed it last."""
    placed = situation.recorded.get(desired.key)
    return placed.revision if placed is not None and placed.digest == desired.digest else number


def _owners(client: Client, extension: Extension, found: Answers) -> tuple[frozenset[Extension], frozenset[Extension]]:
    """Extensions that objects name as their owner: those that are no longer there, so that what they left has no owner, and those that we may not see."""
    owners = {owner.extension for seen in found.values() if seen.live and (owner := owner_of(seen.live))}
    others = [owner for owner in owners if owner is not None and owner != extension]
    gone = {owner: owners_ledger_is_gone(client, owner) for owner in others}
    return frozenset(owner for owner in gone if gone[owner]), frozenset(owner for owner in gone if gone[owner] is None)
