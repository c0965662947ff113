# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When an object is ready, kind by kind."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.waiting.ready import ServiceName, established, ready

QUOTA = 'pods "web-1" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0'
NO_ACCOUNT = 'pods "web-1" is forbidden: error looking up service account team/web: not found'


def condition(kind: str, status: str, reason: str = "", message: str = "", **more: Any) -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, "message": message, **more}


def deployment(
    spec: str = "{}", status: str = "{}", *conditions: dict[str, Any], generation: int = 2
) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "team", "generation": generation},
        "spec": yaml.safe_load(spec),
        "status": {"observedGeneration": 2, **yaml.safe_load(status), "conditions": list(conditions)},
    }


ALL = "{replicas: 3, updatedReplicas: 3, availableReplicas: 3}"
NONE = "{}"
UNAVAILABLE = "{replicas: 3, updatedReplicas: 3, availableReplicas: 0}"
REFUSED = condition("ReplicaFailure", "True", "FailedCreate", QUOTA)


@pytest.mark.parametrize(
    ("content", "is_ready", "hopeless", "message"),
    [
        pytest.param(deployment("{replicas: 3}", ALL), True, False, "has 3 of 3 replicas available", id="ready"),
        pytest.param(
            deployment("{}", "{replicas: 1, updatedReplicas: 1, availableReplicas: 1}"),
            True,
            False,
            "has 1 of 1 replicas available",
            id="one replica where none is said",
        ),
        pytest.param(deployment("{replicas: 0}"), True, False, "has 0 of 0 replicas available", id="none wanted"),
        pytest.param(
            deployment("{replicas: 0}", "{replicas: 1}"),
            False,
            False,
            "has 1 old replicas that are still to go",
            id="none wanted, one there",
        ),
        pytest.param(
            deployment("{replicas: 3}", ALL, generation=3),
            False,
            False,
            "has its generation 3 not looked at by the deployment controller yet",
            id="of an older generation",
        ),
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"generation": 1}, "spec": {}},
            False,
            False,
            "has its generation 1 not looked at by the deployment controller yet",
            id="without status",
        ),
        pytest.param(deployment("{replicas: 3}", UNAVAILABLE), False, False, "has 0 of 3 replicas available", id="new"),
        pytest.param(
            deployment("{replicas: 3}", "{replicas: 4, updatedReplicas: 1, availableReplicas: 3}"),
            False,
            False,
            "has 1 of 3 replicas updated",
            id="in the middle of an update",
        ),
        pytest.param(
            deployment("{replicas: 3}", "{replicas: 4, updatedReplicas: 3, availableReplicas: 4}"),
            False,
            False,
            "has 1 old replicas that are still to go",
            id="at the end of an update",
        ),
        pytest.param(
            deployment("{replicas: 1, paused: true}"),
            False,
            True,
            "has 0 of 1 replicas available and is paused",
            id="paused",
        ),
        pytest.param(
            deployment("{replicas: 3, paused: true}", ALL),
            True,
            False,
            "has 3 of 3 replicas available",
            id="paused when done",
        ),
        pytest.param(
            deployment(
                "{replicas: 3, progressDeadlineSeconds: 60}",
                UNAVAILABLE,
                condition("Progressing", "False", "ProgressDeadlineExceeded"),
            ),
            False,
            True,
            "has 0 of 3 replicas available and made no progress for 60 s (ProgressDeadlineExceeded)",
            id="deadline exceeded",
        ),
        pytest.param(
            deployment("{replicas: 3}", ALL, condition("Progressing", "False", "ProgressDeadlineExceeded")),
            True,
            False,
            "has 3 of 3 replicas available",
            id="late, but ready",
        ),
        pytest.param(
            deployment("{replicas: 3}", NONE, REFUSED),
            False,
            True,
            "has 0 of 3 replicas available",
            id="beyond the quota",
        ),
        pytest.param(
            deployment("{replicas: 1}", "{replicas: 1, availableReplicas: 1}", REFUSED),
            False,
            True,
            "has 0 of 1 replicas updated",
            id="beyond the quota while the old replica has to stay",
        ),
        pytest.param(
            deployment(
                "{replicas: 1, strategy: {rollingUpdate: {maxUnavailable: 1}}}",
                "{replicas: 1, availableReplicas: 1}",
                REFUSED,
            ),
            False,
            False,
            "has 0 of 1 replicas updated",
            id="beyond the quota until the old replica has gone",
        ),
        pytest.param(
            deployment(
                "{replicas: 1, strategy: {rollingUpdate: {maxUnavailable: 25%, maxSurge: 0}}}",
                "{replicas: 1, availableReplicas: 1}",
                REFUSED,
            ),
            False,
            False,
            "has 0 of 1 replicas updated",
            id="beyond the quota, with nothing allowed on top",
        ),
        pytest.param(
            deployment("{replicas: 1, strategy: {type: Recreate}}", "{replicas: 1, availableReplicas: 1}", REFUSED),
            False,
            False,
            "has 0 of 1 replicas updated",
            id="beyond the quota while it is recreated",
        ),
        pytest.param(
            deployment("{replicas: 3}", NONE, condition("ReplicaFailure", "True", "FailedCreate", NO_ACCOUNT)),
            False,
            False,
            "has 0 of 3 replicas available",
            id="refused for a while",
        ),
    ],
)
def test_deployment(content: dict[str, Any], is_ready: bool, hopeless: bool, message: str) -> None:
    status = ready(content)
    assert (status.ready, status.hopeless, status.condition, status.message) == (
        is_ready,
        hopeless,
        "Available",
        message,
    )


