# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting on real API servers: what is waited for, what it costs, and what is said where it was in vain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils import errors
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.waiting import clock
from ansible_collections.fleet.olm.plugins.module_utils.waiting.served import served_soon
from ansible_collections.fleet.olm.plugins.module_utils.waiting.wait import (
    PATIENCE,
    wait_until_established,
    wait_until_ready,
)
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import Answer, Fault, FaultProxy, ResetAfter, ResetBefore, Truncate
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import meanwhile, wait_for

SELECTOR = "fleet.olm/extension=greeter"
LABELS = {"fleet.olm/extension": "greeter"}
IMAGE = "registry.example.com/greeter:1.1.0"
CRDS = Collection("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition")
VALIDATING = Collection(
    "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration"
)
CA = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"
MERGE = "application/merge-patch+json"
OUT_OF_TIME = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}


def nothing(_text: str) -> None:
    """Progress that nobody looks at."""


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(connection_to(cluster)) as made:
        yield made


@pytest.fixture
def full_client(full_cluster: Cluster) -> Iterator[Client]:
    with Client(connection_to(full_cluster)) as made:
        yield made


@pytest.fixture
def live_namespace(full_cluster: Cluster) -> str:
    """A namespace of the full cluster in which pods can be made."""
    made = full_cluster.request("POST", "/api/v1/namespaces", {"metadata": {"generateName": "live-"}})
    name = str(made["metadata"]["name"])
    wait_for(lambda: bool(full_cluster.request("GET", f"/api/v1/namespaces/{name}/serviceaccounts")["items"]))
    return name


def deployments(namespace: str) -> Collection:
    return Collection("apps", "v1", "deployments", "Deployment", namespace)


def deployment(name: str = "greeter", replicas: int = 1) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": LABELS},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template(name)},
    }


def template(name: str) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": IMAGE}]}}


def set_status(cluster: Cluster, path: str, **status: Any) -> None:
    cluster.request("PATCH", f"{path}/status", {"status": status}, MERGE)


def make_ready(cluster: Cluster, path: str) -> None:
    set_status(cluster, path, observedGeneration=1, replicas=1, updatedReplicas=1, readyReplicas=1, availableReplicas=1)


def owner(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    metadata = content["metadata"]
    return [
        {"apiVersion": "apps/v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"], "controller": True}
    ]


def deploy_by_hand(cluster: Cluster, namespace: str, **pod_status: Any) -> tuple[ObjectKey, dict[str, Any]]:
    """What the controllers would make: a Deployment with a ReplicaSet and a pod of this status."""
    base = f"/apis/apps/v1/namespaces/{namespace}"
    made = cluster.request("POST", f"{base}/deployments", deployment())
    set_status(cluster, f"{base}/deployments/greeter", observedGeneration=1, replicas=1, updatedReplicas=1)
    replica_set = cluster.request(
        "POST",
        f"{base}/replicasets",
        {
            "metadata": {
                "name": "greeter-7d9f",
                "labels": {"app": "greeter"},
                "ownerReferences": owner(made, "Deployment"),
            },
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "greeter"}}, "template": template("greeter")},
        },
    )
    pods = f"/api/v1/namespaces/{namespace}/pods"
    pod = {
        "metadata": {
            "name": "greeter-7d9f-x",
            "labels": {"app": "greeter"},
            "ownerReferences": owner(replica_set, "ReplicaSet"),
        },
        "spec": {
            **template("greeter")["spec"],
            **({"nodeName": "node-1"} if "containerStatuses" in pod_status else {}),
        },
    }
    made_pod = cluster.request("POST", pods, pod)
    set_status(cluster, f"{pods}/greeter-7d9f-x", **pod_status)
    return ObjectKey(deployments(namespace), "greeter"), made_pod


def container(**state: Any) -> dict[str, Any]:
    return {"name": "main", "image": IMAGE, "imageID": "", "ready": False, "restartCount": 0, **state}


def warn(cluster: Cluster, namespace: str, about: dict[str, Any], kind: str, reason: str, message: str) -> None:
    metadata = about["metadata"]
    event = {
        "metadata": {"generateName": "event-"},
        "involvedObject": {"kind": kind, "namespace": namespace, "name": metadata["name"], "uid": metadata["uid"]},
        "reason": reason,
        "message": message,
        "type": "Warning",
    }
    cluster.request("POST", f"/api/v1/namespaces/{namespace}/events", event)


