# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writing back: the status of PlatformOperators, and the ClusterOperator that stands for all of them, where the cluster serves these APIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..cluster.client import Client
from ..cluster.info import OPENSHIFT_GROUP
from ..nested import at, mappings
from .operators import GROUP, KIND, PLURAL, VERSION, Operator
from .result import Result, aggregate, conditions, with_times

CLUSTER_OPERATOR = "platform-operators-aggregated"


def collection(client: Client) -> str:
    """The path of PlatformOperators; empty where the cluster does not serve them."""
    versions = [item.version for item in client.discovery().served(GROUP, PLURAL)]
    return f"/apis/{GROUP}/{VERSION}/{PLURAL}" if VERSION in versions else ""


def put_operator(client: Client, path: str, operator: Operator) -> Mapping[str, Any]:
    """Make a PlatformOperator that was given one of the cluster's; what the API server has then."""
    spec = operator.manifest["spec"] if operator.manifest is not None else _spec(client, operator.package)
    metadata = {"name": operator.name}
    for key in ("labels", "annotations"):
        found = at(operator.manifest, "metadata", key)
        metadata |= {key: found} if found else {}
    content = {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, "metadata": metadata, "spec": spec}
    return client.apply(f"{path}/{operator.name}", content, force=True).content


def _spec(client: Client, package: str) -> dict[str, Any]:
    """The spec in the form that the CRD of the cluster has."""
    schemas = at(client.read(f"/openapi/v3/apis/{GROUP}/{VERSION}"), "components", "schemas")
    for schema in schemas.values() if isinstance(schemas, Mapping) else ():
        if isinstance(at(schema, "properties", "spec", "properties", "packageName"), Mapping):
            return {"packageName": package}
    return {"package": {"name": package}}


def write_status(client: Client, path: str, result: Result) -> bool:
    """Write the status of a PlatformOperator, where it is not that already."""
    live = result.operator.live or {}
    present = at(live, "status") or {}
    generation = at(live, "metadata", "generation")
    wanted: dict[str, Any] = {
        "conditions": with_times(conditions(result), present.get("conditions"), generation),
        "activeBundleDeployment": {"name": result.active["name"]} if result.active else None,
    }
    if all(present.get(key) == value for key, value in wanted.items()):
        return False
    client.merge(f"{path}/{result.operator.name}/status", {"status": wanted})
    return True


def write_cluster_operator(client: Client, results: Sequence[Result], *, served: bool) -> tuple[dict[str, Any], bool]:
    """What a ClusterOperator says of all of them, and whether it had to be written. `served` says whether PlatformOperators are."""
    path = f"/apis/{OPENSHIFT_GROUP}/v1/clusteroperators"
    writable = bool(client.discovery().served(OPENSHIFT_GROUP, "clusteroperators"))
    live = client.find(f"{path}/{CLUSTER_OPERATOR}") if writable else None
    present = at(live, "status") or {}
    # By name: the order in which they were made is not to be had to the second.
    ordered = sorted(results, key=lambda result: result.operator.name)
    told = aggregate(
        ordered, {str(item.get("name")): item.get("version") for item in mappings(present.get("versions"))}
    )
    if not writable:
        return told, False
    related = [{"group": GROUP, "resource": PLURAL, "name": result.operator.name} for result in ordered if served]
    wanted = {
        "conditions": with_times(told["conditions"], present.get("conditions")),
        "versions": told["versions"],
        "relatedObjects": related,
    }
    if live is not None and all((present.get(key) or []) == value for key, value in wanted.items()):
        return told, False
    if live is None:
        content = {"apiVersion": f"{OPENSHIFT_GROUP}/v1", "kind": "ClusterOperator", "spec": {}}
        client.create(path, {**content, "metadata": {"name": CLUSTER_OPERATOR}})
    if live is not None or not client.dry_run:
        client.merge(f"{path}/{CLUSTER_OPERATOR}/status", {"status": wanted})
    return told, True
