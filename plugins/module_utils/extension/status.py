# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to know about ClusterExtensions and ClusterCatalogs that are there. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..bundle.source_options import SourceOptions
from ..catalog.answers import path_to, resolved
from ..catalog.catalog import Catalog
from ..catalog.on_cluster import fetch_served
from ..catalog.problems import Unresolved
from ..catalog.report import described
from ..catalog.selector import selects
from ..catalog.sources import open_catalogs
from ..catalog.url import Served
from ..cluster.client import Client
from ..cluster.objects import Collection
from ..direct.differences import differences
from ..nested import at
from .conditions import conditions_told, deprecations
from .installed import installed_image
from .manifest import WantedExtension, extension_manifest
from .owned import owned_objects
from .validate import query_of
from .verdict import Verdict


def listed(client: Client, place: Collection, name: str | None) -> list[dict[str, Any]]:
    """One object, or all of them in the order of their names. One request."""
    if name is not None:
        found = client.find(f"{place.path}/{name}")
        return [found] if found is not None else []
    items = [{"apiVersion": place.api_version, "kind": place.kind, **item} for item in client.each(place.path)]
    return sorted(items, key=lambda item: str(at(item, "metadata", "name")))


def extension_facts(content: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """What a ClusterExtension says of itself."""
    catalog = at(content, "spec", "source", "catalog")
    bundle = at(content, "status", "install", "bundle")
    return {
        "name": at(content, "metadata", "name"),
        "namespace": at(content, "spec", "namespace"),
        "engine": "olm",
        "package": at(catalog, "packageName"),
        "version": at(catalog, "version"),
        "channels": at(catalog, "channels") or [],
        "bundle": {**bundle, "image": installed_image(content) or None} if bundle else None,
        "state": verdict.state,
        "says": str(verdict),
        "conditions": conditions_told(content),
        "deprecations": list(deprecations(content)),
    }


def selected_catalogs(content: Mapping[str, Any], catalogs: Iterable[Catalog]) -> tuple[Catalog, ...]:
    """The catalogs that an extension may be installed from."""
    selector = at(content, "spec", "source", "catalog", "selector")
    return tuple(catalog for catalog in catalogs if selects(selector, catalog.labels))


def offer(content: Mapping[str, Any], catalogs: Sequence[Catalog]) -> dict[str, Any]:
    """What catalogs have that is newer than what is installed.

    `next` is what OLM v1 takes by itself from the spec as it is, `newest` the newest in the channels and `path` the upgrades that lead there.
    """
    query = query_of(content, catalogs)
    told: dict[str, Any] = {"next": None, "newest": None, "path": [], "problems": []}
    if query.installed is None:
        return told
    try:
        found = resolved(query, catalogs).result["bundle"]
        told["next"] = found if found["name"] != query.installed.name else None
    except Unresolved as error:
        told["problems"].append(str(error))
    try:
        way = path_to(replace(query, version=""), catalogs).result
        if way["bundle"]["name"] != query.installed.name:
            told |= {"newest": way["bundle"], "path": way["path"]}
    except Unresolved as error:
        told["problems"].append(str(error))
    return told


def channel_of(content: Mapping[str, Any], catalogs: Iterable[Catalog]) -> list[str]:
    """The channels that the installed bundle is in."""
    name = str(at(content, "status", "install", "bundle", "name") or "")
    wanted = str(at(content, "spec", "source", "catalog", "packageName") or "")
    packages = [catalog.package(wanted) for catalog in catalogs]
    return sorted({channel for package in packages if package is not None for channel in package.channels_of(name)})


def drift(content: Mapping[str, Any], wanted: WantedExtension) -> list[dict[str, Any]]:
    """The fields in which the spec differs from a wanted one. What the wanted one leaves out may be anything."""
    spec = extension_manifest(wanted)["spec"]
    changes = differences({"spec": at(content, "spec") or {}}, {"spec": spec})
    return [change.told() for change in changes if change.after is not None]


def owned_told(client: Client, name: str) -> list[dict[str, Any]]:
    """The objects that an extension has on the cluster."""
    return [
        {
            "apiVersion": key.collection.api_version,
            "kind": key.kind,
            "name": key.name,
            "namespace": key.namespace or None,
        }
        for key in sorted(owned_objects(client, name))
    ]


def packages_of(
    client: Client, content: Mapping[str, Any], package: str | None, access: SourceOptions
) -> list[dict[str, Any]]:
    """The packages of a ClusterCatalog in short, or one of them with its bundles."""
    name = str(at(content, "metadata", "name"))

    def of_cluster(_name: str, options: SourceOptions) -> Served:
        return fetch_served(client, content, options)

    with open_catalogs({"cluster_catalog": name}, access, of_cluster=of_cluster) as opened:
        return described(opened.catalogs, package or "", icon=False, properties=False)