def test_a_deployment_gets_ready(full_client: Client, full_cluster: Cluster, live_namespace: str) -> None:
    key = ObjectKey(deployments(live_namespace), "greeter")
    full_cluster.request("POST", key.collection.path, deployment())
    waited = wait_until_ready(full_client, [key], selector=SELECTOR, seconds=30, progress=nothing)
    assert [(item.object, item.condition) for item in waited] == [(f"Deployment {live_namespace}/greeter", "Available")]
    assert full_cluster.request("GET", key.path)["status"]["availableReplicas"] == 1
    assert full_client.requests <= 3


def test_what_is_ready_costs_one_list(client: Client, cluster: Cluster, namespace: str) -> None:
    keys = [ObjectKey(deployments(namespace), name) for name in ("one", "two")]
    for key in keys:
        cluster.request("POST", key.collection.path, deployment(key.name))
        make_ready(cluster, key.path)
    service = ObjectKey(Collection("", "v1", "services", "Service", namespace), "one")
    waited = wait_until_ready(client, [service, *keys], selector=SELECTOR, seconds=30, progress=nothing)
    assert [item.object for item in waited] == [str(key) for key in keys]
    assert all(item.seconds < 15 for item in waited)
    assert client.requests == 1


def test_three_seconds_of_waiting_cost_a_handful_of_requests(client: Client, cluster: Cluster, namespace: str) -> None:
    keys = [ObjectKey(deployments(namespace), name) for name in ("one", "two")]
    for key in keys:
        cluster.request("POST", key.collection.path, deployment(key.name))

    def work() -> None:
        for key in keys:
            time.sleep(1.5)
            make_ready(cluster, key.path)

    with meanwhile(work):
        waited = wait_until_ready(client, keys, selector=SELECTOR, seconds=30, progress=nothing)
    assert [item.seconds >= 1 for item in waited] == [True, True]
    assert client.requests <= 3


def test_a_long_wait_says_what_it_waits_for(
    client: Client, cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "TELL_EVERY", 1.0)
    key = ObjectKey(deployments(namespace), "greeter")
    cluster.request("POST", key.collection.path, deployment())
    set_status(cluster, key.path, observedGeneration=1, replicas=1, updatedReplicas=1)
    told: list[str] = []
    with pytest.raises(errors.NotReady):
        wait_until_ready(client, [key], seconds=2.5, progress=told.append)
    assert set(told) == {f"waiting for Deployment {namespace}/greeter, which has 0 of 1 replicas available"}
    assert 1 <= len(told) <= 3


@pytest.mark.parametrize(
    ("pod_status", "expected"),
    [
        pytest.param(
            {
                "phase": "Pending",
                "containerStatuses": [
                    container(
                        state={"waiting": {"reason": "ImagePullBackOff", "message": f'"{IMAGE}": 401 Unauthorized'}}
                    )
                ],
            },
            f"is waiting: ImagePullBackOff {IMAGE} (401 Unauthorized)",
            id="image",
        ),
        pytest.param(
            {
                "phase": "Running",
                "containerStatuses": [
                    container(
                        state={"waiting": {"reason": "CrashLoopBackOff"}},
                        lastState={"terminated": {"exitCode": 2, "reason": "Error", "message": "no such flag"}},
                    )
                ],
            },
            f"is waiting: CrashLoopBackOff {IMAGE} (exit code 2: no such flag)",
            id="crash",
        ),
        pytest.param(
            {
                "phase": "Pending",
                "conditions": [
                    {
                        "type": "PodScheduled",
                        "status": "False",
                        "reason": "Unschedulable",
                        "message": "0/1 nodes are available: 1 Insufficient cpu.",
                    }
                ],
            },
            "is not scheduled: 0/1 nodes are available: 1 Insufficient cpu",
            id="no node",
        ),
    ],
)
def test_a_pod_in_trouble_is_named(
    pod_status: dict[str, Any], expected: str, client: Client, cluster: Cluster, namespace: str
) -> None:
    key, _pod = deploy_by_hand(cluster, namespace, **pod_status)
    with pytest.raises(errors.NotReady) as caught:
        wait_until_ready(client, [key], selector=SELECTOR, seconds=0.5, progress=nothing)
    text = f"Deployment {namespace}/greeter has 0 of 1 replicas available; pod greeter-7d9f-x {expected}"
    assert str(caught.value) == text
    assert caught.value.details["not_ready"][0]["condition"] == "Available"


