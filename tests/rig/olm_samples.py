# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The packages that the scenarios of OLM v1 were recorded with, and those of the examples, as an OperatorController finds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .operator_controller import Shelf

CATALOG = "127.0.0.1:15000/catalog:1"
_MODES = ("AllNamespaces", "SingleNamespace", "OwnNamespace")
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Sample:
    """A small bundle. Without `fields` it has no CRD; with them, they are those of its CRD's spec. `more` are manifests that it ships."""

    package: str
    version: str
    modes: tuple[str, ...] = _MODES
    fields: Mapping[str, Any] | None = None
    min_kube_version: str = ""
    more: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.package}.v{self.version}"


_COLOR: Mapping[str, Any] = {"color": {"type": "string"}}
_SIZE: Mapping[str, Any] = {"size": {"type": "integer"}}
# Widgets: 1.0.0 is deprecated, and in 2.0.0 the CRD has lost a field. Gadgets are for their own namespace only.
WIDGETS = (
    Sample("widgets", "1.0.0", fields={**_COLOR, **_SIZE}),
    Sample("widgets", "1.1.0", fields={**_COLOR, **_SIZE}),
    Sample("widgets", "2.0.0", fields=_SIZE),
)
GADGETS = (Sample("gadgets", "1.0.0", ("OwnNamespace",)),)


def recorded_shelf(directory: Path) -> Shelf:
    """The packages of the recording."""
    return make_shelf(directory, (*WIDGETS, *GADGETS), _image)


def make_shelf(directory: Path, samples: Sequence[Sample], image_of: Callable[[Sample], str]) -> Shelf:
    """Bundles, and a catalog in which each version of a package replaces the one before."""
    bundles = {image_of(sample): str(write_bundle(directory, sample)) for sample in samples}
    blobs: list[Mapping[str, Any]] = []
    for package in dict.fromkeys(sample.package for sample in samples):
        names = [sample.name for sample in samples if sample.package == package]
        entries = [
            {"name": name, **({"replaces": before} if before else {})}
            for before, name in zip(["", *names], names, strict=False)
        ]
        blobs.append({"schema": "olm.package", "name": package, "defaultChannel": "stable"})
        blobs.append({"schema": "olm.channel", "package": package, "name": "stable", "entries": entries})
    blobs += [_blob(sample, image_of(sample)) for sample in samples]
    reference = {"schema": "olm.bundle", "name": "widgets.v1.0.0"}
    entry = {"reference": reference, "message": "widgets.v1.0.0 is no longer maintained"}
    blobs.append({"schema": "olm.deprecations", "package": "widgets", "entries": [entry]})
    catalog = directory / "catalog"
    catalog.mkdir(parents=True)
    (catalog / "catalog.json").write_text("".join(json.dumps(blob) + "\n" for blob in blobs), encoding="utf-8")
    return Shelf({CATALOG: str(catalog)}, bundles)


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


def _image(sample: Sample) -> str:
    digest = hashlib.sha256(sample.version.encode()).hexdigest()
    return f"127.0.0.1:15000/bundles/{sample.package}@sha256:{digest}"


def _blob(sample: Sample, image: str) -> dict[str, Any]:
    value = {"packageName": sample.package, "version": sample.version}
    properties = [{"type": "olm.package", "value": value}]
    identity = {"schema": "olm.bundle", "package": sample.package, "name": sample.name}
    return {**identity, "image": image, "properties": properties}


def write_bundle(directory: Path, sample: Sample) -> Path:
    """A bundle with a Deployment, permissions and, where it has fields, a CRD."""
    package, version, fields = sample.package, sample.version, sample.fields
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
            "installModes": [{"type": mode, "supported": mode in sample.modes} for mode in _MODES],
            "install": {"strategy": "deployment", "spec": {"deployments": [deployment], **grants}},
            "customresourcedefinitions": {"owned": owned},
            **({"minKubeVersion": sample.min_kube_version} if sample.min_kube_version else {}),
        },
    }
    prefix = "operators.operatorframework.io.bundle."
    annotations = {
        f"{prefix}mediatype.v1": "registry+v1",
        f"{prefix}package.v1": package,
        f"{prefix}channels.v1": "stable",
    }
    files: dict[str, Any] = {"metadata/annotations.yaml": {"annotations": annotations}, "manifests/csv.yaml": csv}
    files |= {f"manifests/more-{number}.yaml": manifest for number, manifest in enumerate(sample.more)}
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
