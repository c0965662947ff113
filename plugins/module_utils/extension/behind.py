# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keeps an extension from being installed beyond what its conditions say: the first of its Deployments that does not run."""

from __future__ import annotations

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import ClusterError
from ..nested import at, mappings
from ..waiting.causes import explain
from ..waiting.ready import ready
from .api import EXTENSIONS, owned_by

_DEPLOYMENTS = "/apis/apps/v1/deployments"


def what_is_behind(client: Client, key: ObjectKey) -> str:
    """A part of a sentence, or nothing where there is nothing to see. Who may not look is told nothing more."""
    if key.collection != EXTENSIONS:
        return ""
    try:
        found = client.read(_DEPLOYMENTS, {"labelSelector": owned_by(key.name)})
        for item in mappings(found.get("items")):
            content = {**item, "apiVersion": "apps/v1", "kind": "Deployment"}
            status = ready(content)
            if not status.ready:
                place = Collection("apps", "v1", "deployments", "Deployment", str(at(item, "metadata", "namespace")))
                deployment = ObjectKey(place, str(at(item, "metadata", "name")))
                return f"; {explain(client, deployment, content, status)}"
    except ClusterError:
        return ""
    return ""
