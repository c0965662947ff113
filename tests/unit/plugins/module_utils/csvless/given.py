# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plain manifests for tests: a small operator, and what a test wants changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import Grant, grants_of

HOME = "elsewhere"
RBAC = "rbac.authorization.k8s.io"


def olm(**changed: Any) -> dict[str, Any]:
    """olm.yaml with what is required; None takes a key out."""
    content = {
        "name": "tea.v1.2.3",
        "version": "1.2.3",
        "minKubeVersion": "1.27.0",
        "installModes": [
            {"type": "AllNamespaces", "supported": True},
            {"type": "OwnNamespace", "supported": True},
        ],
        **changed,
    }
    return {key: value for key, value in content.items() if value is not None}


def deployment(name: str = "tea", account: str | None = "tea", **pod: Any) -> dict[str, Any]:
    """A Deployment."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {
            **({"serviceAccountName": account} if account else {}),
            "containers": [{"name": "manager", "image": "registry.example.com/tea:1.2.3", "args": ["--brew"]}],
            **pod,
        },
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": {"a": "b"}},
        "spec": spec,
    }


def rule(group: str = "", resource: str = "pods", *verbs: str, **more: Any) -> dict[str, Any]:
    """A rule."""
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs or ("get",)), **more}


def role(name: str, *rules: Mapping[str, Any], kind: str = "ClusterRole", **more: Any) -> dict[str, Any]:
    """A role."""
    labels = more.pop("labels", None)
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata, "rules": list(rules), **more}


def binding(
    name: str,
    *accounts: str,
    kind: str = "ClusterRoleBinding",
    role_kind: str | None = None,
    to: str | None = None,
    optional: bool = False,
    subjects: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A binding of a role, of the same name unless told otherwise, to service accounts."""
    annotations = {"operators.operatorframework.io.bundle.dependency": "optional"}
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {"name": name, **({"annotations": annotations} if optional else {})},
        "roleRef": {"apiGroup": RBAC, "kind": role_kind or kind.removesuffix("Binding"), "name": to or name},
        "subjects": [
            *({"kind": "ServiceAccount", "name": account, "namespace": "elsewhere"} for account in accounts),
            *subjects,
        ],
    }


def service(name: str = "tea-webhook", app: str = "tea", **port: Any) -> dict[str, Any]:
    """A Service in front of a Deployment."""
    ports = [{"port": 443, "targetPort": 9443, **port}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": {"app": app}, "ports": ports},
    }


def webhooks(kind: str = "ValidatingWebhookConfiguration", **changed: Any) -> dict[str, Any]:
    """A webhook configuration with one webhook."""
    webhook = {
        "name": "vtea.drinks.example.com",
        "clientConfig": {"service": {"name": "tea-webhook", "namespace": "elsewhere", "path": "/v", "port": 443}},
        "rules": [
            {
                "apiGroups": ["drinks.example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["teas"],
            }
        ],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "admissionReviewVersions": ["v1"],
        **changed,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "tea"},
        "webhooks": [webhook],
    }


def api_service(group: str = "cups.example.com", version: str = "v1") -> dict[str, Any]:
    """An APIService."""
    spec = {
        "group": group,
        "version": version,
        "service": {"name": "tea-webhook", "namespace": "elsewhere", "port": 443},
    }
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"{version}.{group}"},
        "spec": spec,
    }


def crd(plural: str = "teas", group: str = "drinks.example.com", **spec: Any) -> dict[str, Any]:
    """A CustomResourceDefinition."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": plural.capitalize().removesuffix("s"), "plural": plural},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
            **spec,
        },
    }


def write(
    root: Path, metadata: Any, *manifests: Any, files: Mapping[str, str] | None = None, image: bool = False
) -> Path:
    """A bundle in a directory, flat or as in an image; all manifests in one stream."""
    prefix, place = ("metadata/", "manifests/") if image else ("", "")
    written = {f"{prefix}olm.yaml": metadata if isinstance(metadata, str) else yaml.safe_dump(metadata)}
    if manifests:
        written[f"{place}all.yaml"] = yaml.safe_dump_all(manifests)
    if image:
        prefixed = "operators.operatorframework.io.bundle"
        annotations = {f"{prefixed}.mediatype.v1": "k8s+v1", f"{prefixed}.package.v1": "tea"}
        written["metadata/annotations.yaml"] = yaml.safe_dump({"annotations": annotations})
    for name, text in {**written, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def effective(manifests: Iterable[Mapping[str, Any]]) -> set[Grant]:
    """What service accounts may do by roles and bindings, gathered roles included, as an API server would see it."""
    listed = list(manifests)
    roles = {(item["kind"], item["metadata"]["name"]): item for item in listed if item["kind"].endswith("Role")}
    found: set[Grant] = set()
    for item in listed:
        if not item["kind"].endswith("Binding"):
            continue
        bound = roles.get((item["roleRef"]["kind"], item["roleRef"]["name"]))
        if bound is None:
            continue
        rules = list(bound.get("rules") or ())
        for selector in (bound.get("aggregationRule") or {}).get("clusterRoleSelectors", ()):
            wanted = selector["matchLabels"].items()
            rules += [
                one
                for (kind, _name), other in roles.items()
                if kind == "ClusterRole" and wanted <= (other["metadata"].get("labels") or {}).items()
                for one in other["rules"]
            ]
        scope = "everywhere" if item["kind"] == "ClusterRoleBinding" else HOME
        for subject in item["subjects"]:
            if subject["kind"] == "ServiceAccount":
                found |= grants_of(rules, scope, subject["name"])
    return found
