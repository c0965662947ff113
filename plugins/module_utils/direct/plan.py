# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a run would do: computed from what is wanted, what the ledger remembers and what is there. Nothing is asked or changed here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..cluster.client import FIELD_MANAGER
from ..cluster.objects import ObjectKey
from ..errors import Cause
from ..nested import at, texts
from .differences import MOST_FIELDS, FieldChange, differences, has_field
from .order import DEFINITIONS
from .ownership import REVISION, Extension, Owner, belongs_to, owner_of, stamped
from .record import Placed
from .text import ManifestText

Action = Literal["create", "update", "recreate", "keep", "prune", "retain"]

_MARK = f"metadata.annotations.{REVISION}"

# Their immutable fields can be changed by making the object again: nothing is stored in it, and what it does is
# interrupted for a moment only.
RECREATED = frozenset({"ClusterRoleBinding", "RoleBinding", "Deployment"})


@dataclass(frozen=True)
class Desired:
    """An object that is wanted, as it was rendered."""

    key: ObjectKey
    manifest: dict[str, Any]
    text: ManifestText

    @property
    def digest(self) -> str:
        return self.text.digest


@dataclass(frozen=True)
class Seen:
    """What the API server has of an object, and what it would make of ours.

    `live` is None where it is not there, and then `after` is, too; it is also None where the API server could not be asked.
    `conflicts` are fields that others own, `immutable` why it cannot be changed, `refused` why it is not accepted at all.
    """

    live: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    conflicts: tuple[Cause, ...] = ()
    immutable: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Step:
    """What happens to one object. `uid` is that of the object that is there; `why` is for people; `text` is that of the manifest as it was rendered."""

    action: Action
    key: ObjectKey
    manifest: dict[str, Any] | None = None
    placed: Placed | None = None
    fields: tuple[FieldChange, ...] = ()
    uid: str = ""
    force: bool = False
    why: str = ""
    text: ManifestText | None = None

    def told(self) -> dict[str, Any]:
        """As plain data for a user."""
        told: dict[str, Any] = {
            "action": self.action,
            "kind": self.key.kind,
            "name": self.key.name,
            "namespace": self.key.namespace or None,
        }
        if self.why:
            told["why"] = self.why
        if self.action == "update":
            told["fields"] = [change.told() for change in self.fields[:MOST_FIELDS]]
            if len(self.fields) > MOST_FIELDS:
                told["more_fields"] = len(self.fields) - MOST_FIELDS
        return told


@dataclass(frozen=True)
class Plan:
    """Everything that a run would do, in the order of the rendering, and why it must not."""

    steps: tuple[Step, ...]
    problems: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(step.action not in ("keep", "retain") for step in self.steps)

    def of(self, *actions: Action) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.action in actions)

    def told(self) -> list[dict[str, Any]]:
        return [step.told() for step in self.steps]


def desired_objects(
    manifests: Iterable[dict[str, Any]],
    texts: Iterable[ManifestText],
    key_for: Callable[[Mapping[str, Any]], ObjectKey | None],
) -> tuple[tuple[Desired, ...], list[str]]:
    """The objects that a rendering wants, each once, and what to know of them. Kinds that are not served are left out."""
    found: dict[ObjectKey, Desired] = {}
    warnings = []
    for manifest, text in zip(manifests, texts, strict=True):
        key = key_for(manifest)
        if key is None:
            continue
        wanted = Desired(key, manifest, text)
        # Real bundles ship one Service twice: once by hand, and once because a webhook needs it.
        if key in found and found[key].digest != wanted.digest:
            warnings.append(f"the bundle has {key} twice, and not alike; the last one is what counts")
        found[key] = wanted
    return tuple(found.values()), warnings


