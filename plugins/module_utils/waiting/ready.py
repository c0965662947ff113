# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an object does its work: a pure function a kind, in one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings

CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")
DEPLOYMENT = ("apps", "Deployment")
CERTIFICATE = ("cert-manager.io", "Certificate")
ISSUER = ("cert-manager.io", "Issuer")
CLUSTER_ISSUER = ("cert-manager.io", "ClusterIssuer")
VALIDATING = ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
MUTATING = ("admissionregistration.k8s.io", "MutatingWebhookConfiguration")

# Refusals of pods that stay until somebody changes the Deployment or the rule: quotas, LimitRanges, Pod Security.
# Others pass, such as a service account that is not there yet.
_REFUSED_FOR_GOOD = re.compile(r"exceeded quota|failed quota|violates PodSecurity|(maximum|minimum) .+ usage per ")


@dataclass(frozen=True)
class ServiceName:
    """A Service that an API server calls."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"Service {self.namespace}/{self.name}"


@dataclass(frozen=True)
class Status:
    """Whether an object is ready, under which condition, and in `message` what was seen, as the rest of a sentence that
    begins with the object. `hopeless`: it does not heal by itself; `heals`: unless what it came of is over. `service`: whose endpoints are missed."""

    ready: bool
    condition: str
    message: str
    hopeless: bool = False
    heals: bool = False
    service: ServiceName | None = None


# How many ready endpoints a Service has; None where nobody may say.
Endpoints = Callable[[ServiceName], "int | None"]
Predicate = Callable[[Mapping[str, Any], Endpoints], Status]


def no_endpoints(_service: ServiceName) -> int | None:
    """For objects that no Service stands behind."""
    return 0


def ready(content: Mapping[str, Any], endpoints: Endpoints = no_endpoints) -> Status:
    """Whether an object is ready; kinds that the table does not know are ready as soon as they are there."""
    predicate = READY.get(kind_of(content), _there)
    return _going(content) or predicate(content, endpoints)


def established(content: Mapping[str, Any], _endpoints: Endpoints = no_endpoints) -> Status:
    """Whether a CRD is served, so that objects of its kind can be made. Who converts them may still be on the way."""
    going = _going(content)
    if going is not None:
        return going
    conditions = _conditions(content)
    refused = conditions.get("NamesAccepted", {})
    if refused.get("status") == "False":
        return Status(False, "Established", f"is refused its names: {_said(refused)}", hopeless=True)
    condition = conditions.get("Established", {})
    if condition.get("status") == "True":
        return Status(True, "Established", "is established")
    return Status(False, "Established", f"is not established{_because(condition)}")


def kind_of(content: Mapping[str, Any]) -> tuple[str, str]:
    """Group and kind."""
    return str(content.get("apiVersion") or "").rpartition("/")[0], str(content.get("kind") or "")


def _going(content: Mapping[str, Any]) -> Status | None:
    """What is being deleted does no work for long."""
    since = at(content, "metadata", "deletionTimestamp")
    return Status(False, "there", f"is being deleted since {since}") if since else None


def _there(_content: Mapping[str, Any], _endpoints: Endpoints) -> Status:
    return Status(True, "there", "is there")


def _definition(content: Mapping[str, Any], endpoints: Endpoints) -> Status:
    status = established(content, endpoints)
    if not status.ready or at(content, "spec", "conversion", "strategy") != "Webhook":
        return status
    called = at(content, "spec", "conversion", "webhook", "clientConfig")
    return _called((("conversion", called),), endpoints, "Established, with conversion")


def _deployment(content: Mapping[str, Any], _endpoints: Endpoints) -> Status:
    generation = _number(at(content, "metadata", "generation"), 0)
    status = at(content, "status") or {}
    if _number(status.get("observedGeneration"), 0) < generation:
        return Status(
            False, "Available", f"has its generation {generation} not looked at by the deployment controller yet"
        )
    wanted = _number(at(content, "spec", "replicas"), 1)
    there, updated, available = (
        _number(status.get(name), 0) for name in ("replicas", "updatedReplicas", "availableReplicas")
    )
    if updated >= wanted and there <= updated and available >= updated:
        return Status(True, "Available", f"has {available} of {wanted} replicas available")
    if updated < wanted and there > updated:
        message = f"has {updated} of {wanted} replicas updated"
    elif there > updated:
        message = f"has {there - updated} old replicas that are still to go"
    else:
        message = f"has {available} of {wanted} replicas available"
    if at(content, "spec", "paused") and updated < wanted:
        return Status(False, "Available", f"{message} and is paused", hopeless=True)
    conditions = _conditions(content)
    if conditions.get("Progressing", {}).get("reason") == "ProgressDeadlineExceeded":
        seconds = _number(at(content, "spec", "progressDeadlineSeconds"), 600)
        return Status(
            False,
            "Available",
            f"{message} and made no progress for {seconds} s (ProgressDeadlineExceeded)",
            hopeless=True,
            heals=True,
        )
    failure = conditions.get("ReplicaFailure", {})
    # Where pods of the Deployment itself may still go away, what they use is set free for those that were refused.
    stuck = there == available and available <= wanted - _may_be_unavailable(content, wanted)
    refused = failure.get("status") == "True" and _REFUSED_FOR_GOOD.search(str(failure.get("message")))
    return Status(False, "Available", message, hopeless=bool(refused and stuck))


def _may_be_unavailable(content: Mapping[str, Any], wanted: int) -> int:
    """How many replicas a rolling update may take away before new ones are there."""
    if at(content, "spec", "strategy", "type") == "Recreate":
        return wanted
    limits = at(content, "spec", "strategy", "rollingUpdate") or {}
    unavailable = _share(limits.get("maxUnavailable", "25%"), wanted)
    surge = limits.get("maxSurge", "25%")
    # Kubernetes takes 1 where both would be 0, for else nothing could ever move.
    return unavailable if unavailable or surge not in (0, "0", "0%") else 1


def _share(value: Any, whole: int) -> int:
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        return whole * int(value[:-1]) // 100
    return _number(value, 0)


def _certificate(content: Mapping[str, Any], _endpoints: Endpoints) -> Status:
    """The condition Ready of cert-manager's kinds, for the generation that is there."""
    condition = _conditions(content).get("Ready")
    if condition is None:
        return Status(False, "Ready", "has no condition Ready, as if no cert-manager looked after it")
    generation = _number(at(content, "metadata", "generation"), 0)
    if _number(condition.get("observedGeneration"), generation) < generation:
        return Status(False, "Ready", f"has its generation {generation} not looked at by cert-manager yet")
    if condition.get("status") == "True":
        return Status(True, "Ready", "is ready")
    return Status(False, "Ready", f"is not ready{_because(condition)}")


