# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A registry+v1 bundle as plain manifests and olm.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..bundle.model import K8S_V1, Bundle
from ..bundle.problems import InvalidBundle
from ..csvless.access import service_account_of
from ..csvless.descriptors import qualified
from ..csvless.files import as_mapping
from ..nested import at, mappings
from ..render.names import permission_name, service_name
from ..render.rbac import RBAC_GROUP, lifted, service_account
from .bundle_files import ANNOTATIONS, annotations_text, bundle_annotations, stream

HTTPS = 443
# OLM v1 needs a cluster with CustomResourceDefinitions of v1; that is what a bundle without a bound means.
LEAST_KUBERNETES = "1.16.0"
_CONFIGURATIONS = {
    "ValidatingAdmissionWebhook": "ValidatingWebhookConfiguration",
    "MutatingAdmissionWebhook": "MutatingWebhookConfiguration",
}
_SAME = (
    *("version", "maturity", "displayName", "description", "keywords", "maintainers", "provider", "links", "icon"),
    *("installModes", "replaces", "skips", "labels", "selector", "relatedImages"),
)
_WEBHOOK_FIELDS = (
    *("rules", "failurePolicy", "matchPolicy", "objectSelector", "sideEffects", "timeoutSeconds"),
    *("admissionReviewVersions", "reinvocationPolicy"),
)


def plain_files(bundle: Bundle) -> tuple[dict[str, str], list[str]]:
    """The files of the bundle in the format k8s+v1, and what of it has no place there."""
    warnings: list[str] = []
    _refuse_homeless(bundle)
    services = _Services({str(at(item, "metadata", "name")) for item in bundle.others if item["kind"] == "Service"})
    crds = [_crd(crd, bundle, services) for crd in bundle.crds]
    webhooks = [
        _configuration(webhook, services) for webhook in bundle.webhooks if webhook.get("type") in _CONFIGURATIONS
    ]
    api_services = list(_api_services(bundle, services))
    labels = {str(item.get("name")): _labels(item) for item in bundle.deployments}
    manifests: dict[str, list[Mapping[str, Any]]] = {
        "crds": [*crds],
        "deployments": [*map(_deployment, bundle.deployments)],
        "rbac": [*_rbac(bundle)],
        "webhooks": [*webhooks, *api_services, *services.manifests(labels)],
        "others": [*bundle.others],
    }
    files = {f"manifests/{name}.yaml": stream(items) for name, items in manifests.items() if items}
    files["metadata/olm.yaml"] = stream([_metadata(bundle, warnings)])
    files[ANNOTATIONS] = annotations_text(bundle_annotations(K8S_V1, bundle.package, bundle.annotations))
    return files, warnings


def _refuse_homeless(bundle: Bundle) -> None:
    """Only what a Deployment runs as is followed into the watched namespaces; all others need ones that never vary."""
    if _only_mode(bundle):
        return
    own = {service_account_of(deployment) for deployment in bundle.deployments}
    accounts = {service_account(permission) for permission in bundle.permissions}
    problems = [
        f"the service account '{account}' has permissions in whichever namespaces are watched, but no deployment runs as it; "
        f"{K8S_V1} has such permissions for deployments only"
        for account in sorted(accounts - own)
    ]
    if problems:
        raise InvalidBundle(bundle.name, problems)


def _only_mode(bundle: Bundle) -> str | None:
    """The one way to install a bundle where the watched namespaces follow from the install namespace."""
    modes = [mode for mode in bundle.supported_install_modes if mode != "MultiNamespace"]
    return modes[0] if modes in (["AllNamespaces"], ["OwnNamespace"]) else None


def _metadata(bundle: Bundle, warnings: list[str]) -> dict[str, Any]:
    spec = as_mapping(bundle.csv.get("spec"))
    out: dict[str, Any] = {"name": bundle.name, **{key: spec[key] for key in _SAME if spec.get(key)}}
    out["version"] = bundle.version
    out["minKubeVersion"] = spec.get("minKubeVersion") or LEAST_KUBERNETES
    if not spec.get("minKubeVersion"):
        warnings.append(f"the bundle has no minKubeVersion; olm.yaml needs one, {LEAST_KUBERNETES} was written")
    annotations = at(bundle.csv, "metadata", "annotations")
    if annotations:
        out["annotations"] = annotations
    apis = [*_described(spec, "owned"), *_described(spec, "required")]
    if apis:
        out["apis"] = apis
    lost = [f"spec.{key}" for key in ("cleanup", "annotations") if spec.get(key)]
    lost += ["metadata.labels"] if at(bundle.csv, "metadata", "labels") else []
    warnings += [f"{field} of the ClusterServiceVersion has no place in olm.yaml and is left out" for field in lost]
    return out


def _described(spec: Mapping[str, Any], relation: str) -> Iterable[dict[str, Any]]:
    for item in mappings(at(spec, "customresourcedefinitions", relation)):
        name = str(item.get("name") or "")
        group = name.partition(".")[2]
        yield {
            "group": group,
            "version": item.get("version", ""),
            "kind": item.get("kind", ""),
            "name": name,
            **qualified(item),
        }
    for item in mappings(at(spec, "apiservicedefinitions", relation)):
        group = str(item.get("group") or "")
        yield {
            "group": group,
            "version": item.get("version", ""),
            "kind": item.get("kind", ""),
            "name": f"{item.get('name', '')}.{group}",
            **qualified(item),
        }


