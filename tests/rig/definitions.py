# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs for tests, and adding them to a cluster."""

from __future__ import annotations

import urllib.error
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client

from .cluster import Cluster
from .reach import connection_to
from .wait import wait_for


def minimal_crd(
    group: str, plural: str, kind: str, version: str = "v1", *, scope: str = "Cluster", **spec: Any
) -> dict[str, Any]:
    """A minimal CRD, with `spec` as the properties of its spec; without them it takes anything."""
    open_object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    spec_schema = {"type": "object", "properties": spec} if spec else open_object
    schema = {"type": "object", "properties": {"spec": spec_schema, "status": open_object}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            # The API server wants it for groups of the community.
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"},
        },
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def add_crds(cluster: Cluster, *crds: dict[str, Any]) -> None:
    """Create CRDs, those that are there already left alone, and wait until the API server serves and publishes them."""
    for crd in crds:
        try:
            cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise AssertionError(error.read()) from error
    wait_for(lambda: all(_is_listed(cluster, crd["spec"]) for crd in crds))


def _is_listed(cluster: Cluster, spec: dict[str, Any]) -> bool:
    version = next(version["name"] for version in spec["versions"] if version["served"])
    with Client(connection_to(cluster)) as client:
        served = client.discovery().served(spec["group"], spec["names"]["plural"])
        published = client.read("/openapi/v3").get("paths", {})
    return bool(served) and f"apis/{spec['group']}/{version}" in published
