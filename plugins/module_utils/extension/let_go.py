# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deleting a ClusterExtension so that its objects stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..nested import at
from ..waiting.gone import wait_until_gone
from .api import EXTENSIONS
from .conditions import current
from .follow import follow
from .verdict import Verdict

# No bundle has it, so that operator-controller applies nothing.
_NO_VERSION = "0.0.0-let-go"


def let_go(
    client: Client, key: ObjectKey, live: Mapping[str, Any], *, seconds: float, progress: Callable[[str], None]
) -> None:
    """Delete a ClusterExtension with orphan propagation, and wait until it is gone.

    Releases of OLM v1 before June 2025 went on applying one that is on its way out, and wrote the references to it back that the garbage collector had just
    taken off: CRDs were then deleted with their custom resources. All of those releases need a ServiceAccount; where one is set, applying is stopped first.
    """
    if at(live, "spec", "serviceAccount", "name") and not at(live, "metadata", "deletionTimestamp"):
        content = client.apply(key.path, _without_bundle(key, live), force=True).content
        follow(client, key, content, _stopped, seconds=seconds, grace=0, progress=progress)
    uid = str(at(live, "metadata", "uid"))
    client.delete(key.path, propagation="Orphan", uid=uid)
    wait_until_gone(client, [(key, uid)], seconds=seconds, progress=progress)


def is_let_go(live: Mapping[str, Any]) -> bool:
    """Whether a run that was broken off has begun to let go of it."""
    stopped = at(live, "spec", "source", "catalog", "version") == _NO_VERSION
    return stopped or bool(at(live, "metadata", "deletionTimestamp"))


def spec_before(live: Mapping[str, Any]) -> dict[str, Any]:
    """The spec to create a ClusterExtension with again; where a run that was broken off had stopped it, with the version that is installed."""
    if at(live, "spec", "source", "catalog", "version") != _NO_VERSION:
        return dict(live["spec"])
    return _with_version(live, str(at(live, "status", "install", "bundle", "version")))


def _with_version(live: Mapping[str, Any], version: str) -> dict[str, Any]:
    source = live["spec"]["source"]
    return {**live["spec"], "source": {**source, "catalog": {**source["catalog"], "version": version}}}


def _without_bundle(key: ObjectKey, live: Mapping[str, Any]) -> dict[str, Any]:
    kind = {"apiVersion": EXTENSIONS.api_version, "kind": EXTENSIONS.kind}
    return {**kind, "metadata": {"name": key.name}, "spec": _with_version(live, _NO_VERSION)}


def _stopped(content: Mapping[str, Any]) -> Verdict:
    """Whether operator-controller has seen that there is nothing to apply, and so is not applying what was there before either."""
    progressing = current(content, "Progressing")
    if progressing is None:
        return Verdict("waiting", "Progressing", "operator-controller has not seen that it is to be let go of")
    if progressing.reason == "Succeeded":
        return Verdict("failed", "Progressing", f"operator-controller goes on applying it: {progressing}")
    return Verdict("done", "Progressing", str(progressing))
