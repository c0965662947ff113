# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of CRDs and their custom resources when an operator is removed, with either engine: they stay unless they are named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..errors import Problems
from ..nested import at
from .custom_resources import CustomResource, custom_resources, definition_key, without_conversion
from .execute import delete, prune
from .observe import at_once
from .order import DEFINITIONS
from .plan import Plan, Step

_MOST_NAMES = 5


class Named(Protocol):
    """What a user named for deletion."""

    @property
    def delete_crds(self) -> tuple[str, ...]: ...

    @property
    def delete_custom_resources(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Fates:
    """The steps for CRDs, the custom resources that go before theirs, changes of those that stay, and what speaks against it."""

    steps: tuple[Step, ...]
    resources: tuple[CustomResource, ...]
    patches: Mapping[ObjectKey, dict[str, Any]]
    problems: tuple[str, ...]


def fates_of(
    client: Client,
    crds: Mapping[str, Mapping[str, Any]],
    named: Named,
    converter_goes: Callable[[Mapping[str, Any]], bool],
) -> Fates:
    """What becomes of the CRDs of an operator, given by name as the cluster has them."""
    steps: list[Step] = []
    problems: list[str] = []
    resources: list[CustomResource] = []
    patches: dict[ObjectKey, dict[str, Any]] = {}
    for name, crd in sorted(crds.items()):
        key, uid = definition_key(name), str(at(crd, "metadata", "uid") or "")
        if name in named.delete_crds:
            there = custom_resources(client, crd)
            problems += _still_used(name, there, named)
            resources += there
            steps.append(Step("prune", key, uid=uid, why="named in delete_crds"))
            continue
        if converter_goes(crd):
            patch, problem = without_conversion(crd)
            problems += [problem] if problem else []
            if patch is not None:
                patches[key] = patch
        steps.append(Step("retain", key, uid=uid, why="not named in delete_crds"))
    return Fates(tuple(steps), tuple(resources), patches, tuple(problems))


def take_down(
    client: Client,
    plan: Plan,
    fates: Fates,
    named: Named,
    aggregating: Collection[ObjectKey],
    gone: Callable[[list[tuple[ObjectKey, str]]], None],
) -> None:
    """Delete what the plan says. `gone` is told of what was deleted, to wait for it."""
    definitions = tuple(step for step in plan.of("prune") if step.key.kind == DEFINITIONS)
    others = tuple(step for step in plan.of("prune") if step.key.kind != DEFINITIONS)
    # Custom resources first, while the operator still runs: it may have to finish them.
    at_once(lambda item: delete(client, item.key, item.uid), fates.resources)
    gone([(item.key, item.uid) for item in fates.resources])
    for key, patch in fates.patches.items():
        client.merge(key.path, patch)
    prune(client, Plan(others), aggregating, gone)
    _look_again(client, definitions, named)
    prune(client, Plan(definitions), aggregating, gone)


def _look_again(client: Client, definitions: tuple[Step, ...], named: Named) -> None:
    """Go no further where somebody made a custom resource after the plan was made."""
    problems: list[str] = []
    for step in definitions:
        if step.key.name in named.delete_custom_resources:
            continue
        crd = client.find(step.key.path)
        if crd is not None and at(crd, "metadata", "uid") == step.uid:
            problems += _still_used(step.key.name, custom_resources(client, crd), named)
    if problems:
        raise Problems(problems)


def _still_used(name: str, there: list[CustomResource], named: Named) -> list[str]:
    """Why a CRD must not be deleted: it has custom resources, and nobody said that they may go."""
    if not there or name in named.delete_custom_resources:
        return []
    names = ", ".join(
        f"{item.key.namespace}/{item.key.name}" if item.key.namespace else item.key.name for item in there[:_MOST_NAMES]
    )
    more = f" and {len(there) - _MOST_NAMES} more" if len(there) > _MOST_NAMES else ""
    return [
        f"delete_crds: {name} has {len(there)} custom resources ({names}{more}), which would be deleted with it; name it in "
        "delete_custom_resources, too, if that is wanted"
    ]
