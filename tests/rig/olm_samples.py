# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The packages that the scenarios of OLM v1 were recorded with, and those of the examples, as an OperatorController finds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .operator_controller import Shelf

CATALOG = "127.0.0.1:15000/catalog:1"
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def recorded_shelf(directory: Path) -> Shelf:
    """Package widgets: 1.0.0 (deprecated), 1.1.0, and 2.0.0, whose CRD has lost a field. Package gadgets: for its own namespace only."""
    color, size = {"color": {"type": "string"}}, {"size": {"type": "integer"}}
    modes = ("AllNamespaces", "SingleNamespace", "OwnNamespace")
    bundles = {
        _image("widgets", "1.0.0"): _bundle(directory, "widgets", "1.0.0", modes, {**color, **size}),
        _image("widgets", "1.1.0"): _bundle(directory, "widgets", "1.1.0", modes, {**color, **size}),
        _image("widgets", "2.0.0"): _bundle(directory, "widgets", "2.0.0", modes, size),
        _image("gadgets", "1.0.0"): _bundle(directory, "gadgets", "1.0.0", ("OwnNamespace",), None),
    }
    blobs: list[Mapping[str, Any]] = []
    for package, versions in {"widgets": ("1.0.0", "1.1.0", "2.0.0"), "gadgets": ("1.0.0",)}.items():
        blobs.append({"schema": "olm.package", "name": package, "defaultChannel": "stable"})
        names = [f"{package}.v{version}" for version in versions]
        entries = [
            {"name": name, **({"replaces": before} if before else {})}
            for before, name in zip(["", *names], names, strict=False)
        ]
        blobs.append({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries})
        blobs += [_blob(package, version) for version in versions]
    reference = {"schema": "olm.bundle", "name": "widgets.v1.0.0"}
    entry = {"reference": reference, "message": "widgets.v1.0.0 is no longer maintained"}
    blobs.append({"schema": "olm.deprecations", "package": "widgets", "entries": [entry]})
    catalog = directory / "catalog"
    catalog.mkdir(parents=True)
    (catalog / "catalog.json").write_text("\n".join(json.dumps(blob) for blob in blobs), encoding="utf-8")
    return Shelf({CATALOG: str(catalog)}, {image: str(path) for image, path in bundles.items()})


def example_shelf() -> Shelf:
    """The catalog and the bundles of the examples."""
    registry = "registry.example.com"
    bundles = {
        f"{registry}/greeter-bundle:1.0.0": "greeter",
        f"{registry}/greeter-bundle:1.1.0": "greeter-1.1.0",
        f"{registry}/stamper-bundle:2.0.0": "stamper",
    }
    return Shelf(
        {f"{registry}/catalog:v1": str(_EXAMPLES / "catalog")},
        {image: str(_EXAMPLES / "bundles" / name) for image, name in bundles.items()},
    )


def _image(package: str, version: str) -> str:
    return f"127.0.0.1:15000/bundles/{package}@sha256:{hashlib.sha256(version.encode()).hexdigest()}"


def _blob(package: str, version: str) -> dict[str, Any]:
    value = {"packageName": package, "version": version}
    return {
        "schema": "olm.bundle",
        "package": package,
        "name": f"{package}.v{version}",
        "image": _image(package, version),
        "properties": [{"type": "olm.package", "value": value}],
    }


def _bundle(
    directory: Path, package: str, version: str, modes: tuple[str, ...], fields: Mapping[str, Any] | None
) -> Path:
    """A small bundle; without `fields` it has no CRD."""
    account = f"{package}-operator"
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]
    labels = {"app": account}
    container = {"name": "manager", "image": f"registry.example.com/{package}:{version}"}
    deployment = {
        "name": account,
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"serviceAccountName": account, "containers": [container]},
            },
        },
    }
    grants = {"permissions": [{"serviceAccountName": account, "rules": rules}]}
    grants["clusterPermissions"] = grants["permissions"]
    group, kind = "example.com", package.removesuffix("s").capitalize()
    owned = [{"name": f"{package}.{group}", "kind": kind, "version": "v1"}] if fields is not None else []
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"{package}.v{version}"},
        "spec": {
            "version": version,
            "installModes": [
                {"type": mode, "supported": mode in modes}
                for mode in ("AllNamespaces", "SingleNamespace", "OwnNamespace")
            ],
            "install": {"strategy": "deployment", "spec": {"deployments": [deployment], **grants}},
            "customresourcedefinitions": {"owned": owned},
        },
    }
    prefix = "operators.operatorframework.io.bundle."
    annotations = {
        f"{prefix}mediatype.v1": "registry+v1",
        f"{prefix}package.v1": package,
        f"{prefix}channels.v1": "stable",
    }
    files: dict[str, Any] = {"metadata/annotations.yaml": {"annotations": annotations}, "manifests/csv.yaml": csv}
    if fields is not None:
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": dict(fields)}}}
        files["manifests/crd.yaml"] = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{package}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {
                    "plural": package,
                    "singular": package.removesuffix("s"),
                    "kind": kind,
                    "listKind": f"{kind}List",
                },
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
            },
        }
    root = directory / "bundles" / f"{package}-{version}"
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return root
