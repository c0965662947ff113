# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether quotas and LimitRanges would refuse what a bundle brings, its pods above all.

The API server takes a Deployment that no pod of will ever be admitted, so this is asked beforehand. Two requests: the quotas and the
LimitRanges of a namespace. Resources of a whole pod (spec.resources) and the overhead of runtime classes are not reckoned with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ..cluster.client import Client
from ..cluster.discovery import Discovery
from ..cluster.objects import key_of
from ..errors import Forbidden
from ..nested import at, mappings, texts
from .limit_ranges import filled_in, limit_range_problems
from .pod_resources import Amounts, Pod, added, amounts, read_pod, written

# Quotas on these want every container to say how much; quotas on others count what is said.
_TO_BE_SAID = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_COUNTED_BY_NAME = (
    "configmaps",
    "persistentvolumeclaims",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
)
_NATIVE = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True)
class Workload:
    """A Deployment and its pods, LimitRanges applied. `running`: it is there already, and so are pods of it."""

    name: str
    replicas: int
    spec: Mapping[str, Any]
    pod: Pod
    running: bool


@dataclass(frozen=True)
class Share:
    """What one object adds to what a quota counts."""

    who: str
    usage: Amounts


def quota_problems(
    client: Client,
    namespace: str,
    manifests: Sequence[Mapping[str, Any]],
    existing: Collection[tuple[str, str]] = (),
) -> list[str]:
    """Nothing is said of what we may not list. `existing` are kind and name of objects that are there already.

    Those are counted in what is used; of Deployments among them it is only asked whether a single pod is admitted.
    """
    quotas = _listed(client, namespace, "resourcequotas")
    limit_ranges = _listed(client, namespace, "limitranges")
    if not quotas and not limit_ranges:
        return []
    here = [item for item in manifests if at(item, "metadata", "namespace") == namespace]
    workloads = [_workload(item, limit_ranges, existing) for item in here if item.get("kind") == "Deployment"]
    workloads = [workload for workload in workloads if workload.replicas > 0]
    new = [item for item in here if (item.get("kind"), at(item, "metadata", "name")) not in existing]
    problems = [
        f"Deployment {workload.name}: {problem}"
        for workload in workloads
        for problem in limit_range_problems(workload.pod, limit_ranges)
    ]
    for quota in quotas:
        problems += _unsaid(quota, workloads)
        problems += _too_large(quota, workloads)
        problems += _exceeded(quota, [*_of_pods(quota, workloads), *_of_objects(quota, new, client.discovery())])
    return problems


def _listed(client: Client, namespace: str, plural: str) -> list[Mapping[str, Any]]:
    try:
        return mappings(client.read(f"/api/v1/namespaces/{namespace}/{plural}").get("items"))
    except Forbidden:
        return []


def _workload(
    deployment: Mapping[str, Any], limit_ranges: Sequence[Mapping[str, Any]], existing: Collection[tuple[str, str]]
) -> Workload:
    name = str(at(deployment, "metadata", "name") or "")
    replicas = at(deployment, "spec", "replicas")
    spec = at(deployment, "spec", "template", "spec") or {}
    return Workload(
        name=name,
        replicas=replicas if isinstance(replicas, int) else 1,
        spec=spec,
        pod=filled_in(read_pod(spec), limit_ranges),
        running=("Deployment", name) in existing,
    )


def _unsaid(quota: Mapping[str, Any], workloads: Sequence[Workload]) -> Iterator[str]:
    demanded = [resource for resource in _hard(quota) if resource in _TO_BE_SAID]
    for workload in workloads:
        if not _applies(quota, workload):
            continue
        for container in workload.pod.containers:
            said = _usage(container.requests, container.limits)
            unsaid = [resource for resource in demanded if resource not in said]
            if unsaid:
                yield (
                    f"Deployment {workload.name}: container {container.name} does not set {', '.join(unsaid)}, "
                    f"which ResourceQuota {_name(quota)} demands of every container"
                )


def _too_large(quota: Mapping[str, Any], workloads: Sequence[Workload]) -> Iterator[str]:
    """Deployments that are there and whose new pods would not even fit alone."""
    hard = _hard(quota)
    for workload in workloads:
        if workload.running and _applies(quota, workload):
            asked = _usage(workload.pod.requests, workload.pod.limits)
            for resource in hard:
                if asked.get(resource, Decimal(0)) > hard[resource]:
                    yield (
                        f"Deployment {workload.name}: {resource} {written(asked[resource], resource)} asked for by one pod, "
                        f"but ResourceQuota {_name(quota)} allows {written(hard[resource], resource)} in all"
                    )


def _exceeded(quota: Mapping[str, Any], shares: Sequence[Share]) -> Iterator[str]:
    used = amounts(at(quota, "status", "used"))
    for resource, hard in _hard(quota).items():
        asking = [share for share in shares if share.usage.get(resource)]
        asked = sum((share.usage[resource] for share in asking), Decimal(0))
        before = used.get(resource, Decimal(0))
        if asking and before + asked > hard:
            yield (
                f"{' and '.join(share.who for share in asking)}: {resource} {written(asked, resource)} asked for, but "
                f"ResourceQuota {_name(quota)} has {written(before, resource)} used of {written(hard, resource)}"
            )