def _webhooks(content: Mapping[str, Any], endpoints: Endpoints) -> Status:
    called = [(f"webhook {item.get('name')}", item.get("clientConfig")) for item in mappings(content.get("webhooks"))]
    return _called(called, endpoints, "endpoints and CA")


def _called(called: Any, endpoints: Endpoints, condition: str) -> Status:
    """Whether an API server can call all of these: (what for, client configuration)."""
    for purpose, configuration in called:
        if not at(configuration, "url") and not at(configuration, "caBundle"):
            return Status(False, condition, f"has no CA for {purpose}")
    unseen = False
    for purpose, configuration in called:
        service = _service(configuration)
        count = endpoints(service) if service is not None else 1
        if count == 0:
            return Status(False, condition, f"has no ready endpoints behind {service} for {purpose}", service=service)
        unseen = unseen or count is None
    if unseen:
        return Status(True, condition, "has a CA; whether there are endpoints may not be seen")
    return Status(True, condition, "has endpoints and CA")


def _service(configuration: Any) -> ServiceName | None:
    name = at(configuration, "service", "name")
    return ServiceName(str(at(configuration, "service", "namespace") or ""), str(name)) if name else None


def _conditions(content: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {str(item.get("type")): item for item in mappings(at(content, "status", "conditions"))}


def _because(condition: Mapping[str, Any]) -> str:
    said = _said(condition)
    return f": {said}" if said else ""


def _said(condition: Mapping[str, Any]) -> str:
    return " ".join(str(condition.get("message") or condition.get("reason") or "").split())


def _number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


# In the order of what hangs on what: where several are not ready, the first is nearest to the root of it.
READY: Mapping[tuple[str, str], Predicate] = {
    CLUSTER_ISSUER: _certificate,
    ISSUER: _certificate,
    CERTIFICATE: _certificate,
    DEPLOYMENT: _deployment,
    CRD: _definition,
    MUTATING: _webhooks,
    VALIDATING: _webhooks,
}
