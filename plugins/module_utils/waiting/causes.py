# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From an object that is not ready to the root of it: pods, events, certificates and Services around it.

It is asked for once, when a wait has failed. What may not be read is left out, and the answer says
with which permission it would say more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..errors import ClusterError, Forbidden, NotFound
from ..nested import at, mappings, texts
from .pods import innermost, trouble_of
from .ready import CERTIFICATE, CRD, DEPLOYMENT, MUTATING, VALIDATING, ServiceName, Status, ready
from .words import listed, one_line

_CERT_MANAGER_INJECTS = "cert-manager.io/inject-ca-from"
_OPENSHIFT_INJECTS = "service.beta.openshift.io/inject-cabundle"
_REVISION = "deployment.kubernetes.io/revision"
_POD_REFUSED = re.compile(r'^pods "[^"]*" is forbidden: ')

JsonObject = Mapping[str, Any]


def explain(client: Client, key: ObjectKey, content: JsonObject, status: Status) -> str:
    """One line about an object that is not ready: what was seen, and why it is so as far as can be found out. `content`
    is empty where the object is not there."""
    inquiry = Inquiry(client)
    find = _CAUSES.get((key.collection.group, key.kind))
    cause = find(inquiry, key, content, status) if find is not None and content else ""
    parts = [f"{key} {status.message}", cause, inquiry.missing_permission]
    return "; ".join(part for part in parts if part)


class Inquiry:
    """Reading that takes a refusal for an answer, and remembers what was refused."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._refused: dict[str, None] = {}

    @property
    def missing_permission(self) -> str:
        return f"permission to {listed(list(self._refused))} would tell more" if self._refused else ""

    def find(self, path: str, what: str) -> JsonObject | None:
        """An object; None where there is none. An empty one where nobody says."""
        try:
            return self._client.read(path)
        except NotFound:
            return None
        except ClusterError as error:
            self._note(error, f"get {what}")
            return {}

    def items(self, path: str, query: Mapping[str, str], what: str) -> list[JsonObject] | None:
        """The objects of a collection; None where nobody says."""
        try:
            return mappings(self._client.read(path, query).get("items"))
        except NotFound:
            return []
        except ClusterError as error:
            self._note(error, f"list {what}")
            return None

    def warning(self, content: JsonObject) -> str:
        """The last Warning event of an object that says something."""
        uid = at(content, "metadata", "uid")
        if not uid:
            return ""
        namespace = at(content, "metadata", "namespace") or "default"
        query = {"fieldSelector": f"involvedObject.uid={uid},type=Warning"}
        events = self.items(f"/api/v1/namespaces/{namespace}/events", query, "events")
        telling = [event for event in events or [] if _tells(event)]
        if not telling:
            return ""
        last = max(telling, key=_time_of)
        return f"{last.get('reason')}: {one_line(last.get('message') or '')}"

    def _note(self, error: ClusterError, what: str) -> None:
        """Other problems than a refusal are passed over: that something is not ready is the news."""
        if isinstance(error, Forbidden):
            self._refused[what] = None


def _tells(event: JsonObject) -> bool:
    """Not those that only say that something is tried again, or repeat the pod's waiting reason."""
    return event.get("reason") != "BackOff" and not str(event.get("message") or "").startswith("Error: ")


