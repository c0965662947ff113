# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the collection's own client reaches the clusters of a rig."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection

from .cluster import ADMIN, Cluster
from .faults import FaultProxy


def connection_to(cluster: Cluster, user: str = ADMIN) -> Connection:
    """How to reach a cluster of the rig as one of its users."""
    return Connection(kubeconfig=cluster.kubeconfig(user))


def connection_through(proxy: FaultProxy, cluster: Cluster) -> Connection:
    """How to reach a cluster through a fault proxy."""
    return Connection(host=proxy.url, api_key=cluster.tokens[ADMIN], ca_cert=str(proxy.ca_file))
