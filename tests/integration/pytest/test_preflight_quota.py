# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Quotas and LimitRanges: what we say of a Deployment's pods, held against the API server's own admission of them."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.preflight.quota import quota_problems
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for


def container(requests: str = "", limits: str = "", name: str = "main", **more: Any) -> dict[str, Any]:
    """`cpu=1 memory=1Gi` for requests and limits."""
    resources = {"requests": _quantities(requests), "limits": _quantities(limits)}
    return {"name": name, "image": "example.com/image", "resources": resources, **more}


def _quantities(text: str) -> dict[str, str]:
    return dict(item.split("=", 1) for item in text.split())


def deployment(*containers: dict[str, Any], replicas: int = 1, name: str = "web", **spec: Any) -> dict[str, Any]:
    running = [item for item in containers if not item["name"].startswith("init")]
    init = [item for item in containers if item["name"].startswith("init")]
    template = {"containers": running, **({"initContainers": init} if init else {}), **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "template": {"spec": template}},
    }


def quota(hard: str, used: str = "", **spec: Any) -> dict[str, Any]:
    zero = dict.fromkeys(_quantities(hard), "0")
    return {"kind": "ResourceQuota", "spec": {"hard": _quantities(hard), **spec}, "used": {**zero, **_quantities(used)}}


def limit_range(kind: str = "Container", **limits: str) -> dict[str, Any]:
    return {
        "kind": "LimitRange",
        "spec": {"limits": [{"type": kind, **{field: _quantities(text) for field, text in limits.items()}}]},
    }


def scoped(name: str, operator: str = "Exists", *values: str) -> dict[str, Any]:
    expression = {"scopeName": name, "operator": operator, **({"values": list(values)} if values else {})}
    return {"scopeSelector": {"matchExpressions": [expression]}}


def affinity(**term: Any) -> dict[str, Any]:
    terms = [{"topologyKey": "zone", "labelSelector": {}, **term}]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


ASKS = "cpu=100m memory=64Mi"