@pytest.mark.parametrize(
    ("message", "hopeless"),
    [
        (QUOTA, True),
        ('pods "web-1" is forbidden: failed quota: few: must specify limits.cpu for: main', True),
        ('pods "web-1" is forbidden: maximum cpu usage per Container is 1, but limit is 2', True),
        ('pods "web-1" is forbidden: violates PodSecurity "restricted:latest": privileged', True),
        (NO_ACCOUNT, False),
        ('pods "web-1" is forbidden: status unknown for quota: few, resources: pods', False),
        ('Internal error occurred: failed calling webhook "a.example.com"', False),
    ],
)
def test_refusals_of_pods_that_do_not_heal(message: str, hopeless: bool) -> None:
    refused = condition("ReplicaFailure", "True", "FailedCreate", message)
    assert ready(deployment("{replicas: 1}", NONE, refused)).hopeless == hopeless


def definition(*conditions: dict[str, Any], conversion: str = "{strategy: None}") -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "greetings.example.com"},
        "spec": {"conversion": yaml.safe_load(conversion)},
        "status": {"conditions": list(conditions)},
    }


ESTABLISHED = condition("Established", "True")
NAMES_TAKEN = condition("NamesAccepted", "False", "PluralConflict", '"greetings" is already in use')
CONVERSION = "{strategy: Webhook, webhook: {clientConfig: {service: {namespace: team, name: web}, caBundle: Q0E=}}}"
CONVERSION_WITHOUT_CA = "{strategy: Webhook, webhook: {clientConfig: {service: {namespace: team, name: web}}}}"
CONVERSION_BY_ADDRESS = "{strategy: Webhook, webhook: {clientConfig: {url: 'https://example.com'}}}"


@pytest.mark.parametrize(
    ("content", "endpoints", "is_ready", "hopeless", "message"),
    [
        pytest.param(definition(ESTABLISHED), 0, True, False, "is established", id="established"),
        pytest.param(definition(), 0, False, False, "is not established", id="new"),
        pytest.param(
            definition(condition("Established", "False", "Installing", "being set up")),
            0,
            False,
            False,
            "is not established: being set up",
            id="on the way",
        ),
        pytest.param(
            definition(NAMES_TAKEN), 0, False, True, 'is refused its names: "greetings" is already in use', id="refused"
        ),
        pytest.param(
            definition(ESTABLISHED, NAMES_TAKEN),
            0,
            False,
            True,
            'is refused its names: "greetings" is already in use',
            id="established once, refused now",
        ),
        pytest.param(
            definition(ESTABLISHED, conversion=CONVERSION), 1, True, False, "has endpoints and CA", id="converted"
        ),
        pytest.param(
            definition(ESTABLISHED, conversion=CONVERSION),
            0,
            False,
            False,
            "has no ready endpoints behind Service team/web for conversion",
            id="nobody converts",
        ),
        pytest.param(
            definition(ESTABLISHED, conversion=CONVERSION_WITHOUT_CA),
            1,
            False,
            False,
            "has no CA for conversion",
            id="no CA of who converts",
        ),
        pytest.param(
            definition(ESTABLISHED, conversion=CONVERSION_BY_ADDRESS),
            0,
            True,
            False,
            "has endpoints and CA",
            id="elsewhere",
        ),
    ],
)
def test_custom_resource_definition(
    content: dict[str, Any], endpoints: int, is_ready: bool, hopeless: bool, message: str
) -> None:
    status = ready(content, lambda _service: endpoints)
    assert (status.ready, status.hopeless, status.message) == (is_ready, hopeless, message)


