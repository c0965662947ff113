# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who is to install extensions on a cluster: OLM v1 where it is at work, else we ourselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..cluster.client import Client
from ..cluster.info import OLM_V1_CONTROLLER, OLM_V1_GROUP, olm_v1_controllers
from ..errors import Forbidden
from ..nested import at, mappings
from .api import CATALOGS

Engine = Literal["olm", "direct"]


@dataclass(frozen=True)
class Choice:
    """The engine, and why it is that one."""

    engine: Engine
    why: str


def choose_engine(client: Client, wanted: Literal["auto", "olm", "direct"]) -> Choice:
    """As told; `auto` is olm where ClusterExtensions are served and a controller answers. At most three requests."""
    if wanted != "auto":
        return Choice(wanted, f"engine: {wanted} was asked for")
    if not client.discovery().served(OLM_V1_GROUP, "clusterextensions"):
        return Choice("direct", "the cluster does not serve ClusterExtensions")
    try:
        controllers = olm_v1_controllers(client)
    except Forbidden:
        controllers = []
    if controllers:
        if any(at(item, "status", "availableReplicas") for item in controllers):
            return Choice("olm", f"Deployment {OLM_V1_CONTROLLER} is available")
        return Choice("direct", f"Deployment {OLM_V1_CONTROLLER} has no replica that is available")
    # It may run elsewhere, or be hidden from us. A catalog that somebody answered for is a sign of life.
    try:
        catalogs = mappings(client.read(CATALOGS.path).get("items"))
    except Forbidden:
        catalogs = []
    for item in catalogs:
        if at(item, "status", "conditions"):
            return Choice("olm", f"ClusterCatalog {at(item, 'metadata', 'name')} has been answered for")
    return Choice("direct", "ClusterExtensions are served, but no controller of OLM v1 can be seen at work")
