# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Webhooks and aggregated APIs: from their configurations and Services to definitions of a ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kubernetes.label_selector import selects
from ..nested import at, mappings
from ..render.names import service_name
from .accepted import CRD, WEBHOOKS
from .files import Placed, as_mapping

HTTPS = 443
CONVERSION = "ConversionWebhook"
_COPIED = (
    *("rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects", "timeoutSeconds"),
    *("admissionReviewVersions", "reinvocationPolicy"),
)
_PRIORITIES = {"groupPriorityMinimum": 2000, "versionPriority": 15}
_NO_PLACE = {
    "namespaceSelector": "OLM selects the watched namespaces itself; select objects with objectSelector",
    "matchConditions": "a ClusterServiceVersion has no place for it",
}


@dataclass
class Serving:
    """What is served to API servers, and what stays of the Services in between."""

    webhooks: list[dict[str, Any]] = field(default_factory=list)
    # By group and version: the deployment and port of an aggregated API.
    api_services: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    services: list[Placed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def project_services(objects: Iterable[Placed], crds: Iterable[Placed]) -> Serving:
    """Turn webhook configurations, conversion webhooks and APIServices into definitions."""
    return _Projection(list(objects), list(crds)).run()


class _Projection:
    def __init__(self, objects: list[Placed], crds: list[Placed]) -> None:
        self.objects = objects
        self.crds = crds
        self.services = {placed.name: placed for placed in objects if placed.kind == "Service"}
        self.deployments = {placed.name: placed for placed in objects if placed.kind == "Deployment"}
        self.used: dict[str, list[Mapping[str, Any]]] = {}
        self.found = Serving()

    def run(self) -> Serving:
        for placed in self.objects:
            if placed.kind in WEBHOOKS:
                self.configuration(placed)
            elif placed.kind == "APIService":
                self.api_service(placed)
        for crd in self.crds:
            self.conversion(crd)
        self.found.services = [left for placed in self.services.values() for left in self.left_of(placed)]
        self.refuse_names_of_olm()
        return self.found

    def configuration(self, placed: Placed) -> None:
        for number, webhook in enumerate(mappings(placed.manifest.get("webhooks"))):
            title = f"{placed.title}: webhooks[{number}]"
            for key, reason in _NO_PLACE.items():
                if webhook.get(key):
                    self.found.problems.append(f"{title}.{key} cannot be kept: {reason}")
            served = self.served(at(webhook, "clientConfig", "service"), f"{title}.clientConfig")
            if served is None:
                continue
            definition = {"type": WEBHOOKS[placed.kind], "generateName": str(webhook.get("name") or ""), **served}
            definition.update({key: webhook[key] for key in _COPIED if webhook.get(key) is not None})
            path = at(webhook, "clientConfig", "service", "path")
            if path is not None:
                definition["webhookPath"] = path
            self.found.webhooks.append(definition)

    def conversion(self, crd: Placed) -> None:
        conversion = as_mapping(at(crd.manifest, "spec", "conversion"))
        webhook = as_mapping(conversion.get("webhook"))
        if conversion.get("strategy") != "Webhook":
            return
        title = f"{crd.title}: spec.conversion.webhook.clientConfig"
        served = self.served(at(webhook, "clientConfig", "service"), title)
        if served is None:
            return
        path = at(webhook, "clientConfig", "service", "path")
        self.found.webhooks.append(
            {
                "type": CONVERSION,
                "generateName": f"c{crd.name}",
                **served,
                **({} if path is None else {"webhookPath": path}),
                "admissionReviewVersions": webhook.get("conversionReviewVersions") or ["v1"],
                "sideEffects": "None",
                "conversionCRDs": [crd.name],
            }
        )

    def api_service(self, placed: Placed) -> None:
        spec = as_mapping(placed.manifest.get("spec"))
        served = self.served(spec.get("service"), f"{placed.title}: spec")
        if served is None:
            return
        name = served["deploymentName"]
        wanted = served.get("targetPort", served.get("containerPort", HTTPS))
        port = wanted if isinstance(wanted, int) else self.port_named(name, wanted)
        if port is None:
            self.found.problems.append(
                f"{placed.title}: spec.service leads to the port '{wanted}', which no container of the Deployment '{name}' has"
            )
            return
        self.found.warnings += [
            f"{placed.title}: spec.{part} is {spec[part]}, which a ClusterServiceVersion cannot say; OLM makes it {made}"
            for part, made in _PRIORITIES.items()
            if spec.get(part) not in (None, made)
        ]
        key = (str(spec.get("group") or ""), str(spec.get("version") or ""))
        self.found.api_services[key] = {"deploymentName": name, "containerPort": port}

    def port_named(self, deployment: str, name: object) -> int | None:
        """The number of a port that a container names: a ClusterServiceVersion has only numbers for aggregated APIs."""
        containers = mappings(at(self.deployments[deployment].manifest, "spec", "template", "spec", "containers"))
        ports = (port for container in containers for port in mappings(container.get("ports")))
        number = next((port.get("containerPort") for port in ports if port.get("name") == name), None)
        return number if isinstance(number, int) else None

    def served(self, reference: Any, title: str) -> dict[str, Any] | None:
        """Deployment and ports behind a reference to a Service; None, and a problem, where it leads nowhere."""
        if not isinstance(reference, dict) or not reference.get("name"):
            self.found.problems.append(f"{title} must name a Service of the bundle under 'service'")
            return None
        name, port = str(reference["name"]), reference.get("port")
        service = self.services.get(name)
        if service is None:
            self.found.problems.append(f"{title} names the Service '{name}', which is not in the bundle")
            return None
        entries = mappings(at(service.manifest, "spec", "ports"))
        entry = next((item for item in entries if item.get("port") == (port or HTTPS)), None)
        if entry is None:
            ports = ", ".join(str(item.get("port")) for item in entries) or "none"
            self.found.problems.append(
                f"{title} names the port {port or HTTPS} of the Service '{name}', which has {ports}"
            )
            return None
        deployment = self.behind(service, title)
        if deployment is None:
            return None
        self.used.setdefault(name, []).append(entry)
        out: dict[str, Any] = {"deploymentName": deployment}
        if port:
            out["containerPort"] = port
        if entry.get("targetPort") is not None:
            out["targetPort"] = entry["targetPort"]
        return out

    def behind(self, service: Placed, title: str) -> str | None:
        selector = as_mapping(at(service.manifest, "spec", "selector"))
        fitting = [
            name
            for name, placed in self.deployments.items()
            if selector
            and selects(
                {"matchLabels": selector}, as_mapping(at(placed.manifest, "spec", "template", "metadata", "labels"))
            )
        ]
        if len(fitting) == 1:
            return fitting[0]
        found = "none" if not fitting else ", ".join(fitting)
        self.found.problems.append(
            f"{title} leads to the Service '{service.name}', whose selector must fit the pods of exactly one Deployment; it fits {found}"
        )
        return None

    def left_of(self, service: Placed) -> list[Placed]:
        """A Service without the ports that OLM makes a Service of its own for; nothing where none is left."""
        used = self.used.get(service.name)
        if not used:
            return [service]
        spec = as_mapping(service.manifest.get("spec"))
        rest = [port for port in mappings(spec.get("ports")) if port not in used]
        if not rest:
            return []
        return [Placed(service.place, {**service.manifest, "spec": {**spec, "ports": rest}})]

    def refuse_names_of_olm(self) -> None:
        """A Service that stays cannot have the name of one that OLM makes: of the two the last one applied would win."""
        definitions = (*self.found.webhooks, *self.found.api_services.values())
        made = {service_name(definition["deploymentName"]): definition["deploymentName"] for definition in definitions}
        self.found.problems += [
            f"{service.title}: OLM makes a Service of this name itself, for the webhooks or APIs of the Deployment '{made[service.name]}'; "
            "give the ports that are for others a Service of another name"
            for service in self.found.services
            if service.name in made
        ]


def crds_of(objects: Iterable[Placed]) -> list[Placed]:
    """The CustomResourceDefinitions among objects."""
    return [placed for placed in objects if placed.kind == CRD]
