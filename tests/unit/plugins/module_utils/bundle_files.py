# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles for tests, written to a directory: a small one that is valid, and what a test wants changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CERTIFICATES = ("/tmp/k8s-webhook-server/serving-certs", "/apiserver.local.config/certificates")  # noqa: S108


def bundle_csv(**spec: Any) -> dict[str, Any]:
    """A ClusterServiceVersion with one deployment; `spec` replaces fields of its spec."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "tea.v1.2.3", "annotations": {"capabilities": "Basic Install"}},
        "spec": {
            "displayName": "Tea",
            "version": "1.2.3",
            "installModes": install_modes("AllNamespaces", "OwnNamespace", "SingleNamespace"),
            "install": strategy(deployments=[deployment()]),
            **spec,
        },
    }


def strategy(**details: Any) -> dict[str, Any]:
    """An install strategy."""
    return {"strategy": "deployment", "spec": details}


def install_modes(*supported: str) -> list[dict[str, Any]]:
    """All install modes, some of them supported."""
    return [
        {"type": mode, "supported": mode in supported}
        for mode in ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
    ]


def deployment(name: str = "tea-operator", **pod: Any) -> dict[str, Any]:
    """A deployment of the install strategy; `pod` replaces fields of the pod's spec."""
    return {
        "name": name,
        "label": {"app": name},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "manager", "image": "registry.example/tea:1.2.3"}], **pod},
            },
        },
    }


def crd(name: str = "teas.drinks.example", **spec: Any) -> dict[str, Any]:
    """A CustomResourceDefinition."""
    plural, _dot, group = name.partition(".")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "names": {"kind": plural.capitalize(), "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
            ],
            **spec,
        },
    }


def webhook(
    kind: str = "ValidatingAdmissionWebhook", name: str = "vtea.drinks.example", **fields: Any
) -> dict[str, Any]:
    """A webhook definition."""
    return {
        "type": kind,
        "generateName": name,
        "deploymentName": "tea-operator",
        "containerPort": 443,
        "targetPort": 9443,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "webhookPath": "/validate",
        "rules": [
            {"apiGroups": ["drinks.example"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["teas"]}
        ],
        **fields,
    }


def write_bundle(
    root: Path,
    csv: Mapping[str, Any] | None = None,
    *manifests: Mapping[str, Any] | str,
    package: Any = "tea",
    files: Mapping[str, str | bytes] | None = None,
) -> Path:
    """A bundle in a directory; `files` are written last, so they may replace any other."""
    written: dict[str, str | bytes] = {
        "metadata/annotations.yaml": json.dumps(
            {
                "annotations": {
                    "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
                    "operators.operatorframework.io.bundle.package.v1": package,
                    "operators.operatorframework.io.bundle.channels.v1": "stable,fast",
                    "operators.operatorframework.io.bundle.channel.default.v1": "stable",
                }
            }
        ),
        "manifests/csv.yaml": json.dumps(csv if csv is not None else bundle_csv()),
    }
    for number, manifest in enumerate(manifests):
        written[f"manifests/object-{number}.yaml"] = manifest if isinstance(manifest, str) else json.dumps(manifest)
    for name, content in {**written, **(files or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root
