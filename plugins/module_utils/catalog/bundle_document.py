# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The olm.bundle document of a bundle, with the properties and related images that opm writes for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..bundle.model import K8S_V1, WITH_CSV, Bundle
from ..bundle.properties import PROPERTIES_ANNOTATION
from ..bundle.yaml_text import parse_document
from ..csvless.files import read_dependencies_file
from ..errors import OptionError
from ..nested import at, mappings
from .model import BUNDLE, CSV_METADATA, MEDIATYPE, PACKAGE_PROPERTY

_REQUIRED = {"olm.package": "olm.package.required", "olm.gvk": "olm.gvk.required"}
# Fields of a ClusterServiceVersion's spec that catalogs show, and their names there. Those that are structures are there even when empty.
_SPEC_FIELDS = {
    "apiservicedefinitions": "apiServiceDefinitions",
    "customresourcedefinitions": "crdDescriptions",
    "description": "description",
    "displayName": "displayName",
    "installModes": "installModes",
    "keywords": "keywords",
    "links": "links",
    "maintainers": "maintainers",
    "maturity": "maturity",
    "minKubeVersion": "minKubeVersion",
    "nativeAPIs": "nativeAPIs",
    "provider": "provider",
}
_ALWAYS = ("apiServiceDefinitions", "crdDescriptions", "provider")


def bundle_document(bundle: Bundle, image: str, dependencies: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The document of a bundle that lies at an image."""
    if bundle.format not in WITH_CSV:
        raise OptionError(
            f"source: {bundle.package} has the format {bundle.format}; catalogs take {' and '.join(WITH_CSV)}"
        )
    properties = [*_properties(bundle, dependencies), {"type": CSV_METADATA, "value": csv_metadata(bundle)}]
    unique = {json.dumps(item, sort_keys=True): item for item in properties}
    return {
        "schema": BUNDLE,
        "name": bundle.name,
        "package": bundle.package,
        "image": image,
        "properties": sorted(
            unique.values(), key=lambda item: (item["type"], json.dumps(item["value"], sort_keys=True))
        ),
        "relatedImages": related_images(bundle, image),
    }


def read_dependencies(directory: Path) -> list[Mapping[str, Any]]:
    """What a bundle declares to depend on, from its metadata."""
    where, text = read_dependencies_file(directory)
    return mappings(at(parse_document(text, where, []), "dependencies")) if text.strip() else []


def _properties(bundle: Bundle, dependencies: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"type": PACKAGE_PROPERTY, "value": {"packageName": bundle.package, "version": bundle.version}}
    if bundle.format == K8S_V1:
        # Catalogs take a bundle that says nothing for registry+v1.
        yield {"type": MEDIATYPE, "value": bundle.format}
    for crd in bundle.crds:
        group, kind = at(crd, "spec", "group"), at(crd, "spec", "names", "kind")
        versions = [item.get("name") for item in mappings(at(crd, "spec", "versions"))] or [at(crd, "spec", "version")]
        for version in versions:
            yield _api("olm.gvk", group, kind, version)
    for service in mappings(at(bundle.csv, "spec", "apiservicedefinitions", "owned")):
        yield _api("olm.gvk", service.get("group"), service.get("kind"), service.get("version"))
    for crd in mappings(at(bundle.csv, "spec", "customresourcedefinitions", "required")):
        group = str(crd.get("name", "")).partition(".")[2]
        yield _api("olm.gvk.required", group, crd.get("kind"), crd.get("version"))
    for service in mappings(at(bundle.csv, "spec", "apiservicedefinitions", "required")):
        yield _api("olm.gvk.required", service.get("group"), service.get("kind"), service.get("version"))
    for dependency in dependencies:
        kind, value = str(dependency.get("type", "")), dependency.get("value")
        if kind == "olm.package":
            value = {"packageName": at(value, "packageName"), "versionRange": at(value, "version")}
        yield {"type": _REQUIRED.get(kind, kind), "value": value}
    for item in _declared(bundle):
        if item.get("type") != PACKAGE_PROPERTY:
            yield {"type": str(item.get("type", "")), "value": item.get("value")}


def _declared(bundle: Bundle) -> list[Mapping[str, Any]]:
    """Properties from the bundle's metadata and an annotation; the reader of bundles keeps both in the annotation."""
    text = at(bundle.csv, "metadata", "annotations", PROPERTIES_ANNOTATION)
    try:
        return mappings(json.loads(text)) if isinstance(text, str) else []
    except ValueError:
        return []


def _api(kind: str, group: Any, name: Any, version: Any) -> dict[str, Any]:
    return {"type": kind, "value": {"group": str(group or ""), "kind": str(name or ""), "version": str(version or "")}}


def csv_metadata(bundle: Bundle) -> dict[str, Any]:
    """What catalogs show of a ClusterServiceVersion."""
    spec = at(bundle.csv, "spec") or {}
    annotations = dict(at(bundle.csv, "metadata", "annotations") or {})
    annotations.pop(PROPERTIES_ANNOTATION, None)
    found: dict[str, Any] = {"annotations": annotations, "labels": dict(at(bundle.csv, "metadata", "labels") or {})}
    for field, name in _SPEC_FIELDS.items():
        found[name] = spec.get(field) or ({} if name in _ALWAYS else None)
    return {name: value for name, value in found.items() if value or name in _ALWAYS}


def related_images(bundle: Bundle, image: str) -> list[dict[str, str]]:
    """Every image that an installation pulls: those that are declared, the bundle's own, and those of its deployments."""
    listed = [
        {"name": str(item.get("name") or ""), "image": str(item.get("image") or "")}
        for item in mappings(at(bundle.csv, "spec", "relatedImages"))
    ]
    known = {item["image"] for item in listed}
    for found in (image, *_deployed(bundle)):
        if found and found not in known:
            known.add(found)
            listed.append({"name": "", "image": found})
    return sorted(listed, key=lambda item: item["image"])


def _deployed(bundle: Bundle) -> Iterator[str]:
    for deployment in bundle.deployments:
        template = at(deployment, "spec", "template", "spec")
        for container in (*mappings(at(template, "containers")), *mappings(at(template, "initContainers"))):
            yield str(container.get("image") or "")