CASES: list[Any] = [
    ("nothing there", [], deployment(container()), ""),
    ("room", [quota("pods=3")], deployment(container(), replicas=3), ""),
    (
        "too many pods",
        [quota("pods=3")],
        deployment(container(), replicas=4),
        "Deployment web (4 pods): pods 4 asked for, but ResourceQuota q has 0 used of 3",
    ),
    (
        "used up",
        [quota("pods=3", "pods=3")],
        deployment(container()),
        "Deployment web (1 pod): pods 1 asked for, but ResourceQuota q has 3 used of 3",
    ),
    ("counted pods", [quota("count/pods=1")], deployment(container(), replicas=2), "count/pods 2 asked for"),
    ("no replicas", [quota("pods=0")], deployment(container(), replicas=0), ""),
    ("cpu fits", [quota("requests.cpu=1")], deployment(container("cpu=500m"), replicas=2), ""),
    (
        "cpu does not",
        [quota("requests.cpu=1", "requests.cpu=100m")],
        deployment(container("cpu=500m"), replicas=2),
        "requests.cpu 1 asked for, but ResourceQuota q has 100m used of 1",
    ),
    ("cpu by its old name", [quota("cpu=1")], deployment(container("cpu=1500m")), "cpu 1500m asked for"),
    (
        "memory",
        [quota("requests.memory=1Gi", "requests.memory=512Mi")],
        deployment(container("memory=600Mi")),
        "requests.memory 600Mi asked for, but ResourceQuota q has 512Mi used of 1Gi",
    ),
    (
        "a limit is a request",
        [quota("requests.cpu=1")],
        deployment(container(limits="cpu=2")),
        "requests.cpu 2 asked for",
    ),
    (
        "requests unsaid",
        [quota("requests.cpu=1")],
        deployment(container("memory=1Mi")),
        "container main does not set requests.cpu, which ResourceQuota q demands of every container",
    ),
    (
        "limits unsaid",
        [quota("limits.cpu=1 limits.memory=1Gi")],
        deployment(container("cpu=1")),
        "container main does not set limits.cpu, limits.memory,",
    ),
    (
        "one container unsaid",
        [quota("limits.cpu=1")],
        deployment(container(limits="cpu=1m"), container(name="other")),
        "container other does not set limits.cpu",
    ),
    (
        "init container unsaid",
        [quota("limits.cpu=1")],
        deployment(container(limits="cpu=1m"), container(name="init")),
        "container init does not set limits.cpu",
    ),
    ("storage need not be said", [quota("requests.ephemeral-storage=1Gi")], deployment(container()), ""),
    (
        "storage that is said counts",
        [quota("requests.ephemeral-storage=1Gi")],
        deployment(container("ephemeral-storage=2Gi")),
        "requests.ephemeral-storage 2Gi asked for",
    ),
    (
        "storage limits",
        [quota("limits.ephemeral-storage=1Gi")],
        deployment(container(limits="ephemeral-storage=2Gi")),
        "limits.ephemeral-storage 2Gi asked for",
    ),
    (
        "extended resources",
        [quota("requests.example.com/gpu=1")],
        deployment(container("example.com/gpu=2", "example.com/gpu=2")),
        "requests.example.com/gpu 2 asked for",
    ),
    (
        "init container smaller",
        [quota("requests.cpu=1")],
        deployment(container("cpu=1"), container("cpu=500m", name="init")),
        "",
    ),
    (
        "init container larger",
        [quota("requests.cpu=1")],
        deployment(container("cpu=1"), container("cpu=2", name="init")),
        "requests.cpu 2 asked for",
    ),
    (
        "sidecar",
        [quota("requests.cpu=1")],
        deployment(container("cpu=1"), container("cpu=1m", name="init", restartPolicy="Always")),
        "requests.cpu 1001m asked for",
    ),
    (
        "init beside sidecar",
        [quota("requests.cpu=1")],
        deployment(
            container("cpu=1m"),
            container("cpu=600m", name="init-a", restartPolicy="Always"),
            container("cpu=600m", name="init-b"),
        ),
        "requests.cpu 1200m asked for",
    ),
    (
        "sidecar after init",
        [quota("requests.cpu=1")],
        deployment(
            container("cpu=1m"),
            container("cpu=600m", name="init-a"),
            container("cpu=600m", name="init-b", restartPolicy="Always"),
        ),
        "",
    ),
    ("default limit helps", [quota("limits.cpu=1"), limit_range(default="cpu=500m")], deployment(container()), ""),
    (
        "default limit is too much",
        [quota("limits.cpu=1"), limit_range(default="cpu=700m")],
        deployment(container(), replicas=2),
        "limits.cpu 1400m asked for",
    ),
    (
        "default request",
        [quota("requests.cpu=1"), limit_range(defaultRequest="cpu=2")],
        deployment(container()),
        "requests.cpu 2 asked for",
    ),
    ("maximum is the default", [limit_range(max="cpu=1")], deployment(container()), ""),
    (
        "above the maximum",
        [limit_range(max="memory=1Gi")],
        deployment(container(limits="memory=2Gi")),
        "container main has a limit of memory 2Gi, and LimitRange l allows at most memory 1Gi",
    ),
    (
        "asks above the maximum",
        [limit_range(max="cpu=1")],
        deployment(container("cpu=2")),
        "container main asks for cpu 2, more than its limit of 1",
    ),
    (
        "below the minimum",
        [limit_range(min="cpu=100m")],
        deployment(container("cpu=50m")),
        "container main asks for cpu 50m, and LimitRange l wants at least cpu 100m",
    ),
    ("minimum is the default", [limit_range(min="cpu=100m")], deployment(container()), ""),
    (
        "limit below the minimum",
        [limit_range(min="cpu=100m")],
        deployment(container(limits="cpu=50m")),
        "asks for cpu 50m",
    ),
    (
        "init container too",
        [limit_range(max="cpu=1")],
        deployment(container(), container(limits="cpu=2", name="init")),
        "container init has a limit of cpu 2",
    ),
    (
        "default below what is asked",
        [limit_range(default="cpu=1")],
        deployment(container("cpu=2")),
        "container main asks for cpu 2, more than its limit of 1",
    ),
    (
        "ratio",
        [limit_range(maxLimitRequestRatio="cpu=2")],
        deployment(container("cpu=1", "cpu=3")),
        "container main asks for cpu 1 with a limit of 3, and LimitRange l allows a limit of cpu at most 2 times",
    ),
    ("ratio kept", [limit_range(maxLimitRequestRatio="cpu=2")], deployment(container("cpu=1", "cpu=2")), ""),
    (
        "ratio without a limit",
        [limit_range(maxLimitRequestRatio="cpu=2")],
        deployment(container("cpu=1")),
        "does not set both a request and a limit of cpu",
    ),
    (
        "pod maximum",
        [limit_range("Pod", max="cpu=1")],
        deployment(container(limits="cpu=600m"), container(limits="cpu=600m", name="other")),
        "the pod has a limit of cpu 1200m, and LimitRange l allows at most cpu 1",
    ),
    (
        "pod maximum without limits",
        [limit_range("Pod", max="cpu=1")],
        deployment(container("cpu=1m")),
        "the pod has no limit of cpu",
    ),
    (
        "pod minimum",
        [limit_range("Pod", min="memory=1Gi")],
        deployment(container("memory=1Mi")),
        "the pod asks for memory 1Mi",
    ),
    (
        "pod minimum unsaid",
        [limit_range("Pod", min="memory=1Gi")],
        deployment(container()),
        "the pod asks for no memory",
    ),
    ("volumes do not matter", [limit_range("PersistentVolumeClaim", max="storage=1Gi")], deployment(container()), ""),
    ("best effort", [quota("pods=0", scopes=["BestEffort"])], deployment(container()), "pods 1 asked for"),
    ("not best effort", [quota("pods=0", scopes=["BestEffort"])], deployment(container(ASKS)), ""),
    (
        "best effort by default no longer",
        [quota("pods=0", scopes=["NotBestEffort"]), limit_range(defaultRequest="cpu=1m")],
        deployment(container()),
        "pods 1 asked for",
    ),
    ("terminating", [quota("pods=0", scopes=["Terminating"])], deployment(container()), ""),
    ("not terminating", [quota("pods=0", scopes=["NotTerminating"])], deployment(container()), "pods 1 asked for"),
    ("another priority class", [quota("pods=0", **scoped("PriorityClass", "In", "high"))], deployment(container()), ""),
    (
        "its priority class",
        [quota("pods=0", **scoped("PriorityClass", "In", "high"))],
        deployment(container(), priorityClassName="high"),
        "pods 1 asked for",
    ),
    (
        "not its priority class",
        [quota("pods=0", **scoped("PriorityClass", "NotIn", "high"))],
        deployment(container(), priorityClassName="high"),
        "",
    ),
    (
        "no priority class",
        [quota("pods=0", **scoped("PriorityClass", "NotIn", "high"))],
        deployment(container()),
        "pods 1 asked for",
    ),
    (
        "any priority class",
        [quota("pods=0", **scoped("PriorityClass"))],
        deployment(container(), priorityClassName="high"),
        "pods 1 asked for",
    ),
    ("any priority class but none", [quota("pods=0", **scoped("PriorityClass"))], deployment(container()), ""),
    (
        "affinity across namespaces",
        [quota("pods=0", **scoped("CrossNamespacePodAffinity"))],
        deployment(container(), affinity=affinity(namespaces=["b"])),
        "pods 1 asked for",
    ),
    (
        "affinity at home",
        [quota("pods=0", **scoped("CrossNamespacePodAffinity"))],
        deployment(container(), affinity=affinity()),
        "",
    ),
]