def _deployment(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {"name": item.get("name", ""), **({"labels": item["label"]} if item.get("label") else {})}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": item.get("spec", {})}


def _labels(deployment: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_mapping(at(deployment, "spec", "template", "metadata", "labels"))


def _rbac(bundle: Bundle) -> Iterable[dict[str, Any]]:
    """A role and a binding for each permission, and the service accounts that they are for."""
    own = {service_account_of(deployment) for deployment in bundle.deployments}
    shipped = {at(item, "metadata", "name") for item in bundle.others if item["kind"] == "ServiceAccount"}
    listed = [
        *((permission, "Role") for permission in bundle.permissions),
        *((permission, "ClusterRole") for permission in bundle.cluster_permissions),
    ]
    accounts = {service_account(permission) for permission, _kind in listed}
    for account in sorted(accounts - shipped - {"default"}):
        yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account}}
    used: dict[str, int] = {}
    for given, namespaced in listed:
        permission, kind, account = given, namespaced, service_account(given)
        if account in own:
            base = f"{bundle.package}-{account}"
            used[base] = used.get(base, 0) + 1
            name = f"{base}-{used[base]}"
        else:
            # What no Deployment runs as stays a role of its own, as OLM v1 would make it.
            if kind == "Role" and _only_mode(bundle) == "AllNamespaces":
                permission, kind = lifted(given), "ClusterRole"
            name = permission_name(bundle.name, account, permission)
        yield {
            "apiVersion": f"{RBAC_GROUP}/v1",
            "kind": kind,
            "metadata": {"name": name},
            "rules": permission.get("rules") or [],
        }
        yield {
            "apiVersion": f"{RBAC_GROUP}/v1",
            "kind": f"{kind}Binding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account}],
        }


class _Services:
    """A Service for each port behind which a deployment answers API servers."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.ports: dict[tuple[str, int, Any], str] = {}

    def reference(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        deployment, port = str(definition.get("deploymentName") or ""), definition.get("containerPort")
        key = (deployment, port or HTTPS, definition.get("targetPort"))
        if key not in self.ports:
            self.ports[key] = self.free_name(service_name(deployment))
        path = definition.get("webhookPath")
        return {
            "name": self.ports[key],
            # Whoever applies these by hand puts the operator somewhere; bundles are installed where the user says.
            "namespace": "default",
            **({"port": port} if port else {}),
            **({} if path is None else {"path": path}),
        }

    def free_name(self, name: str) -> str:
        number = 1
        found = name
        while found in self.taken:
            number += 1
            found = f"{name}-{number}"
        self.taken.add(found)
        return found

    def manifests(self, labels: Mapping[str, Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
        for (deployment, port, target), name in self.ports.items():
            entry = {"port": port, **({} if target is None else {"targetPort": target})}
            yield {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": name},
                "spec": {"selector": labels.get(deployment, {}), "ports": [entry]},
            }


def _configuration(webhook: Mapping[str, Any], services: _Services) -> dict[str, Any]:
    name = str(webhook.get("generateName") or "")
    entry = {key: webhook[key] for key in _WEBHOOK_FIELDS if key in webhook}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": _CONFIGURATIONS[str(webhook["type"])],
        "metadata": {"name": name.removesuffix("-")},
        "webhooks": [{"name": name, "clientConfig": {"service": services.reference(webhook)}, **entry}],
    }


def _crd(crd: Mapping[str, Any], bundle: Bundle, services: _Services) -> dict[str, Any]:
    name = at(crd, "metadata", "name")
    out = {key: value for key, value in crd.items() if key != "status"}
    for webhook in bundle.webhooks:
        if webhook.get("type") == "ConversionWebhook" and name in (webhook.get("conversionCRDs") or ()):
            converter = {
                "clientConfig": {"service": services.reference(webhook)},
                "conversionReviewVersions": webhook.get("admissionReviewVersions") or [],
            }
            return {**out, "spec": {**crd["spec"], "conversion": {"strategy": "Webhook", "webhook": converter}}}
    if at(crd, "spec", "conversion", "strategy") == "Webhook":
        # No definition names it, so OLM v1 leaves it as it is, and nothing would answer.
        return {**out, "spec": {key: value for key, value in crd["spec"].items() if key != "conversion"}}
    return out


def _api_services(bundle: Bundle, services: _Services) -> Iterable[dict[str, Any]]:
    seen = set()
    for item in mappings(at(bundle.csv, "spec", "apiservicedefinitions", "owned")):
        group, version = str(item.get("group") or ""), str(item.get("version") or "")
        if (group, version) in seen:
            continue
        seen.add((group, version))
        reference = services.reference(
            {**item, "containerPort": HTTPS, "targetPort": item.get("containerPort") or HTTPS}
        )
        yield {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"{version}.{group}"},
            "spec": {
                "group": group,
                "version": version,
                "groupPriorityMinimum": 2000,
                "versionPriority": 15,
                "service": reference,
            },
        }
