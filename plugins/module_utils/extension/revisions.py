# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The revisions by which OLM v1 rolls an extension out where its gate BoxcutterRuntime is on: they hold the objects, and not the ClusterExtension."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.engine import OLM_V1_GROUP
from ..cluster.objects import Collection, ObjectKey
from ..errors import ClusterError
from ..nested import at, mappings
from .api import OWNER_NAME
from .verdict import Verdict, extension_verdict

BOXCUTTER = "BoxcutterRuntime"

# What they are called, now and in older releases, and by which label each of these says whose they are.
_KINDS = ("clusterobjectsets", "clusterextensionrevisions")
_OWNERS = (OWNER_NAME, f"{OLM_V1_GROUP}/owner")
_NUMBERED = re.compile(r".*-(\d+)")


def revisions_of(client: Client, name: str, live: Mapping[str, Any] | None) -> dict[ObjectKey, Mapping[str, Any]]:
    """The metadata of all revisions of an extension; they may be there when the ClusterExtension, `live`, is gone."""
    found: dict[ObjectKey, Mapping[str, Any]] = {}
    for plural in _KINDS:
        for resource in client.discovery().served(OLM_V1_GROUP, plural)[:1]:
            place = Collection(OLM_V1_GROUP, resource.version, plural, resource.kind)
            for item in client.each(place.path, accept=METADATA_ONLY):
                if _is_of(item, name, live):
                    found[ObjectKey(place, str(at(item, "metadata", "name")))] = item
    return found


def _is_of(item: Mapping[str, Any], name: str, live: Mapping[str, Any] | None) -> bool:
    owners = [reference.get("uid") for reference in mappings(at(item, "metadata", "ownerReferences"))]
    labels = at(item, "metadata", "labels") or {}
    return (live is not None and at(live, "metadata", "uid") in owners) or name in map(labels.get, _OWNERS)


def extension_judge(client: Client) -> Callable[[Mapping[str, Any]], Verdict]:
    """Judges a ClusterExtension that is waited for.

    operator-controller makes a revision, and then says of the spec that asked for it what the revision before has come to. Only its next look has the new one.
    """

    def judge(content: Mapping[str, Any]) -> Verdict:
        verdict = extension_verdict(content)
        made = _just_made(client, content) if verdict.state == "done" else ""
        if not made:
            return verdict
        return Verdict("waiting", "Progressing", f"operator-controller has not said anything about revision {made}")

    return judge


def _just_made(client: Client, content: Mapping[str, Any]) -> str:
    """The newest revision, where the ClusterExtension does not name it yet. Who may not look takes its word."""
    active = [str(revision.get("name")) for revision in mappings(at(content, "status", "activeRevisions"))]
    if not active:
        return ""
    try:
        found = revisions_of(client, str(at(content, "metadata", "name")), content)
    except ClusterError:
        return ""
    there = [key.name for key, item in found.items() if not at(item, "metadata", "deletionTimestamp")]
    newest = max(there, key=_number, default="")
    return newest if _number(newest) > max(map(_number, active)) else ""


def _number(name: str) -> int:
    found = _NUMBERED.fullmatch(name)
    return int(found[1]) if found else 0