def _of_pods(quota: Mapping[str, Any], workloads: Sequence[Workload]) -> Iterator[Share]:
    for workload in workloads:
        if workload.running or not _applies(quota, workload):
            continue
        one = {"pods": Decimal(1), "count/pods": Decimal(1), **_usage(workload.pod.requests, workload.pod.limits)}
        plural = "s" if workload.replicas > 1 else ""
        usage = {resource: workload.replicas * value for resource, value in one.items()}
        yield Share(f"Deployment {workload.name} ({workload.replicas} pod{plural})", usage)


def _of_objects(
    quota: Mapping[str, Any], manifests: Sequence[Mapping[str, Any]], discovery: Discovery
) -> Iterator[Share]:
    """Quotas with scopes count pods only. A Deployment makes a ReplicaSet besides."""
    if at(quota, "spec", "scopes") or at(quota, "spec", "scopeSelector"):
        return
    for manifest in manifests:
        key = key_of(manifest, discovery)
        if key is None:
            continue
        group, plural = key.collection.group, key.collection.plural
        usage = {f"count/{plural}.{group}" if group else f"count/{plural}": Decimal(1)}
        if not group and plural in _COUNTED_BY_NAME:
            usage[plural] = Decimal(1)
        if plural == "deployments":
            usage["count/replicasets.apps"] = Decimal(1)
        if plural == "services":
            usage = added(usage, _of_service(manifest))
        yield Share(f"{manifest.get('kind')} {key.name}", usage)


def _of_service(manifest: Mapping[str, Any]) -> Amounts:
    kind = at(manifest, "spec", "type")
    ports = Decimal(len(mappings(at(manifest, "spec", "ports"))))
    if kind == "NodePort":
        return {"services.nodeports": ports}
    if kind == "LoadBalancer":
        without = at(manifest, "spec", "allocateLoadBalancerNodePorts") is False
        return {"services.loadbalancers": Decimal(1), "services.nodeports": Decimal(0) if without else ports}
    return {}


def _usage(requests: Amounts, limits: Amounts) -> dict[str, Decimal]:
    """What is asked for under the names that quotas have for it."""
    found: dict[str, Decimal] = {}
    for resource, value in requests.items():
        found[f"requests.{resource}"] = value
        if resource in _NATIVE or resource.startswith("hugepages-"):
            found[resource] = value
    found.update({f"limits.{resource}": value for resource, value in limits.items() if resource in _NATIVE})
    return found


def _applies(quota: Mapping[str, Any], workload: Workload) -> bool:
    """Whether a quota counts the pods: all its scopes have to fit."""
    scopes = [{"scopeName": scope, "operator": "Exists"} for scope in texts(at(quota, "spec", "scopes"))]
    scopes += [dict(item) for item in mappings(at(quota, "spec", "scopeSelector", "matchExpressions"))]
    return all(_fits(scope, workload) for scope in scopes)


def _fits(scope: Mapping[str, Any], workload: Workload) -> bool:
    name = str(scope.get("scopeName"))
    if name in ("BestEffort", "NotBestEffort"):
        return workload.pod.best_effort is (name == "BestEffort")
    if name in ("Terminating", "NotTerminating"):
        # Pods of Deployments have no deadline: the API server refuses Deployments with one.
        return name == "NotTerminating"
    if name == "PriorityClass":
        return _class_fits(scope, str(at(workload.spec, "priorityClassName") or ""))
    if name == "CrossNamespacePodAffinity":
        return _looks_across_namespaces(workload.spec)
    return False


def _class_fits(scope: Mapping[str, Any], name: str) -> bool:
    values = texts(scope.get("values"))
    return {
        "Exists": bool(name),
        "DoesNotExist": not name,
        "In": name in values,
        "NotIn": name not in values,
    }.get(str(scope.get("operator")), False)


def _looks_across_namespaces(spec: Mapping[str, Any]) -> bool:
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = at(spec, "affinity", kind)
        terms = mappings(at(affinity, "requiredDuringSchedulingIgnoredDuringExecution"))
        preferred = mappings(at(affinity, "preferredDuringSchedulingIgnoredDuringExecution"))
        terms += [term for item in preferred for term in mappings([item.get("podAffinityTerm")])]
        if any(term.get("namespaces") or term.get("namespaceSelector") is not None for term in terms):
            return True
    return False


def _hard(quota: Mapping[str, Any]) -> dict[str, Decimal]:
    """What is enforced; a quota that is new has only its specification."""
    return amounts(at(quota, "status", "hard")) or amounts(at(quota, "spec", "hard"))


def _name(quota: Mapping[str, Any]) -> str:
    return str(at(quota, "metadata", "name") or "")
