# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the namespaces of an installation are there and will stay. One request a namespace."""

from __future__ import annotations

from collections.abc import Sequence

from ..cluster.client import Client
from ..errors import Forbidden
from ..nested import at


def namespace_problems(client: Client, install: str, watched: Sequence[str], *, may_create: bool) -> list[str]:
    """The install namespace may be missing where it is going to be created; an empty name means all namespaces.

    Nothing is said of a namespace that we may not read: that right is one of those that `needed` lists.
    """
    named = [("install", install), *(("watched", name) for name in watched if name)]
    roles = {name: role for role, name in reversed(named)}
    problems = []
    for name in dict.fromkeys(name for _role, name in named):
        try:
            found = client.find(f"/api/v1/namespaces/{name}")
        except Forbidden:
            continue
        if found is None:
            if not (may_create and name == install):
                problems.append(_missing(name, roles[name]))
        elif at(found, "metadata", "deletionTimestamp") or at(found, "status", "phase") == "Terminating":
            since = at(found, "metadata", "deletionTimestamp")
            problems.append(
                f"namespace {name} is being deleted{f' since {since}' if since else ''}; "
                "wait until it is gone, or choose another"
            )
    return problems


def _missing(name: str, role: str) -> str:
    advice = "create it, or set create_namespace" if role == "install" else "create it, or watch another"
    return f"the {role} namespace {name} does not exist; {advice}"
