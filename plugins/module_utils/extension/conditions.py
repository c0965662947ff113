# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The conditions of ClusterExtensions and ClusterCatalogs, as data and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings

_DEPRECATIONS = {"PackageDeprecated": "package", "ChannelDeprecated": "channel", "BundleDeprecated": "bundle"}


@dataclass(frozen=True)
class Condition:
    """One condition; `generation` is that of the spec which it is about."""

    kind: str
    status: str
    reason: str
    message: str
    generation: int

    def __str__(self) -> str:
        said = " ".join(self.message.split())
        return f"{self.kind} is {self.status} ({self.reason})" + (f": {said}" if said else "")


def conditions_of(content: Mapping[str, Any]) -> dict[str, Condition]:
    """The conditions of an object by their types."""
    found = {}
    for item in mappings(at(content, "status", "conditions")):
        generation = item.get("observedGeneration")
        kind, status, reason, message = (str(item.get(key) or "") for key in ("type", "status", "reason", "message"))
        found[kind] = Condition(kind, status, reason, message, generation if isinstance(generation, int) else 0)
    return found


def generation_of(content: Mapping[str, Any]) -> int:
    """The generation of an object's spec."""
    generation = at(content, "metadata", "generation")
    return generation if isinstance(generation, int) else 0


def current(content: Mapping[str, Any], kind: str) -> Condition | None:
    """A condition, if it is about the spec as it is now."""
    found = conditions_of(content).get(kind)
    return found if found is not None and found.generation == generation_of(content) else None


def conditions_told(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The conditions as plain data for a user; `current` says whether one is about the spec as it is now."""
    generation = generation_of(content)
    return [
        {
            "type": item.kind,
            "status": item.status,
            "reason": item.reason,
            "message": item.message,
            "current": item.generation == generation,
        }
        for item in conditions_of(content).values()
    ]


def deprecations(content: Mapping[str, Any]) -> tuple[str, ...]:
    """What of an extension is deprecated, in the words of the catalog. The rolled-up condition repeats the others."""
    found = conditions_of(content)
    return tuple(
        f"the {word} is deprecated: {' '.join(found[kind].message.split())}"
        for kind, word in _DEPRECATIONS.items()
        if kind in found and found[kind].status == "True"
    )
