# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the namespaces of an installation are there and will stay. One request a namespace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..cluster.client import Client
from ..errors import Forbidden
from ..nested import at


@dataclass(frozen=True)
class Namespaces:
    """What was found out, `told` of those that something is wrong with.

    `absent` are not there, `unusable` are absent or on their way out: nothing can be put into them now.
    """

    told: Mapping[str, str]
    absent: frozenset[str]
    unusable: frozenset[str]

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(self.told.values())


def look_at_namespaces(client: Client, install: str, watched: Sequence[str], *, may_create: bool) -> Namespaces:
    """The install namespace may be missing where it is going to be created; an empty name means all namespaces.

    Nothing is said of a namespace that we may not read: that right is one of those that `needed` lists.
    """
    named = [("install", install), *(("watched", name) for name in watched if name)]
    roles = {name: role for role, name in reversed(named)}
    told: dict[str, str] = {}
    absent: set[str] = set()
    ending: set[str] = set()
    for name in dict.fromkeys(name for _role, name in named):
        try:
            found = client.find(f"/api/v1/namespaces/{name}")
        except Forbidden:
            continue
        if found is None:
            absent.add(name)
            if not (may_create and name == install):
                told[name] = _missing(name, roles[name])
        elif at(found, "metadata", "deletionTimestamp") or at(found, "status", "phase") == "Terminating":
            ending.add(name)
            since = at(found, "metadata", "deletionTimestamp")
            told[name] = (
                f"namespace {name} is being deleted{f' since {since}' if since else ''}; "
                "wait until it is gone, or choose another"
            )
    return Namespaces(told, frozenset(absent), frozenset(absent | ending))


def _missing(name: str, role: str) -> str:
    advice = "create it, or set create_namespace" if role == "install" else "create it, or watch another"
    return f"the {role} namespace {name} does not exist; {advice}"
