# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which object of a cluster is meant: its path in the API and its name for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at
from .discovery import Discovery

# The core group is served alike everywhere and is not part of aggregated discovery of named groups.
_CORE_KINDS = {
    "ConfigMap": "configmaps",
    "Endpoints": "endpoints",
    "LimitRange": "limitranges",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "PodTemplate": "podtemplates",
    "ReplicationController": "replicationcontrollers",
    "ResourceQuota": "resourcequotas",
    "Secret": "secrets",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
}
_CORE_CLUSTER_KINDS = {"Namespace": "namespaces", "Node": "nodes", "PersistentVolume": "persistentvolumes"}


@dataclass(frozen=True, order=True)
class Collection:
    """All objects of one kind in one namespace; no namespace means cluster-scoped, or in all namespaces."""

    group: str
    version: str
    plural: str
    kind: str
    namespace: str = ""

    @property
    def path(self) -> str:
        base = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{base}/namespaces/{self.namespace}/{self.plural}" if self.namespace else f"{base}/{self.plural}"

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, order=True)
class ObjectKey:
    """One object."""

    collection: Collection
    name: str

    @property
    def kind(self) -> str:
        return self.collection.kind

    @property
    def namespace(self) -> str:
        return self.collection.namespace

    @property
    def path(self) -> str:
        return f"{self.collection.path}/{self.name}"

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


def collection_of(api_version: str, kind: str, namespace: str, discovery: Discovery) -> Collection | None:
    """Where objects of a kind live; None where the cluster does not serve it. `namespace` is ignored by cluster-scoped kinds."""
    group, _slash, version = api_version.rpartition("/")
    if not group:
        if kind in _CORE_CLUSTER_KINDS:
            return Collection("", version, _CORE_CLUSTER_KINDS[kind], kind)
        plural = _CORE_KINDS.get(kind)
        return Collection("", version, plural, kind, namespace) if plural else None
    for resource in discovery.in_group(group):
        if resource.version == version and resource.kind == kind:
            return Collection(group, version, resource.plural, kind, namespace if resource.namespaced else "")
    return None


def key_of(manifest: Mapping[str, Any], discovery: Discovery) -> ObjectKey | None:
    """The object that a manifest is about; None where the cluster does not serve its kind."""
    collection = collection_of(
        str(manifest.get("apiVersion") or ""),
        str(manifest.get("kind") or ""),
        str(at(manifest, "metadata", "namespace") or ""),
        discovery,
    )
    return ObjectKey(collection, str(at(manifest, "metadata", "name") or "")) if collection is not None else None
