# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogs that OLM v1 resolves from on a cluster, or those that a user names instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..bundle.source_options import SourceOptions
from ..catalog.catalog import Catalog
from ..catalog.on_cluster import fetch_named, fetch_served
from ..catalog.selector import selects
from ..catalog.sources import open_catalogs
from ..catalog.url import Served
from ..cluster.client import Client
from ..errors import FleetError
from ..nested import at, mappings
from .api import CATALOGS
from .conditions import conditions_of
from .verdict import catalog_verdict


@dataclass(frozen=True)
class ReadCatalogs:
    """The catalogs that could be read, and why others could not; whether there is `none`, not even one that does not serve."""

    catalogs: tuple[Catalog, ...]
    unread: tuple[str, ...] = ()
    none: bool = False


@contextmanager
def given_catalogs(
    client: Client, option: Any, options: SourceOptions, package: str, selector: Any
) -> Iterator[ReadCatalogs]:
    """The catalogs that a user names, ClusterCatalogs of the cluster among them."""
    of_cluster = partial(fetch_named, client)
    with open_catalogs(option, options, package=package, selector=selector, of_cluster=of_cluster) as opened:
        yield ReadCatalogs(opened.catalogs)


@contextmanager
def cluster_catalogs(client: Client, options: SourceOptions, package: str, selector: Any) -> Iterator[ReadCatalogs]:
    """The catalogs that operator-controller would ask: one request, and one for each catalog that the cache does not hold."""
    unread: list[str] = []
    names: list[dict[str, Any]] = []
    fetched: dict[str, Mapping[str, Any]] = {}
    items = mappings(client.read(CATALOGS.path).get("items"))
    selected = [item for item in items if selects(selector, at(item, "metadata", "labels") or {})]
    for item in selected:
        name, labels = str(at(item, "metadata", "name")), at(item, "metadata", "labels") or {}
        if at(item, "spec", "availabilityMode") == "Unavailable":
            continue
        if not _serves(item):
            unread.append(
                f"ClusterCatalog {name} does not serve: {catalog_verdict(item)}; OLM v1 installs nothing until it does, unless selector leaves it out"
            )
            continue
        fetched[name] = item
        names.append({"cluster_catalog": name, "priority": at(item, "spec", "priority") or 0, "labels": labels})

    def of_cluster(name: str, access: SourceOptions) -> Served:
        return fetch_served(client, fetched[name], access)

    catalogs: list[Catalog] = []
    with ExitStack() as stack:
        for option in names:
            try:
                opened = stack.enter_context(open_catalogs(option, options, package=package, of_cluster=of_cluster))
            except FleetError as error:
                unread.append(f"ClusterCatalog {option['cluster_catalog']} could not be read: {error}")
            else:
                catalogs += opened.catalogs
        yield ReadCatalogs(tuple(catalogs), tuple(unread), none=not selected)


def _serves(item: Mapping[str, Any]) -> bool:
    """Whether operator-controller asks a catalog. One that cannot get at new content goes on serving what it has."""
    serving = conditions_of(item).get("Serving")
    return serving is not None and serving.status == "True" and bool(at(item, "status", "urls", "base"))
