# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that a bundle would bring and that somebody else has. operator-controller would try them again for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..cluster.client import METADATA_OF_ONE, Client
from ..cluster.objects import ObjectKey, key_of
from ..direct.observe import at_once
from ..direct.order import DEFINITIONS
from ..direct.ownership import Extension, owner_of
from ..errors import Forbidden, NotFound
from ..nested import at
from .api import RELEASE_NAME, RELEASE_NAMESPACE


def owner_problems(
    client: Client,
    manifests: Iterable[Mapping[str, Any]],
    extension: Extension,
    crds: Mapping[str, Mapping[str, Any]],
    *,
    adopts: bool,
) -> tuple[list[str], list[str]]:
    """What is in the way, and what could not be looked at. One request for each object but CRDs, of which `crds` are those on the cluster.

    Where `adopts` is set, what bundle_install has under the same name is about to be handed over.
    """
    keys = dict.fromkeys(key for item in manifests if (key := key_of(item, client.discovery())) is not None)
    looked_up = [key for key in keys if key.kind != DEFINITIONS]
    hidden: set[str] = set()

    def found(key: ObjectKey) -> Mapping[str, Any] | None:
        try:
            return client.read(key.path, accept=METADATA_OF_ONE)
        except NotFound:
            return None
        except Forbidden:
            hidden.add(key.collection.plural)
            return None

    live = dict(zip(looked_up, at_once(found, looked_up), strict=True))
    live |= {key: crds.get(key.name) for key in keys if key.kind == DEFINITIONS}
    problems = [
        problem
        for key in keys
        if (content := live[key]) is not None and (problem := _in_the_way(key, content, extension, adopts=adopts))
    ]
    if not hidden:
        return problems, []
    names = ", ".join(sorted(hidden))
    return problems, [
        f"whether {names} of the bundle are somebody else's was not looked at, because we may not get them"
    ]


def _in_the_way(key: ObjectKey, content: Mapping[str, Any], extension: Extension, *, adopts: bool) -> str:
    annotations = at(content, "metadata", "annotations") or {}
    if (annotations.get(RELEASE_NAME), annotations.get(RELEASE_NAMESPACE)) == (extension.name, extension.namespace):
        return ""
    owner = owner_of(content)
    if owner is None:
        return f"{key} is there already and nobody's; OLM v1 takes over nothing that it did not make: delete it first"
    if owner.cluster_extension == extension.name or (adopts and owner.extension == extension):
        return ""
    advice = owner.advice
    if owner.extension == extension:
        advice = "hand it over with adopt_from: direct, or remove it there first"
    elif owner.cluster_extension:
        with_data = " with delete_crds" if key.kind == DEFINITIONS else ""
        advice = f"install it under the name {owner.cluster_extension}, or remove that one{with_data} first"
    return f"{key} belongs to {owner.described}; {advice}"
