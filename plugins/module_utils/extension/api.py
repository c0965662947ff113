# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where OLM v1 keeps what: its two resources, and how it marks the objects that it put on a cluster."""

from __future__ import annotations

from ..cluster.engine import OLM_V1_GROUP
from ..cluster.objects import Collection, ObjectKey

EXTENSIONS = Collection(OLM_V1_GROUP, "v1", "clusterextensions", "ClusterExtension")
CATALOGS = Collection(OLM_V1_GROUP, "v1", "clustercatalogs", "ClusterCatalog")

OWNER_KIND = f"{OLM_V1_GROUP}/owner-kind"
OWNER_NAME = f"{OLM_V1_GROUP}/owner-name"
RELEASE_NAME = "meta.helm.sh/release-name"
RELEASE_NAMESPACE = "meta.helm.sh/release-namespace"
# Changed to have a controller look at an object again.
ASKED_AGAIN = "fleet.olm/asked-again"


def extension_key(name: str) -> ObjectKey:
    """A ClusterExtension by its name."""
    return ObjectKey(EXTENSIONS, name)


def catalog_key(name: str) -> ObjectKey:
    """A ClusterCatalog by its name."""
    return ObjectKey(CATALOGS, name)


def owned_by(name: str) -> str:
    """Selects the objects that a ClusterExtension put on the cluster."""
    return f"{OWNER_KIND}={EXTENSIONS.kind},{OWNER_NAME}={name}"