@pytest.mark.parametrize(
    ("waiting", "reason", "message", "expected"),
    [
        (
            {"reason": "ContainerCreating"},
            "FailedMount",
            'MountVolume.SetUp failed for volume "cert" : secret "greeter-cert" not found',
            'is waiting: ContainerCreating (FailedMount: MountVolume.SetUp failed for volume "cert" : secret "greeter-cert" not found)',
        ),
        (
            {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{IMAGE}"'},
            "Failed",
            f'Failed to pull image "{IMAGE}": rpc error: failed to resolve reference "{IMAGE}": 401 Unauthorized',
            f"is waiting: ImagePullBackOff {IMAGE} (401 Unauthorized)",
        ),
    ],
)
def test_what_the_pod_does_not_say_its_last_event_does(
    waiting: dict[str, str],
    reason: str,
    message: str,
    expected: str,
    client: Client,
    cluster: Cluster,
    namespace: str,
) -> None:
    key, pod = deploy_by_hand(
        cluster, namespace, phase="Pending", containerStatuses=[container(state={"waiting": waiting})]
    )
    warn(cluster, namespace, pod, "Pod", reason, message)
    warn(cluster, namespace, pod, "Pod", "Failed", "Error: ImagePullBackOff")
    with pytest.raises(errors.NotReady) as caught:
        wait_until_ready(client, [key], selector=SELECTOR, seconds=0, progress=nothing)
    assert str(caught.value).endswith(f"; pod greeter-7d9f-x {expected}")


def test_a_deployment_without_pods_tells_its_last_event(client: Client, cluster: Cluster, namespace: str) -> None:
    key = ObjectKey(deployments(namespace), "greeter")
    made = cluster.request("POST", key.collection.path, deployment())
    set_status(cluster, key.path, observedGeneration=1)

    def told() -> str:
        with pytest.raises(errors.NotReady) as caught:
            wait_until_ready(client, [key], selector=SELECTOR, seconds=0, progress=nothing)
        return str(caught.value)

    assert told() == f"{key} has 0 of 1 replicas available; it has no pods"
    warn(cluster, namespace, made, "Deployment", "ReplicaSetCreateError", "Failed to create new replica set")
    assert told() == (
        f"{key} has 0 of 1 replicas available; its last event is ReplicaSetCreateError: Failed to create new replica set"
    )


def test_who_may_see_little_is_told_so(cluster: Cluster, namespace: str) -> None:
    key, _pod = deploy_by_hand(cluster, namespace, phase="Pending")
    rules = [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list", "watch"]}]
    base = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    cluster.request("POST", f"{base}/roles", {"metadata": {"name": "few"}, "rules": rules})
    binding = {
        "metadata": {"name": "few"},
        "roleRef": {"kind": "Role", "name": "few", "apiGroup": "rbac.authorization.k8s.io"},
        "subjects": [{"kind": "User", "name": "limited", "apiGroup": "rbac.authorization.k8s.io"}],
    }
    cluster.request("POST", f"{base}/rolebindings", binding)

    def told() -> str:
        with Client(connection_to(cluster, "limited")) as client, pytest.raises(errors.FleetError) as caught:
            wait_until_ready(client, [key], selector=SELECTOR, seconds=0, progress=nothing)
        return str(caught.value)

    # The authorizer learns of a binding a moment later.
    wait_for(lambda: "does not allow it" not in told())
    assert told() == (
        f"Deployment {namespace}/greeter has 0 of 1 replicas available; "
        "permission to list replicasets, list pods and list events would tell more"
    )


def test_a_quota_ends_the_wait_early(full_client: Client, full_cluster: Cluster, live_namespace: str) -> None:
    quotas = f"/api/v1/namespaces/{live_namespace}/resourcequotas"
    full_cluster.request("POST", quotas, {"metadata": {"name": "few"}, "spec": {"hard": {"pods": "0"}}})
    wait_for(lambda: "hard" in full_cluster.request("GET", f"{quotas}/few")["status"])
    key = ObjectKey(deployments(live_namespace), "greeter")
    full_cluster.request("POST", key.collection.path, deployment())
    start = time.monotonic()
    with pytest.raises(errors.NotReady) as caught:
        wait_until_ready(full_client, [key], selector=SELECTOR, seconds=60, progress=nothing)
    assert time.monotonic() - start < 50
    assert str(caught.value) == (
        f"Deployment {live_namespace}/greeter has 0 of 1 replicas available; its pods are refused: "
        "exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0"
    )


def test_a_deadline_that_passes_ends_the_wait_early(client: Client, cluster: Cluster, namespace: str) -> None:
    key, _pod = deploy_by_hand(cluster, namespace, phase="Pending")

    def work() -> None:
        time.sleep(1)
        set_status(cluster, key.path, conditions=[OUT_OF_TIME])

    start = time.monotonic()
    with (
        meanwhile(work),
        pytest.raises(errors.NotReady, match=r"made no progress for 600 s \(ProgressDeadlineExceeded\)"),
    ):
        wait_until_ready(client, [key], selector=SELECTOR, seconds=60, progress=nothing)
    assert time.monotonic() - start < 50


def test_a_deadline_that_passed_before_the_wait_began_says_nothing_of_it(
    client: Client, cluster: Cluster, namespace: str
) -> None:
    """What it came of may be mended, and the Deployment says so only when its pods are ready."""
    key, _pod = deploy_by_hand(cluster, namespace, phase="Pending")
    set_status(cluster, key.path, conditions=[OUT_OF_TIME])

    def work() -> None:
        time.sleep(PATIENCE + 2)
        make_ready(cluster, key.path)

    with meanwhile(work):
        assert wait_until_ready(client, [key], selector=SELECTOR, seconds=60, progress=nothing)


def test_what_is_not_there_is_named_with_the_rest(client: Client, cluster: Cluster, namespace: str) -> None:
    keys = [ObjectKey(deployments(namespace), name) for name in ("greeter", "other")]
    with pytest.raises(errors.NotReady) as caught:
        wait_until_ready(client, keys, selector=SELECTOR, seconds=0, progress=nothing)
    assert str(caught.value) == (
        f"Deployment {namespace}/greeter is not there with label {SELECTOR}; "
        f"also not ready: Deployment {namespace}/other"
    )


def test_definitions_are_established(client: Client, cluster: Cluster) -> None:
    crds = [minimal_crd("waiting.example.com", f"{kind.lower()}s", kind) for kind in ("Hello", "Goodbye")]
    for crd in crds:
        crd["metadata"]["labels"] = LABELS
        # Nobody converts yet: that is no reason to hold back those who would make it so.
        crd["spec"]["conversion"] = {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "nowhere", "name": "none"}},
            },
        }
        cluster.request("POST", CRDS.path, crd)
    keys = [ObjectKey(CRDS, crd["metadata"]["name"]) for crd in crds]
    waited = wait_until_established(client, keys, selector=SELECTOR, seconds=20, progress=nothing)
    assert [item.condition for item in waited] == ["Established", "Established"]
    assert client.requests <= 2
    with pytest.raises(errors.NotReady, match="has no CA for conversion; nothing on it says who is to inject one"):
        wait_until_ready(client, keys, selector=SELECTOR, seconds=0, progress=nothing)
    for key in keys:
        cluster.request("DELETE", key.path)