def is_as_left(placed: Placed, manifest: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> bool:
    """Whether an object still is as a revision left it, judged by its metadata alone."""
    if metadata is None or metadata.get("deletionTimestamp") or metadata.get("uid") != placed.uid:
        return False
    if placed.generation is not None:
        if metadata.get("generation") != placed.generation:
            return False
    elif metadata.get("resourceVersion") != placed.resource_version:
        return False
    # Labels and annotations change without a new generation.
    return all(
        (metadata.get(section) or {}).get(key) == value
        for section in ("labels", "annotations")
        for key, value in (at(manifest, "metadata", section) or {}).items()
    )


def placed_as(desired: Desired, content: Mapping[str, Any], revision: int) -> Placed:
    """What to remember of an object that was just applied or looked at."""
    metadata = content["metadata"]
    return Placed(
        key=desired.key,
        digest=desired.digest,
        revision=revision,
        uid=str(metadata.get("uid") or ""),
        generation=metadata.get("generation"),
        resource_version=str(metadata.get("resourceVersion") or ""),
    )


@dataclass(frozen=True)
class Rules:
    """What a user allowed, who is known to be gone, and of whom that cannot be seen."""

    adopt: bool = False
    force_conflicts: bool = False
    gone: frozenset[Extension] = frozenset()
    unseen: frozenset[Extension] = frozenset()


def step_for(
    desired: Desired,
    seen: Seen,
    extension: Extension,
    revision: int,
    rules: Rules,
    recorded: Sequence[Mapping[str, Any]] | None,
    recorded_uid: str = "",
) -> tuple[Step, list[str]]:
    """What happens to one object that is wanted, and why it must not.

    `recorded` are the manifests of it that we applied before; None where the ledger does not know the object.
    `recorded_uid` tells which object of that name it knows.
    """
    key, manifest, text = desired.key, stamped(desired.manifest, extension, revision), desired.text
    if seen.refused:
        return Step("keep", key), [f"{key} is not accepted: {seen.refused}"]
    if seen.live is None:
        drifted = "" if recorded is None else "it was deleted"
        placed = Placed(key, desired.digest, revision)
        return Step("create", key, manifest, placed, why=drifted, text=text), []
    ending = at(seen.live, "metadata", "deletionTimestamp")
    if ending:
        finalizers = ", ".join(texts(at(seen.live, "metadata", "finalizers"))) or "its controller"
        return Step("keep", key), [
            f"{key} is being deleted since {ending}, held by {finalizers}; run it again when it is gone"
        ]
    owner = owner_of(seen.live)
    is_ours = belongs_to(seen.live["metadata"], extension, recorded_uid) or _was_ours(owner, extension, rules)
    problem, why = ("", "") if is_ours else _ownership(key, seen, owner, rules)
    if problem:
        return Step("keep", key), [problem]
    placed = placed_as(desired, seen.live, revision)
    uid = placed.uid
    if owner is not None and not is_ours and not why:
        return Step("keep", key, placed=replace(placed, shared=True), why=f"shared with {owner.described}"), []
    if seen.immutable:
        return Step("recreate", key, manifest, placed, uid=uid, why=seen.immutable, text=text), []
    others = [
        cause
        for cause in seen.conflicts
        if not _is_own(cause) and not any(has_field(item, cause.field) for item in recorded or ())
    ]
    if others and not rules.force_conflicts:
        named = "; ".join(sorted({f"{cause.field}: {cause.message}" for cause in others}))
        return Step("keep", key), [
            f"{key} has fields that others set ({named}); set force_conflicts: true to take them over"
        ]
    fields = differences(seen.live, seen.after or manifest)
    if not fields:
        return Step("keep", key, placed=placed), []
    # That the object changes in this revision is said by the plan itself.
    fields = tuple(change for change in fields if change.path != _MARK) or fields
    if others and not why:
        why = "fields that others set are taken over"
    elif seen.conflicts and recorded and not why:
        why = "it drifted"
    return Step("update", key, manifest, placed, fields, uid, bool(seen.conflicts), why, text), []


def _was_ours(owner: Owner | None, extension: Extension, rules: Rules) -> bool:
    """Whether an extension of this name left the object when it was removed, in another namespace."""
    left_by = owner.extension if owner is not None else None
    return left_by is not None and left_by.name == extension.name and left_by in rules.gone


def _is_own(cause: Cause) -> bool:
    """Whether a field is one that we set ourselves, as the conversion of a CRD whose webhook went."""
    return f'conflict with "{FIELD_MANAGER}"' in cause.message


def _ownership(key: ObjectKey, seen: Seen, owner: Owner | None, rules: Rules) -> tuple[str, str]:
    """Why an object that is there must not be touched, or why it may although it is not ours yet."""
    if owner is not None and owner.extension is not None:
        if owner.extension in rules.gone:
            owner = None
        elif key.kind == DEFINITIONS and seen.after is not None and _same_definition(seen):
            return "", ""
    if owner is not None:
        return f"{key} belongs to {owner.described}; {owner.advice}{_unseen(owner, rules)}", ""
    if not rules.adopt:
        return f"{key} is there already and belongs to nobody; set adopt: true to take it over", ""
    return "", "adopted"


def _unseen(owner: Owner, rules: Rules) -> str:
    if owner.extension is None or owner.extension not in rules.unseen:
        return ""
    return f". It may be gone: to see that takes the right to list Secrets in namespace {owner.extension.namespace}"


def _same_definition(seen: Seen) -> bool:
    return not [change for change in differences(seen.live, seen.after or {}) if change.path.startswith("spec")]


def leftovers(
    desired: Iterable[Desired],
    recorded: Iterable[Placed],
    metadata: Mapping[ObjectKey, Mapping[str, Any]],
    extension: Extension,
) -> tuple[Step, ...]:
    """What earlier revisions put there and nobody wants any more. CRDs stay: deleting one deletes data."""
    wanted = {item.key for item in desired}
    steps: dict[ObjectKey, Step] = {}
    for placed in recorded:
        live = metadata.get(placed.key)
        if placed.key in wanted or placed.key in steps or live is None:
            continue
        if not belongs_to(live, extension, placed.own_uid):
            continue
        uid = str(live.get("uid") or "")
        if placed.key.kind == DEFINITIONS:
            kept = Placed(placed.key, placed.digest, placed.revision, uid, live.get("generation"), retained=True)
            steps[placed.key] = Step("retain", placed.key, placed=kept, uid=uid, why="no longer part of the bundle")
        else:
            steps[placed.key] = Step("prune", placed.key, uid=uid, why="no longer part of the bundle")
    return tuple(steps.values())
