# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who is to install extensions on a cluster: OLM v1 where it is at work, else we ourselves. What is seen of OLM v1 decides, one sign after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import Forbidden
from ..nested import at, mappings
from .client import Client

OLM_V1_GROUP = "olm.operatorframework.io"
OLM_V1_CONTROLLER = "operator-controller-controller-manager"

Engine = Literal["olm", "direct"]


@dataclass(frozen=True)
class Choice:
    """The engine, and why it is that one."""

    engine: Engine
    why: str


NOT_SERVED = Choice("direct", "the cluster does not serve ClusterExtensions")
NOBODY_SEEN = Choice("direct", "ClusterExtensions are served, but no controller of OLM v1 can be seen at work")


def by_controllers(controllers: Iterable[Mapping[str, Any]]) -> Choice | None:
    """From the Deployments of operator-controller; None where there is none to be seen."""
    found = list(controllers)
    if any(at(item, "status", "availableReplicas") for item in found):
        return Choice("olm", f"Deployment {OLM_V1_CONTROLLER} is available")
    return Choice("direct", f"Deployment {OLM_V1_CONTROLLER} has no replica that is available") if found else None


def by_catalogs(catalogs: Iterable[Mapping[str, Any]]) -> Choice | None:
    """The controller may run elsewhere, or be hidden from us. A catalog that somebody answered for is a sign of life."""
    answered = [at(item, "metadata", "name") for item in catalogs if at(item, "status", "conditions")]
    return Choice("olm", f"ClusterCatalog {answered[0]} has been answered for") if answered else None


def olm_v1_controllers(client: Client) -> list[Mapping[str, Any]]:
    """The Deployments of operator-controller, in whichever namespace. One request."""
    deployments = client.read("/apis/apps/v1/deployments", {"fieldSelector": f"metadata.name={OLM_V1_CONTROLLER}"})
    return mappings(deployments.get("items"))


def olm_v1_catalogs(client: Client) -> list[Mapping[str, Any]]:
    """The ClusterCatalogs; none where the cluster does not serve them. One request."""
    versions = client.discovery().served(OLM_V1_GROUP, "clustercatalogs")
    if not versions:
        return []
    return mappings(client.read(f"/apis/{OLM_V1_GROUP}/{versions[0].version}/clustercatalogs").get("items"))


def choose_engine(client: Client, wanted: Literal["auto", "olm", "direct"]) -> Choice:
    """As told; `auto` is olm where ClusterExtensions are served and a controller answers. At most three requests."""
    if wanted != "auto":
        return Choice(wanted, f"engine: {wanted} was asked for")
    if not client.discovery().served(OLM_V1_GROUP, "clusterextensions"):
        return NOT_SERVED
    for decide, look in ((by_controllers, olm_v1_controllers), (by_catalogs, olm_v1_catalogs)):
        try:
            choice = decide(look(client))
        except Forbidden:
            continue
        if choice is not None:
            return choice
    return NOBODY_SEEN