def test_whether_definitions_are_served_is_told_by_discovery(client: Client, cluster: Cluster) -> None:
    crds = [minimal_crd("served.example.com", f"{kind.lower()}s", kind) for kind in ("Hello", "Goodbye")]
    assert not served_soon(client, crds, pauses=())
    for crd in crds:
        cluster.request("POST", CRDS.path, crd)
    assert served_soon(client, crds, pauses=[0.1] * 200)
    before = client.requests
    assert served_soon(client, crds, pauses=())
    assert client.requests == before + 1
    # One version more is one thing more to be served.
    crds[0]["spec"]["versions"].append({"name": "v9", "served": True})
    assert not served_soon(client, crds, pauses=())
    for crd in crds:
        cluster.request("DELETE", f"{CRDS.path}/{crd['metadata']['name']}")


def test_no_definitions_are_served_without_asking(client: Client) -> None:
    assert served_soon(client, [])
    assert client.requests == 0


def test_a_definition_whose_names_are_taken_ends_the_wait_early(client: Client, cluster: Cluster) -> None:
    first = minimal_crd("names.example.com", "takens", "Taken")
    second = minimal_crd("names.example.com", "others", "Other")
    second["spec"]["names"]["singular"] = "taken"
    add_crds(cluster, first)
    cluster.request("POST", CRDS.path, second)
    start = time.monotonic()
    with pytest.raises(
        errors.NotReady, match=r'others\.names\.example\.com is refused its names: "taken" is already in use'
    ):
        wait_until_established(client, [ObjectKey(CRDS, "others.names.example.com")], seconds=60, progress=nothing)
    assert time.monotonic() - start < 50
    for name in ("takens", "others"):
        cluster.request("DELETE", f"{CRDS.path}/{name}.names.example.com")


