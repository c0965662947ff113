# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ClusterCatalogs for modules that mostly read other catalogs: what talks to clusters is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..cluster.connection import Connection

if TYPE_CHECKING:
    from ..bundle.source_options import SourceOptions
    from ..cluster.client import Client
    from .url import OfCluster, Served


def of_options(options: Mapping[str, Any]) -> OfCluster:
    """Reads ClusterCatalogs of the cluster that options lead to, and asks for the way there only then."""

    def fetched(name: str, access: SourceOptions) -> Served:
        from ..cluster.client import Client

        with Client(Connection.from_options(options)) as client:
            return of_client(client)(name, access)

    return fetched


def of_client(client: Client) -> OfCluster:
    """Reads ClusterCatalogs of a cluster that is connected to already."""

    def fetched(name: str, access: SourceOptions) -> Served:
        from .on_cluster import fetch_named

        return fetch_named(client, name, access)

    return fetched