def _time_of(event: JsonObject) -> str:
    times = (
        at(event, "series", "lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        at(event, "metadata", "creationTimestamp"),
    )
    return next((str(value) for value in times if value), "")


def _of_deployment(inquiry: Inquiry, key: ObjectKey, content: JsonObject, _status: Status) -> str:
    selector = _selector(at(content, "spec", "selector"))
    query = {"labelSelector": selector}
    replica_sets = inquiry.items(f"/apis/apps/v1/namespaces/{key.namespace}/replicasets", query, "replicasets")
    newest = _newest(replica_sets or [], content)
    refused = _condition(newest or content, "ReplicaFailure")
    if refused.get("status") == "True":
        return f"its pods are refused: {_POD_REFUSED.sub('', one_line(refused.get('message') or ''))}"
    pods = inquiry.items(f"/api/v1/namespaces/{key.namespace}/pods", query, "pods")
    if pods is not None:
        mine = [pod for pod in pods if newest is None or _owned_by(pod, newest)]
        told = _of_pods(inquiry, mine)
        if told:
            return told
    for owner in (newest, content) if newest else (content,):
        warning = inquiry.warning(owner)
        if warning:
            return f"its last event is {warning}"
    return "it has no pods" if pods == [] else ""


def _newest(replica_sets: list[JsonObject], deployment: JsonObject) -> JsonObject | None:
    """The ReplicaSet of the Deployment's present revision: pods of older ones are not what is waited for."""
    mine = [item for item in replica_sets if _owned_by(item, deployment)]
    revision = at(deployment, "metadata", "annotations", _REVISION)
    current = [item for item in mine if revision and at(item, "metadata", "annotations", _REVISION) == revision]
    return max(current or mine, key=lambda item: str(at(item, "metadata", "creationTimestamp")), default=None)


def _owned_by(item: JsonObject, owner: JsonObject) -> bool:
    uid = at(owner, "metadata", "uid")
    return any(reference.get("uid") == uid for reference in mappings(at(item, "metadata", "ownerReferences")))


def _of_pods(inquiry: Inquiry, pods: list[JsonObject]) -> str:
    """The pod that tells most about what is wrong."""
    troubled = [(trouble, pod) for pod in pods if (trouble := trouble_of(pod)) is not None]
    if not troubled:
        return ""
    trouble, pod = max(troubled, key=lambda pair: pair[0].weight)
    text = f"pod {at(pod, 'metadata', 'name')} {trouble.text}"
    if not trouble.vague:
        return text
    warning = inquiry.warning(pod)
    if "Failed to pull image" in warning:
        warning = innermost(warning)
    return f"{text} ({warning})" if warning else text


def _of_certificate(inquiry: Inquiry, key: ObjectKey, content: JsonObject, _status: Status) -> str:
    kind = str(at(content, "spec", "issuerRef", "kind") or "Issuer")
    name = at(content, "spec", "issuerRef", "name")
    group = at(content, "spec", "issuerRef", "group") or CERTIFICATE[0]
    if name and group == CERTIFICATE[0] and kind in ("Issuer", "ClusterIssuer"):
        namespaced = kind == "Issuer"
        base = f"/apis/{group}/{key.collection.version}" + (f"/namespaces/{key.namespace}" if namespaced else "")
        issuer = inquiry.find(f"{base}/{kind.lower()}s/{name}", f"{kind.lower()}s.{group}")
        title = f"its {kind} {f'{key.namespace}/' if namespaced else ''}{name}"
        if issuer is None:
            return f"{title} is not there"
        status = ready({"apiVersion": f"{group}/v1", "kind": kind, **issuer}) if issuer else None
        if status is not None and not status.ready:
            return f"{title} {status.message}"
    issuing = _condition(content, "Issuing")
    if issuing.get("reason") == "Failed":
        return f"issuing it failed: {one_line(issuing.get('message') or 'no reason given')}"
    warning = inquiry.warning(content)
    return f"its last event is {warning}" if warning else ""


def _of_webhooks(inquiry: Inquiry, _key: ObjectKey, content: JsonObject, status: Status) -> str:
    if status.service is not None:
        return _of_service(inquiry, status.service)
    return _of_missing_ca(inquiry, content) if "has no CA" in status.message else ""


def _of_missing_ca(inquiry: Inquiry, content: JsonObject) -> str:
    annotations = at(content, "metadata", "annotations") or {}
    source = annotations.get(_CERT_MANAGER_INJECTS)
    if source:
        return f"cert-manager is to inject it from Certificate {source}{_of_source(inquiry, str(source))}"
    if annotations.get(_OPENSHIFT_INJECTS):
        return "the service CA operator of OpenShift is to inject it"
    return "nothing on it says who is to inject one"


def _of_source(inquiry: Inquiry, source: str) -> str:
    group, kind = CERTIFICATE
    namespace, _slash, name = source.partition("/")
    path = f"/apis/{group}/v1/namespaces/{namespace}/certificates/{name}"
    certificate = inquiry.find(path, f"certificates.{group}")
    if certificate is None:
        return ", which is not there"
    status = ready({"apiVersion": f"{group}/v1", "kind": kind, **certificate})
    return f", which {status.message}" if certificate and not status.ready else ""


def _of_service(inquiry: Inquiry, name: ServiceName) -> str:
    service = inquiry.find(f"/api/v1/namespaces/{name.namespace}/services/{name.name}", "services")
    if service is None:
        return f"{name} is not there"
    selector = _selector({"matchLabels": at(service, "spec", "selector")})
    if not selector:
        return ""
    pods = inquiry.items(f"/api/v1/namespaces/{name.namespace}/pods", {"labelSelector": selector}, "pods")
    if pods is None:
        return ""
    return _of_pods(inquiry, pods) if pods else f"no pod has the labels that it selects: {selector}"


def _selector(selector: Any) -> str:
    """A label selector as it stands in a query."""
    parts = [f"{name}={value}" for name, value in (at(selector, "matchLabels") or {}).items()]
    for item in mappings(at(selector, "matchExpressions")):
        name, operator = item.get("key"), item.get("operator")
        values = f"({','.join(texts(item.get('values')))})"
        words = {"In": f"{name} in {values}", "NotIn": f"{name} notin {values}", "DoesNotExist": f"!{name}"}
        parts.append(words.get(str(operator), str(name)))
    return ",".join(parts)


def _condition(content: JsonObject, kind: str) -> JsonObject:
    return next((item for item in mappings(at(content, "status", "conditions")) if item.get("type") == kind), {})


_CAUSES: Mapping[tuple[str, str], Callable[[Inquiry, ObjectKey, JsonObject, Status], str]] = {
    DEPLOYMENT: _of_deployment,
    CERTIFICATE: _of_certificate,
    CRD: _of_webhooks,
    MUTATING: _of_webhooks,
    VALIDATING: _of_webhooks,
}