@pytest.fixture(scope="module")
def cert_manager(cluster: Cluster) -> Iterator[None]:
    """The CRDs of cert-manager, which does not run."""
    crds = [
        minimal_crd("cert-manager.io", f"{kind.lower()}s", kind, scope="Namespaced")
        for kind in ("Certificate", "Issuer")
    ]
    add_crds(cluster, *crds)
    yield
    for crd in crds:
        cluster.request("DELETE", f"{CRDS.path}/{crd['metadata']['name']}")
    query = "?fieldSelector=metadata.name%3D"
    wait_for(
        lambda: not any(cluster.request("GET", f"{CRDS.path}{query}{crd['metadata']['name']}")["items"] for crd in crds)
    )


@pytest.fixture
def certificates(cert_manager: None, namespace: str) -> Collection:
    """Certificates of a namespace, with nobody to look after them."""
    return Collection("cert-manager.io", "v1", "certificates", "Certificate", namespace)


def add_certificate(cluster: Cluster, certificates: Collection, **condition: Any) -> ObjectKey:
    content: dict[str, Any] = {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": {"name": "greeter-cert", "labels": LABELS},
        "spec": {"issuerRef": {"name": "greeter-issuer"}},
    }
    if condition:
        content["status"] = {"conditions": [{"type": "Ready", **condition}]}
    cluster.request("POST", certificates.path, content)
    return ObjectKey(certificates, "greeter-cert")


def test_a_certificate_names_its_issuer_or_why_that_refused(
    client: Client, cluster: Cluster, certificates: Collection
) -> None:
    namespace = certificates.namespace
    key = add_certificate(cluster, certificates, status="False", reason="DoesNotExist", message="Secret does not exist")
    seen = f"Certificate {namespace}/greeter-cert is not ready: Secret does not exist"

    def told() -> str:
        with pytest.raises(errors.NotReady) as caught:
            wait_until_ready(client, [key], selector=SELECTOR, seconds=0, progress=nothing)
        return str(caught.value)

    assert told() == f"{seen}; its Issuer {namespace}/greeter-issuer is not there"
    issuer = {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Issuer",
        "metadata": {"name": "greeter-issuer"},
        "status": {"conditions": [{"type": "Ready", "status": "False", "message": "no key"}]},
    }
    cluster.request("POST", f"/apis/cert-manager.io/v1/namespaces/{namespace}/issuers", issuer)
    assert told() == f"{seen}; its Issuer {namespace}/greeter-issuer is not ready: no key"
    path = f"/apis/cert-manager.io/v1/namespaces/{namespace}/issuers/greeter-issuer"
    cluster.request("PATCH", path, {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, MERGE)
    assert told() == seen
    conditions = [
        {"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Secret does not exist"},
        {"type": "Issuing", "status": "False", "reason": "Failed", "message": "denied by policy"},
    ]
    cluster.request("PATCH", key.path, {"status": {"conditions": conditions}}, MERGE)
    assert told() == f"{seen}; issuing it failed: denied by policy"


def test_a_kind_that_is_not_served_is_not_there(client: Client, namespace: str) -> None:
    key = ObjectKey(Collection("cert-manager.io", "v0", "certificates", "Certificate", namespace), "greeter-cert")
    with pytest.raises(errors.NotReady, match=f"^Certificate {namespace}/greeter-cert is not there$"):
        wait_until_ready(client, [key], seconds=0.5, progress=nothing)


def webhook(namespace: str, name: str, **client_config: Any) -> dict[str, Any]:
    service = {"namespace": namespace, "name": "greeter", "path": "/check"}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {
            "name": name,
            "labels": {"waiting": name},
            "annotations": {"cert-manager.io/inject-ca-from": f"{namespace}/greeter-cert"},
        },
        "webhooks": [
            {
                "name": "check.greeter.example.com",
                "clientConfig": {"service": service, **client_config},
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
            }
        ],
    }


@pytest.fixture
def webhook_key(cluster: Cluster, namespace: str) -> Iterator[ObjectKey]:
    key = ObjectKey(VALIDATING, f"greeter-{namespace}")
    yield key
    cluster.request("DELETE", key.path)