@pytest.fixture(scope="module", autouse=True)
def priority_class(cluster: Cluster) -> Iterator[None]:
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    cluster.request("POST", path, {"metadata": {"name": "high"}, "value": 1000})
    yield
    cluster.request("DELETE", f"{path}/high")


def arrange(cluster: Cluster, namespace: str, policies: list[dict[str, Any]]) -> None:
    base = f"/api/v1/namespaces/{namespace}"
    for policy in policies:
        name = {"ResourceQuota": "q", "LimitRange": "l"}[policy["kind"]]
        path = f"{base}/{policy['kind'].lower()}s"
        made = cluster.request("POST", path, {"metadata": {"name": name}, "spec": policy["spec"]})
        if "used" in policy:
            # The controller would do it; this cluster has none.
            made["status"] = {"hard": policy["spec"]["hard"], "used": policy["used"]}
            cluster.request("PUT", f"{path}/{name}/status", made)


def admits(cluster: Cluster, namespace: str, wanted: dict[str, Any]) -> bool:
    """Whether all pods of a Deployment are admitted, one after the other."""
    spec = wanted["spec"]["template"]["spec"]
    return all(admits_pod(cluster, namespace, f"pod-{number}", spec) for number in range(wanted["spec"]["replicas"]))


def admits_pod(cluster: Cluster, namespace: str, name: str, spec: dict[str, Any]) -> bool:
    answers: list[bool] = []

    def answered() -> bool:
        try:
            cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods", {"metadata": {"name": name}, "spec": spec})
        except urllib.error.HTTPError as error:
            if error.code not in (403, 422):
                raise
            # The admission hears of the quota a moment later.
            if "status unknown for quota" not in error.read().decode():
                answers.append(False)
        else:
            answers.append(True)
        return bool(answers)

    wait_for(answered)
    return answers[0]


