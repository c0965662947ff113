# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading the ClusterCatalogs of a cluster: what catalogd serves, through the API server's proxy to its Service.

A catalog is known by the digest of its image, which catalogd tells. What is in the cache under that digest is not fetched again, on whichever cluster
it is served: one download for a whole fleet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from ..bundle.source_options import SourceOptions
from ..bundle.source_place import Place
from ..bundle.unpack_limits import shown
from ..cluster.client import Client
from ..cluster.engine import OLM_V1_GROUP
from ..errors import ClusterError, SourceError
from ..nested import at
from .url import EVERYTHING, FILE, Served, fetch

_PATH = f"/apis/{OLM_V1_GROUP}/v1/clustercatalogs"
_SERVICE = re.compile(r"(?P<service>[a-z0-9-]+)\.(?P<namespace>[a-z0-9-]+)\.svc(\..*)?")
_PORTS = {"https": 443, "http": 80}


def fetch_named(client: Client, name: str, options: SourceOptions) -> Served:
    """What the ClusterCatalog of this name serves: one request, and one more where the cache does not hold it."""
    found = client.find(f"{_PATH}/{quote(name, safe='')}")
    if found is None:
        raise ClusterError(
            f"ClusterCatalog {shown(name)}: is not on the cluster {client.name}; cluster_catalog_info lists those that are"
        )
    return fetch_served(client, found, options)


def fetch_served(client: Client, content: Mapping[str, Any], options: SourceOptions) -> Served:
    """What a ClusterCatalog serves, from the cache where its digest is known there."""
    name = str(at(content, "metadata", "name"))
    base = str(at(content, "status", "urls", "base") or "")
    digest = str(at(content, "status", "resolvedSource", "image", "ref") or "").partition("@")[2]
    if not base or not digest:
        raise SourceError(f"ClusterCatalog {name}: it serves nothing; see its conditions with cluster_catalog_info")
    path = proxied(base + EVERYTHING)
    if path is None:
        return fetch(base + EVERYTHING, "", options)
    place = Place(options)

    def download(work: Path) -> None:
        (work / "tree").mkdir(0o700)
        with open(work / "tree" / FILE, "wb") as file:
            client.fetch(path, file, options.limits.total_bytes)

    try:
        entry = place.keep("cluster-catalog", digest, download, f"ClusterCatalog {name}")
    except BaseException:
        place.close()
        raise
    return Served(entry.tree, digest, place)


def proxied(url: str) -> str | None:
    """The path at which the API server passes requests on to a Service; None where an address is none of a Service."""
    parts = urlsplit(url)
    host = _SERVICE.fullmatch(parts.hostname or "")
    if host is None or parts.scheme not in _PORTS:
        return None
    port = parts.port or _PORTS[parts.scheme]
    return f"/api/v1/namespaces/{host['namespace']}/services/{parts.scheme}:{host['service']}:{port}/proxy{parts.path}"