def test_a_webhook_without_ca_names_the_certificate(
    client: Client, cluster: Cluster, certificates: Collection, webhook_key: ObjectKey
) -> None:
    namespace = certificates.namespace
    cluster.request("POST", VALIDATING.path, webhook(namespace, webhook_key.name))
    add_certificate(cluster, certificates)
    with pytest.raises(errors.NotReady) as caught:
        wait_until_ready(client, [webhook_key], seconds=0, progress=nothing)
    assert str(caught.value) == (
        f"{webhook_key} has no CA for webhook check.greeter.example.com; cert-manager is to inject it from "
        f"Certificate {namespace}/greeter-cert, which has no condition Ready, as if no cert-manager looked after it"
    )


def test_a_webhook_without_endpoints_names_service_and_pod(
    client: Client, cluster: Cluster, namespace: str, webhook_key: ObjectKey
) -> None:
    cluster.request("POST", VALIDATING.path, webhook(namespace, webhook_key.name, caBundle=CA))

    def told() -> str:
        with pytest.raises(errors.NotReady) as caught:
            wait_until_ready(client, [webhook_key], seconds=0, progress=nothing)
        return str(caught.value)

    service = f"Service {namespace}/greeter"
    seen = f"{webhook_key} has no ready endpoints behind {service} for webhook check.greeter.example.com"
    assert told() == f"{seen}; {service} is not there"
    spec = {"selector": {"app": "greeter"}, "ports": [{"port": 443}]}
    cluster.request("POST", f"/api/v1/namespaces/{namespace}/services", {"metadata": {"name": "greeter"}, "spec": spec})
    assert told() == f"{seen}; no pod has the labels that it selects: app=greeter"
    waiting = {"reason": "CreateContainerConfigError", "message": 'secret "key" not found'}
    deploy_by_hand(cluster, namespace, phase="Pending", containerStatuses=[container(state={"waiting": waiting})])
    assert told() == (
        f'{seen}; pod greeter-7d9f-x is waiting: CreateContainerConfigError {IMAGE} (secret "key" not found)'
    )


def test_a_webhook_is_waited_for_until_it_has_both(
    client: Client, cluster: Cluster, namespace: str, webhook_key: ObjectKey
) -> None:
    cluster.request("POST", VALIDATING.path, webhook(namespace, webhook_key.name))
    slices = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    content = {
        "metadata": {"name": "greeter-1", "labels": {"kubernetes.io/service-name": "greeter"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": False}}],
        "ports": [{"port": 443}],
    }

    def work() -> None:
        time.sleep(0.3)
        injected = webhook(namespace, webhook_key.name, caBundle=CA)
        cluster.request("PATCH", webhook_key.path, {"webhooks": injected["webhooks"]}, MERGE)
        time.sleep(0.3)
        cluster.request("POST", slices, content)
        time.sleep(0.3)
        ready = [{"addresses": ["10.0.0.1"], "conditions": {"ready": True}}]
        cluster.request("PATCH", f"{slices}/greeter-1", {"endpoints": ready}, MERGE)

    with meanwhile(work):
        waited = wait_until_ready(
            client, [webhook_key], selector=f"waiting={webhook_key.name}", seconds=20, progress=nothing
        )
    assert [(item.object, item.condition) for item in waited] == [(str(webhook_key), "endpoints and CA")]
    assert client.requests <= 4


@pytest.mark.parametrize(
    "fault",
    [
        ResetBefore(),
        ResetAfter(),
        Truncate(),
        Answer(410, b'{"kind":"Status","reason":"Expired","message":"too old","code":410}'),
        Answer(429, b'{"kind":"Status","reason":"TooManyRequests","message":"slow down"}', {"Retry-After": "0"}),
        Answer(500, b'{"kind":"Status","reason":"InternalError","message":"etcdserver: leader changed"}'),
    ],
    ids=["reset before", "reset after", "truncated", "410", "429", "500"],
)
def test_a_broken_watch_does_not_break_the_wait(
    fault: Fault, proxy: FaultProxy, client_through_proxy: Callable[..., Client], cluster: Cluster, namespace: str
) -> None:
    key = ObjectKey(deployments(namespace), "greeter")
    cluster.request("POST", key.collection.path, deployment())
    proxy.on("GET", r".*watch=1.*", fault)

    def work() -> None:
        wait_for(lambda: any("watch=1" in request.path for request in proxy.seen))
        set_status(cluster, key.path, observedGeneration=1, replicas=1, updatedReplicas=1)
        make_ready(cluster, key.path)

    client = client_through_proxy()
    with meanwhile(work):
        waited = wait_until_ready(client, [key], selector=SELECTOR, seconds=20, progress=nothing)
    assert waited[0].seconds < 15
    assert client.requests <= 5
