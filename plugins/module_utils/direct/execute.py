# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Carrying out a plan, phase by phase."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..errors import ApiError, Cause, ClusterError, Conflict
from ..nested import at
from ..waiting.gone import wait_until_gone
from .observe import at_once
from .order import phases
from .ownership import Extension
from .plan import Plan, Step
from .record import Placed

RECREATE_SECONDS = 60

# They write into objects that others made.
_CONTROLLERS = ("kube-apiserver", "kube-controller-manager", "cert-manager-cainjector")


class ChangedMeanwhile(ClusterError):
    """What a plan was made for is not there any more, or something else is."""


@dataclass(frozen=True)
class Hooks:
    """What happens between the steps: keeping the claim, and waiting for what a phase put there."""

    before_phase: Callable[[list[Step]], None]
    after_phase: Callable[[list[Step]], None]
    done: Callable[[Placed], None]
    progress: Callable[[str], None]


def carry_out(client: Client, extension: Extension, plan: Plan, hooks: Hooks) -> None:
    """Put on the cluster what the plan says, in order; `hooks.done` is told of each object as soon as it is there."""
    steps = {step.key: step for step in plan.of("create", "update", "recreate")}
    for keys in phases(steps):
        phase = [steps[key] for key in keys]
        hooks.before_phase(phase)
        at_once(lambda step: hooks.done(_put(client, extension, step, hooks.progress)), phase)
        hooks.after_phase(phase)


def prune(
    client: Client,
    plan: Plan,
    aggregating: Collection[ObjectKey],
    done: Callable[[list[tuple[ObjectKey, str]]], None],
) -> None:
    """Delete what the plan says, the last phase first; `done` is told of each phase."""
    steps = {step.key: step for step in plan.of("prune")}
    for keys in reversed(phases(steps, aggregating)):
        at_once(lambda key: delete(client, key, steps[key].uid), keys)
        done([(key, steps[key].uid) for key in keys])


def delete(client: Client, key: ObjectKey, uid: str) -> None:
    """Delete that very object; one of the same name that somebody made since is left alone."""
    try:
        client.delete(key.path, uid=uid)
    except Conflict:
        return


def _put(client: Client, extension: Extension, step: Step, progress: Callable[[str], None]) -> Placed:
    manifest, text, placed = step.manifest, step.text, step.placed
    if manifest is None or text is None or placed is None:
        raise AssertionError(f"a step without manifest: {step}")
    metadata = manifest["metadata"]
    if step.action == "recreate":
        _delete_and_wait(client, step, progress)
    if step.action == "update":
        # The API server compares the uid: an object that somebody made anew is not ours to change.
        metadata = {**metadata, "uid": step.uid}
    body = str(text.with_metadata(metadata))
    try:
        written = client.apply(step.key.path, body, manager=extension.manager, force=step.force, metadata_only=True)
    except ApiError as error:
        if _was_replaced(error):
            raise ChangedMeanwhile(
                f"{step.key} was deleted or made anew by somebody else after the plan was made; it was left alone, run it again"
            ) from error
        taken = [cause for cause in error.causes if cause.reason == "FieldManagerConflict"]
        if taken:
            did = "created it" if step.action in ("create", "recreate") else "set fields of it"
            raise ChangedMeanwhile(
                f"{step.key} is no longer as the plan found it: somebody else {did} meanwhile ({_conflicts(taken)}); it was left to them"
            ) from error
        raise
    if step.action == "create" and not written.created and not _is_own_try(written.content, extension):
        _let_go(client, extension, step.key)
        raise ChangedMeanwhile(
            f"{step.key} is no longer as the plan found it: somebody else created it meanwhile "
            f"({_managers(written.content, extension)}); it was left to them"
        )
    metadata = written.content["metadata"]
    return replace(
        placed,
        uid=str(metadata["uid"]),
        generation=metadata.get("generation"),
        resource_version=str(metadata["resourceVersion"]),
    )


def _delete_and_wait(client: Client, step: Step, progress: Callable[[str], None]) -> None:
    delete(client, step.key, step.uid)
    wait_until_gone(client, [(step.key, step.uid)], seconds=RECREATE_SECONDS, progress=progress)


def _was_replaced(error: ApiError) -> bool:
    return "uid mismatch" in error.said or any(cause.field == "metadata.uid" for cause in error.causes)


def _is_own_try(content: Mapping[str, Any], extension: Extension) -> bool:
    """Whether nobody but we wrote the object: a first try got through and its answer was lost."""
    return not _others(content, extension)


def _others(content: Mapping[str, Any], extension: Extension) -> list[str]:
    entries = [entry for entry in at(content, "metadata", "managedFields") or [] if not entry.get("subresource")]
    return sorted({str(entry.get("manager")) for entry in entries} - {extension.manager, *_CONTROLLERS})


def _managers(content: Mapping[str, Any], extension: Extension) -> str:
    return ", ".join(_others(content, extension))


def _conflicts(causes: list[Cause]) -> str:
    return "; ".join(sorted({f"{cause.field}: {cause.message}" for cause in causes}))


def _let_go(client: Client, extension: Extension, key: ObjectKey) -> None:
    """Take our fields off an object again: applying none of them gives up those that nobody else owns."""
    metadata = {"name": key.name, **({"namespace": key.namespace} if key.namespace else {})}
    bare = {"apiVersion": key.collection.api_version, "kind": key.kind, "metadata": metadata}
    client.apply(key.path, bare, manager=extension.manager, metadata_only=True)
