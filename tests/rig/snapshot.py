# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything on a cluster, without what no two runs have in common, to compare two ways of getting there."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client

from .cluster import Cluster
from .reach import connection_to

_NEVER_EQUAL = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "deletionTimestamp")
_CORE = ("secrets", "configmaps", "serviceaccounts", "services", "pods")
_NAMESPACED = (*(f"/api/v1/{plural}" for plural in _CORE), "/apis/apps/v1/deployments", "/apis/apps/v1/replicasets")
_RBAC, _WEBHOOKS = "/apis/rbac.authorization.k8s.io/v1", "/apis/admissionregistration.k8s.io/v1"
_IN_NAMESPACES = (*_NAMESPACED, f"{_RBAC}/roles", f"{_RBAC}/rolebindings", "/apis/policy/v1/poddisruptionbudgets")
_CLUSTER_WIDE = (
    "/api/v1/namespaces",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    f"{_RBAC}/clusterroles",
    f"{_RBAC}/clusterrolebindings",
    f"{_WEBHOOKS}/validatingwebhookconfigurations",
    f"{_WEBHOOKS}/mutatingwebhookconfigurations",
    # Only a cluster with OLM v1 serves these.
    "/apis/olm.operatorframework.io/v1/clusterextensions",
    "/apis/olm.operatorframework.io/v1/clustercatalogs",
)


def snapshot(cluster: Cluster, *namespaces: str) -> dict[str, Any]:
    """The objects of some namespaces and the cluster-scoped ones that do not belong to Kubernetes, by path."""
    found: dict[str, Any] = {}
    with Client(connection_to(cluster)) as client:
        for path in (*_CLUSTER_WIDE, *_IN_NAMESPACES):
            for item in (client.find(path) or {"items": ()})["items"]:
                name, namespace = item["metadata"]["name"], item["metadata"].get("namespace", "")
                known = (namespace or name) in namespaces if path not in _CLUSTER_WIDE[1:] else not _is_built_in(item)
                if known:
                    found[f"{path}/{namespace}/{name}"] = _comparable(item)
    return found


def _is_built_in(item: Mapping[str, Any]) -> bool:
    labels = item["metadata"].get("labels") or {}
    return "kubernetes.io/bootstrapping" in labels or str(item["metadata"]["name"]).startswith("system:")


def _comparable(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in item["metadata"].items() if key not in _NEVER_EQUAL}
    if item.get("type") == "fleet.olm/revision.v1":
        return {
            "labels": metadata.get("labels"),
            "held": "fleet.olm/holder" in (metadata.get("annotations") or {}),
            **_record(item),
        }
    return {**{key: value for key, value in item.items() if key != "status"}, "metadata": metadata}


def _record(secret: Mapping[str, Any]) -> dict[str, Any]:
    if "record" not in secret["data"]:
        return {}
    record = json.loads(gzip.decompress(base64.b64decode(secret["data"]["record"])))
    objects = [
        {key: item[key] for key in ("key", "digest", "revision", "retained", "shared")} for item in record["objects"]
    ]
    remembered = {key: record[key] for key in ("bundle", "config", "digest", "outcome", "rolled_back_to", "removing")}
    return {**remembered, "objects": sorted(objects, key=lambda item: item["key"])}