def test_a_definition_is_established_before_somebody_converts() -> None:
    assert established(definition(ESTABLISHED, conversion=CONVERSION_WITHOUT_CA)).ready


@pytest.mark.parametrize("kind", ["Certificate", "Issuer", "ClusterIssuer"])
@pytest.mark.parametrize(
    ("conditions", "is_ready", "message"),
    [
        pytest.param([condition("Ready", "True", observedGeneration=2)], True, "is ready", id="ready"),
        pytest.param([condition("Ready", "True")], True, "is ready", id="ready, for an unsaid generation"),
        pytest.param(
            [condition("Ready", "True", observedGeneration=1)],
            False,
            "has its generation 2 not looked at by cert-manager yet",
            id="of an older generation",
        ),
        pytest.param(
            [condition("Ready", "False", "DoesNotExist", "Secret does not\nexist")],
            False,
            "is not ready: Secret does not exist",
            id="not ready",
        ),
        pytest.param([condition("Ready", "False", "Pending")], False, "is not ready: Pending", id="without a message"),
        pytest.param([], False, "has no condition Ready, as if no cert-manager looked after it", id="nobody there"),
    ],
)
def test_kinds_of_cert_manager(kind: str, conditions: list[dict[str, Any]], is_ready: bool, message: str) -> None:
    content = {
        "apiVersion": "cert-manager.io/v1",
        "kind": kind,
        "metadata": {"generation": 2},
        "status": {"conditions": conditions},
    }
    status = ready(content)
    assert (status.ready, status.condition, status.message) == (is_ready, "Ready", message)


SERVICE = "service: {namespace: team, name: web}"


@pytest.mark.parametrize("kind", ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])
@pytest.mark.parametrize(
    ("webhooks", "endpoints", "is_ready", "message"),
    [
        pytest.param(
            f"[{{name: a, clientConfig: {{{SERVICE}, caBundle: Q0E=}}}}]", 2, True, "has endpoints and CA", id="all"
        ),
        pytest.param(f"[{{name: a, clientConfig: {{{SERVICE}}}}}]", 2, False, "has no CA for webhook a", id="no CA"),
        pytest.param(
            f"[{{name: a, clientConfig: {{{SERVICE}, caBundle: Q0E=}}}}, {{name: b, clientConfig: {{{SERVICE}}}}}]",
            2,
            False,
            "has no CA for webhook b",
            id="no CA for one of them",
        ),
        pytest.param(
            f"[{{name: a, clientConfig: {{{SERVICE}, caBundle: Q0E=}}}}]",
            0,
            False,
            "has no ready endpoints behind Service team/web for webhook a",
            id="no endpoints",
        ),
        pytest.param(
            f"[{{name: a, clientConfig: {{{SERVICE}, caBundle: Q0E=}}}}]",
            None,
            True,
            "has a CA; whether there are endpoints may not be seen",
            id="endpoints that we may not see",
        ),
        pytest.param(
            "[{name: a, clientConfig: {url: 'https://example.com'}}]", 0, True, "has endpoints and CA", id="elsewhere"
        ),
        pytest.param("[]", 0, True, "has endpoints and CA", id="none"),
    ],
)
def test_webhooks(kind: str, webhooks: str, endpoints: int | None, is_ready: bool, message: str) -> None:
    content = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "webhooks": yaml.safe_load(webhooks)}
    asked: list[ServiceName] = []

    def count(service: ServiceName) -> int | None:
        asked.append(service)
        return endpoints

    status = ready(content, count)
    assert (status.ready, status.message) == (is_ready, message)
    assert (status.service is not None) == ("endpoints behind" in message)
    assert set(asked) <= {ServiceName("team", "web")}


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Service"),
        ("v1", "PersistentVolumeClaim"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("networking.example.com/v1", "Certificate"),
    ],
)
def test_other_kinds_are_ready_at_once(api_version: str, kind: str) -> None:
    assert ready({"apiVersion": api_version, "kind": kind, "metadata": {}}).ready


def test_nothing_that_is_being_deleted_is_ready() -> None:
    content = {"apiVersion": "v1", "kind": "Service", "metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}
    assert ready(content).message == "is being deleted since 2026-01-02T03:04:05Z"
    going = definition(ESTABLISHED)
    going["metadata"].update(content["metadata"])
    assert established(going).message == "is being deleted since 2026-01-02T03:04:05Z"
