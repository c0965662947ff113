# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle as large operators ship them, made up: 14 objects, six of them CRDs of 200 kB each. Always the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import yaml

_CRD_BYTES = 215_000

_GROUP = "depot.example.com"
KINDS = ("Depot", "Shelf", "Parcel", "Carrier", "Route", "Label")
_PARTS = ("storage", "network", "security", "backup", "monitoring", "scheduling", "resources", "lifecycle", "template")
_PROSE = (
    "the controller applies this setting when the depot is created or changed and reports the outcome in its conditions "
    "values outside of the allowed range are refused an empty value means that the default of the release counts "
    "changing it restarts the affected pods one after the other so that at least one of them keeps serving"
)
_WORDS = tuple(_PROSE.split())


def write_bundle(directory: Path, *, name: str = "depot", kinds: Sequence[str] = KINDS) -> Path:
    """Write the bundle in the format registry+v1, with a CRD for each of the kinds; the directory that it is in."""
    files: dict[str, Any] = {"metadata/annotations.yaml": _annotations(name), "manifests/csv.yaml": _csv(name, kinds)}
    files |= {f"manifests/{crd['metadata']['name']}.yaml": crd for crd in map(_crd, kinds)}
    files |= {f"manifests/{item['kind'].lower()}.yaml": item for item in _others()}
    for path, content in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8")
    return directory


def _annotations(package: str) -> dict[str, Any]:
    prefix = "operators.operatorframework.io.bundle"
    return {
        "annotations": {
            f"{prefix}.mediatype.v1": "registry+v1",
            f"{prefix}.manifests.v1": "manifests/",
            f"{prefix}.metadata.v1": "metadata/",
            f"{prefix}.package.v1": package,
            f"{prefix}.channels.v1": "stable",
            f"{prefix}.channel.default.v1": "stable",
        }
    }


def _csv(package: str, kinds: Sequence[str]) -> dict[str, Any]:
    name, app = "app.kubernetes.io/name", "depot"
    container = {
        "name": "manager",
        "image": "registry.example.com/depot/manager:2.4.0",
        "args": ["--leader-elect"],
        "ports": [{"name": "metrics", "containerPort": 8443, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
    }
    template = {"metadata": {"labels": {name: app}}, "spec": {"serviceAccountName": "depot", "containers": [container]}}
    deployment = {"replicas": 1, "selector": {"matchLabels": {name: app}}, "template": template}
    own = {"apiGroups": [_GROUP], "resources": ["*"], "verbs": ["*"]}
    workloads = {"apiGroups": ["apps"], "resources": ["deployments", "statefulsets"], "verbs": ["get", "list", "watch"]}
    leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get", "create", "update"]}
    modes = {"OwnNamespace": True, "SingleNamespace": True, "MultiNamespace": False, "AllNamespaces": False}
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"{package}.v2.4.0"},
        "spec": {
            "displayName": "Depot",
            "version": "2.4.0",
            "installModes": [{"type": mode, "supported": supported} for mode, supported in modes.items()],
            "customresourcedefinitions": {
                "owned": [{"name": f"{_plural(kind)}.{_GROUP}", "kind": kind, "version": "v1"} for kind in kinds]
            },
            "install": {
                "strategy": "deployment",
                "spec": {
                    "permissions": [{"serviceAccountName": "depot", "rules": [leases]}],
                    "clusterPermissions": [{"serviceAccountName": "depot", "rules": [own, workloads]}],
                    "deployments": [{"name": "depot-manager", "label": {name: app}, "spec": deployment}],
                },
            },
        },
    }


def _others() -> tuple[dict[str, Any], ...]:
    metrics = {"name": "metrics", "port": 8443, "targetPort": "metrics", "protocol": "TCP"}
    return (
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "depot-metrics"},
            "spec": {"selector": {"app.kubernetes.io/name": "depot"}, "ports": [metrics]},
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "depot-settings"},
            "data": {"settings.yaml": "shelves: 12\nparcels: 400\n"},
        },
    )


def _plural(kind: str) -> str:
    return {"Shelf": "shelves"}.get(kind, f"{kind.lower()}s")


def _crd(kind: str) -> dict[str, Any]:
    """Sections are added until it is as large as it should be."""
    spec: dict[str, Any] = {}
    status = {"type": "object", "properties": {"conditions": _conditions()}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}, "status": status}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    size, serial = 0, count(len(kind))
    for number in count():
        name = f"{_PARTS[number % len(_PARTS)]}{number // len(_PARTS) or ''}"
        section = _section(serial, 3)
        size += len(json.dumps(section))
        if size > _CRD_BYTES:
            break
        spec[name] = section
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{_plural(kind)}.{_GROUP}"},
        "spec": {
            "group": _GROUP,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": _plural(kind),
                "singular": kind.lower(),
            },
            "scope": "Namespaced",
            "versions": [{**version, "subresources": {"status": {}}}],
        },
    }


def _section(serial: Iterator[int], depth: int) -> dict[str, Any]:
    """An object with some fields of every sort that real schemas have, and smaller ones inside."""
    leaves = {f"{sort}{next(serial) % 7}": _leaf(sort, next(serial)) for sort in ("name", "size", "count", "mode")}
    properties = {
        **leaves,
        "enabled": {"type": "boolean", "default": True, "description": _prose(next(serial))},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "description": _prose(next(serial))},
        "limit": {
            "anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": True,
            "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))([KMGTPE]i)?$",
            "description": _prose(next(serial)),
        },
    }
    if depth:
        properties["rules"] = {"type": "array", "items": _section(serial, depth - 1), "description": "Rules in order."}
        properties["policy"] = _section(serial, depth - 1)
    required = sorted(leaves)[:1]
    return {"type": "object", "description": _prose(next(serial)), "properties": properties, "required": required}


def _leaf(sort: str, number: int) -> dict[str, Any]:
    common = {"description": _prose(number)}
    if sort == "count":
        return {**common, "type": "integer", "format": "int32", "minimum": 0, "maximum": 100 + number}
    if sort == "mode":
        return {**common, "type": "string", "enum": ["Always", "IfNotPresent", "Never"]}
    if sort == "name":
        return {**common, "type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}
    return {**common, "type": "array", "items": {"type": "string", "minLength": 1}}


def _prose(number: int) -> str:
    """A sentence or two, of 10 to 30 words."""
    words = [_WORDS[(number * 7 + step) % len(_WORDS)] for step in range(10 + number % 21)]
    return " ".join(words).capitalize() + "."


def _conditions() -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in ("type", "status", "reason", "message")}
    item = {"type": "object", "properties": properties, "required": ["type", "status"]}
    return {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
