# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Webhook configurations, the Services in front of them, and their certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.model import Bundle
from ..nested import at
from .certificates import certificate_objects, serving, trusting
from .names import service_name
from .options import Options

HTTPS = 443
COPIED = (
    "rules",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "sideEffects",
    "timeoutSeconds",
    "admissionReviewVersions",
)
VALIDATING = "ValidatingAdmissionWebhook"
MUTATING = "MutatingAdmissionWebhook"


def validating_webhooks(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """A ValidatingWebhookConfiguration for each validating webhook."""
    return [
        configuration("ValidatingWebhookConfiguration", webhook, COPIED, options)
        for webhook in bundle.webhooks
        if webhook.get("type") == VALIDATING
    ]


def mutating_webhooks(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """A MutatingWebhookConfiguration for each mutating webhook."""
    return [
        configuration("MutatingWebhookConfiguration", webhook, (*COPIED, "reinvocationPolicy"), options)
        for webhook in bundle.webhooks
        if webhook.get("type") == MUTATING
    ]


def configuration(kind: str, webhook: Mapping[str, Any], fields: tuple[str, ...], options: Options) -> dict[str, Any]:
    """The configuration of one webhook, for the watched namespaces."""
    name = webhook.get("generateName", "").removesuffix("-")
    selector: dict[str, Any] = {
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(options.targets)}
            ]
        }
    }
    manifest = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        # OLM v1 sets the namespace here too, although the kind has none; the API server takes it off.
        "metadata": {"name": name, "namespace": options.install_namespace},
        "webhooks": [
            {
                "name": name,
                **{field: webhook[field] for field in fields if field in webhook},
                "clientConfig": {"service": service_reference(webhook, options.install_namespace)},
                **({} if "" in options.targets else selector),
            }
        ],
    }
    return trusting(
        manifest, options.certificate_provider, options.install_namespace, webhook.get("deploymentName", "")
    )


def service_reference(webhook: Mapping[str, Any], namespace: str, default_path: str | None = None) -> dict[str, Any]:
    """How the API server reaches a webhook."""
    reference: dict[str, Any] = {"namespace": namespace, "name": service_name(webhook.get("deploymentName", ""))}
    path = webhook.get("webhookPath", default_path)
    if path is not None:
        reference["path"] = path
    reference["port"] = webhook.get("containerPort", 0)
    return reference


def webhook_services(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """A Service for each deployment that serves webhooks."""
    ports: dict[str, list[dict[str, Any]]] = {}
    for webhook in bundle.webhooks:
        of_deployment = ports.setdefault(webhook.get("deploymentName", ""), [])
        port = service_port(webhook)
        if port not in of_deployment:
            of_deployment.append(port)
    out = []
    for deployment in bundle.deployments:
        name = deployment.get("name", "")
        if name not in ports:
            continue
        spec: dict[str, Any] = {"ports": sorted(ports[name], key=port_order)}
        labels = at(deployment, "spec", "selector", "matchLabels")
        if labels:
            spec["selector"] = labels
        service = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": service_name(name), "namespace": options.install_namespace},
            "spec": spec,
        }
        out.append(serving(service, options.certificate_provider, name))
    return out


def service_port(webhook: Mapping[str, Any]) -> dict[str, Any]:
    """The port of a Service that a webhook needs."""
    given = webhook.get("containerPort", 0)
    port = given if given > 0 else HTTPS
    return {"name": str(port), "port": port, "targetPort": webhook.get("targetPort", port)}


def port_order(port: Mapping[str, Any]) -> tuple[int, int, str]:
    """By port, then by target port; names of ports count as 0, as in Go."""
    target = port["targetPort"]
    number = int(target) if isinstance(target, int) or (target.isascii() and target.isdecimal()) else 0
    return port["port"], number, str(target)


def certificates(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """What the certificate provider needs for each deployment that serves webhooks."""
    names = sorted({webhook.get("deploymentName", "") for webhook in bundle.webhooks})
    return [
        manifest
        for name in names
        for manifest in certificate_objects(options.certificate_provider, options.install_namespace, name)
    ]
