# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""To whom a tree is handed over, and what they need to know of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError

ARGOCD, FLUX, OCM = "argocd", "flux", "ocm"
KINDS: Mapping[str, tuple[str, ...]] = {
    ARGOCD: ("Application", "ApplicationSet"),
    FLUX: (),
    OCM: ("ManifestWork", "ManifestWorkReplicaSet"),
}
_NAMESPACES = {ARGOCD: "argocd", FLUX: "flux-system", OCM: "default"}
# What keeps them from deleting an object that is no longer in the tree. OCM has a place of its own for that.
KEPT: Mapping[str, Mapping[str, str]] = {
    ARGOCD: {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"},
    FLUX: {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    OCM: {},
}
# Documented by the module that takes it.
HAND_OVER_OPTIONS: Mapping[str, Any] = {
    "hand_over": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "to": {"type": "str", "required": True, "choices": list(KINDS)},
            "kind": {"type": "str", "choices": [kind for kinds in KINDS.values() for kind in kinds]},
            "repository": {"type": "str"},
            "revision": {"type": "str"},
            "path": {"type": "str", "default": ""},
            "name": {"type": "str", "default": "operators"},
            "namespace": {"type": "str"},
            "project": {"type": "str", "default": "default"},
            "interval": {"type": "str", "default": "10m"},
            "kubeconfig_secret": {"type": "str", "no_log": False},
            "cluster_label": {"type": "str", "default": "name"},
        },
    }
}


@dataclass(frozen=True)
class HandOver:
    """One of those to whom the tree is handed over."""

    to: str
    kind: str = ""
    repository: str = ""
    revision: str = ""
    path: str = ""
    name: str = "operators"
    namespace: str = ""
    project: str = "default"
    interval: str = "10m"
    kubeconfig_secret: str = ""
    cluster_label: str = "name"

    def place(self, folder: str) -> str:
        """A folder of the tree as it is called in the repository."""
        return f"{self.path}/{folder}" if self.path else folder


def hand_overs(given: Iterable[Mapping[str, Any]]) -> tuple[HandOver, ...]:
    """The option `hand_over`, with defaults filled in."""
    found: dict[str, HandOver] = {}
    for number, options in enumerate(given):
        where, to = f"hand_over[{number}]", str(options["to"])
        if to in found:
            raise OptionError(f"{where}: {to} is named twice")
        values = {key: value for key, value in options.items() if value is not None}
        kind = values.get("kind") or next(iter(KINDS[to]), "")
        if kind not in (*KINDS[to], ""):
            raise OptionError(f"{where}.kind: {kind} is not of {to}; {_accepted(to)}")
        if to != OCM and not values.get("repository"):
            raise OptionError(f"{where}.repository: {to} needs the URL that it reads the tree from")
        path = str(values["path"]).strip("/").removeprefix("./")
        if ".." in path.split("/"):
            raise OptionError(f"{where}.path: '{path}' must lie within the repository")
        values.update(kind=kind, path="" if path == "." else path, namespace=values.get("namespace") or _NAMESPACES[to])
        found[to] = HandOver(**values)
    return tuple(found[to] for to in KINDS if to in found)


def object_name(*parts: str) -> str:
    """A name that Kubernetes takes for an object; what has to be changed for that gets its digest behind it, so that no two become one."""
    given = "-".join(parts)
    name = re.sub(r"[^a-z0-9.-]+", "-", given.lower()).strip("-.")[:253]
    return name if name == given else f"{name[:244]}-{hashlib.sha256(given.encode()).hexdigest()[:8]}"


def _accepted(to: str) -> str:
    return f"accepted are {' and '.join(KINDS[to])}" if KINDS[to] else "it has none to choose from"