@pytest.mark.parametrize(("policies", "wanted", "expected"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_we_and_the_api_server_agree(
    cluster: Cluster, namespace: str, policies: list[dict[str, Any]], wanted: dict[str, Any], expected: str
) -> None:
    wanted = {**wanted, "metadata": {**wanted["metadata"], "namespace": namespace}}
    arrange(cluster, namespace, policies)
    with Client(connection_to(cluster)) as client:
        client.discovery()
        before = client.requests
        problems = quota_problems(client, namespace, [wanted])
        assert client.requests - before == 2
    assert expected in "\n".join(problems)
    assert bool(problems) is bool(expected)
    assert admits(cluster, namespace, wanted) is not bool(expected)


def test_several_deployments_are_reckoned_together(cluster: Cluster, namespace: str) -> None:
    arrange(cluster, namespace, [quota("pods=3 count/deployments.apps=1 secrets=0 services.nodeports=1")])
    ports = {"type": "NodePort", "ports": [{"port": 1}, {"port": 2}]}
    manifests = [
        deployment(container(), replicas=2, name="one"),
        deployment(container(), replicas=2, name="two"),
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "door"}, "spec": ports},
    ]
    manifests = [{**item, "metadata": {**item["metadata"], "namespace": namespace}} for item in manifests]
    with Client(connection_to(cluster)) as client:
        problems = quota_problems(client, namespace, manifests)
        there = {(item["kind"], item["metadata"]["name"]) for item in manifests}
        assert quota_problems(client, namespace, manifests, there) == []
    assert sorted(problems) == [
        "Deployment one (2 pods) and Deployment two (2 pods): pods 4 asked for, but ResourceQuota q has 0 used of 3",
        "Deployment one and Deployment two: count/deployments.apps 2 asked for, but ResourceQuota q has 0 used of 1",
        "Secret key: secrets 1 asked for, but ResourceQuota q has 0 used of 0",
        "Service door: services.nodeports 2 asked for, but ResourceQuota q has 0 used of 1",
    ]


def test_of_a_deployment_that_runs_only_a_pod_that_cannot_fit_is_said(cluster: Cluster, namespace: str) -> None:
    arrange(cluster, namespace, [quota("requests.cpu=1", "requests.cpu=1")])
    wanted = deployment(container("cpu=2"))
    wanted["metadata"]["namespace"] = namespace
    with Client(connection_to(cluster)) as client:
        assert quota_problems(client, namespace, [wanted], {("Deployment", "web")}) == [
            "Deployment web: requests.cpu 2 asked for by one pod, but ResourceQuota q allows 1 in all"
        ]


def test_what_may_not_be_listed_is_not_spoken_of(cluster: Cluster, namespace: str) -> None:
    arrange(cluster, namespace, [quota("pods=0")])
    wanted = deployment(container())
    wanted["metadata"]["namespace"] = namespace
    with Client(connection_to(cluster, LIMITED)) as client:
        assert quota_problems(client, namespace, [wanted]) == []
