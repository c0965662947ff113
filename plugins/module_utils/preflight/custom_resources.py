# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looking at all custom resources of a CRD, page by page: which of them do changes hurt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cluster.client import Client
from ..crd.affects import effect
from ..crd.change import Change
from ..errors import ApiError
from ..nested import at

# So many are named for each change.
NAMED = 5
# A list that takes longer than the server keeps its state for is begun again, so many times.
_BEGINNINGS = 3
_EXPIRED = 410


@dataclass
class Hurt:
    """Whom one change hurts. `undecided` counts those of which only an API server can tell."""

    change: Change
    names: list[str] = field(default_factory=list)
    count: int = 0
    undecided: int = 0

    def note(self, custom_resource: Mapping[str, Any], stored_versions: Collection[str]) -> None:
        """Look at one custom resource."""
        found = effect(self.change, custom_resource, stored_versions)
        if found == "unaffected":
            return
        self.count += 1
        self.undecided += found == "undecided"
        if len(self.names) < NAMED:
            self.names.append(_name(custom_resource))


@dataclass(frozen=True)
class Look:
    """What a look at the custom resources found; not `complete` where it was ended because enough was known."""

    hurt: tuple[Hurt, ...]
    looked_at: int
    complete: bool


def look(client: Client, path: str, changes: Sequence[Change], stored_versions: Collection[str]) -> Look:
    """One request for each PAGE of custom resources; only one page is held at a time."""
    for _again in range(_BEGINNINGS - 1):
        try:
            return _look(client, path, changes, stored_versions)
        except ApiError as error:
            if error.status != _EXPIRED:
                raise
    return _look(client, path, changes, stored_versions)


def _look(client: Client, path: str, changes: Sequence[Change], stored_versions: Collection[str]) -> Look:
    hurt = tuple(Hurt(change) for change in changes)
    looked_at = 0
    for page, is_last in client.pages(path):
        for custom_resource in page:
            looked_at += 1
            for one in hurt:
                one.note(custom_resource, stored_versions)
        if not is_last and all(one.count > NAMED for one in hurt):
            return Look(hurt, looked_at, complete=False)
    return Look(hurt, looked_at, complete=True)


def _name(custom_resource: Mapping[str, Any]) -> str:
    namespace, name = (str(at(custom_resource, "metadata", key) or "") for key in ("namespace", "name"))
    return f"{namespace}/{name}" if namespace else name
