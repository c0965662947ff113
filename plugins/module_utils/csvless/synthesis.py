# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ClusterServiceVersion of a bundle that has none: olm.yaml and what its manifests say, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..bundle.properties import PROPERTIES_ANNOTATION, annotation, in_key_order, properties_in_annotation
from ..kubernetes.go_json import go_json
from ..nested import at
from .access import Permission
from .apis import Inferred, plural, served_versions
from .descriptors import described
from .files import Placed, as_mapping
from .olm_yaml import Api, Metadata
from .services import Serving

CSV_VERSION = "operators.coreos.com/v1alpha1"
_AS_THEY_ARE = (
    *("version", "maturity", "description", "minKubeVersion", "keywords", "maintainers", "provider", "links"),
    *("installModes", "replaces", "skips", "labels", "selector", "relatedImages"),
)


def synthesise(
    metadata: Metadata,
    deployments: Iterable[Placed],
    crds: Iterable[Placed],
    permissions: Iterable[Permission],
    serving: Serving,
    inferred: Inferred,
    problems: list[str],
) -> dict[str, Any]:
    """The ClusterServiceVersion, still to be read as its type reads it."""
    values = metadata.values
    spec: dict[str, Any] = {key: values[key] for key in _AS_THEY_ARE if key in values}
    spec["displayName"] = values.get("displayName") or metadata.package
    if values.get("icon"):
        icon = values["icon"]
        spec["icon"] = [{"base64data": icon, "mediatype": "image/png"}] if isinstance(icon, str) else icon
    spec["install"] = {"strategy": "deployment", "spec": _strategy(deployments, permissions)}
    spec.update(_apis(metadata, crds, serving, inferred, problems))
    if serving.webhooks:
        spec["webhookdefinitions"] = serving.webhooks
    annotations = _annotations(metadata)
    return {
        "apiVersion": CSV_VERSION,
        "kind": "ClusterServiceVersion",
        "metadata": {"name": metadata.name, **({"annotations": annotations} if annotations else {})},
        "spec": spec,
    }


def _strategy(deployments: Iterable[Placed], permissions: Iterable[Permission]) -> dict[str, Any]:
    out: dict[str, Any] = {"deployments": [_deployment(placed) for placed in deployments]}
    for permission in permissions:
        key = "clusterPermissions" if permission.everywhere else "permissions"
        entry = {"serviceAccountName": permission.account, "rules": list(permission.rules)}
        out.setdefault(key, []).append(entry)
    return out


def _deployment(placed: Placed) -> dict[str, Any]:
    labels = placed.metadata.get("labels")
    return {
        "name": placed.name,
        "spec": as_mapping(placed.manifest.get("spec")),
        **({"label": labels} if labels else {}),
    }


def _apis(
    metadata: Metadata, crds: Iterable[Placed], serving: Serving, inferred: Inferred, problems: list[str]
) -> dict[str, Any]:
    owned = [entry for crd in crds for entry in _owned(crd.manifest, metadata.apis)]
    required = [
        {
            "name": f"{api.resource}.{api.group}",
            "version": api.version,
            "kind": api.kind,
            **described(_description(metadata.apis, api.group, api.version, api.kind)),
        }
        for api in inferred.required
        if not api.built_in
    ]
    services = _api_services(metadata, serving, inferred, problems)
    native = [
        {"group": api.group, "version": api.version, "kind": api.kind} for api in inferred.required if api.built_in
    ]
    definitions = {key: value for key, value in (("owned", owned), ("required", required)) if value}
    return {
        **({"customresourcedefinitions": definitions} if definitions else {}),
        **({"apiservicedefinitions": {"owned": services}} if services else {}),
        **({"nativeAPIs": native} if native else {}),
    }


def _owned(crd: Mapping[str, Any], apis: Iterable[Api]) -> list[dict[str, Any]]:
    group, kind = str(at(crd, "spec", "group") or ""), str(at(crd, "spec", "names", "kind") or "")
    listed = list(apis)
    return [
        {
            "name": str(at(crd, "metadata", "name") or ""),
            "version": version,
            "kind": kind,
            **described(_description(listed, group, version, kind)),
        }
        for version in served_versions(crd)
    ]


def _description(apis: Iterable[Api], group: str, version: str, kind: str) -> Mapping[str, Any]:
    return next((api.description for api in apis if (api.group, api.version, api.kind) == (group, version, kind)), {})


def _api_services(
    metadata: Metadata, serving: Serving, inferred: Inferred, problems: list[str]
) -> list[dict[str, Any]]:
    out = []
    for (group, version), place in serving.api_services.items():
        apis = [api for api in metadata.apis if (api.group, api.version) == (group, version)]
        if not apis:
            problems.append(
                f"the APIService '{version}.{group}' serves kinds that only olm.yaml can name; list them there under 'apis'"
            )
        out += [
            {
                "group": group,
                "version": version,
                "kind": api.kind,
                "name": api.name.partition(".")[0] or inferred.served.get((group, api.kind)) or plural(api.kind),
                **place,
                **described(api.description),
            }
            for api in apis
        ]
    return out


def _annotations(metadata: Metadata) -> dict[str, str]:
    """The annotations of olm.yaml, dependencies among the properties: catalogs and OLM look for them there."""
    found = dict(metadata.values.get("annotations") or {})
    needed = [
        {"type": "olm.package.required", "value": {"packageName": item["packageName"], "versionRange": item["version"]}}
        for item in metadata.values.get("packageDependencies") or ()
    ]
    needed += [
        {"type": "olm.gvk.required", "value": {"group": api.group, "kind": api.kind, "version": api.version}}
        for api in metadata.api_dependencies
    ]
    if needed:
        present = found.get(PROPERTIES_ANNOTATION)
        texts = [
            *(properties_in_annotation(present) if present else ()),
            *(go_json(in_key_order(item)) for item in needed),
        ]
        found[PROPERTIES_ANNOTATION] = annotation(dict.fromkeys(texts))
    return found
