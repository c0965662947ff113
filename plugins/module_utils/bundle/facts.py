# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to know about a bundle before it is installed, as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..nested import at, mappings, texts
from ..rbac.grants import EVERYWHERE
from ..rbac.shipped import shipped_roles
from ..rbac.words import is_service_account
from .model import INSTALL_MODES, RELATED_IMAGE_PREFIX, Bundle

SUGGESTED_NAMESPACE = "operatorframework.io/suggested-namespace"
BUNDLE_ANNOTATION = "operators.operatorframework.io.bundle"
RELEASE_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
RELEASE = rf"{RELEASE_PART}(?:\.{RELEASE_PART})*"
API_FIELDS = ("name", "kind", "version", "displayName", "description")


def bundle_facts(bundle: Bundle) -> dict[str, Any]:
    """All facts about a bundle."""
    annotations = at(bundle.csv, "metadata", "annotations") or {}
    return {
        "package": bundle.package,
        "name": bundle.name,
        "version": bundle.version,
        "release": release(bundle),
        "format": bundle.format,
        "display_name": at(bundle.csv, "spec", "displayName") or "",
        "channels": channels(bundle),
        "install_modes": {mode: mode in bundle.supported_install_modes for mode in INSTALL_MODES},
        "min_kube_version": at(bundle.csv, "spec", "minKubeVersion") or None,
        "suggested_namespace": annotations.get(SUGGESTED_NAMESPACE),
        "provided_apis": apis(bundle, "owned"),
        "required_apis": apis(bundle, "required"),
        "native_apis": native_apis(bundle),
        "optional_apis": [dict(api) for api in mappings(at(bundle.inferred, "optional_apis"))],
        "unknown_apis": [dict(api) for api in mappings(at(bundle.inferred, "unknown_apis"))],
        "images": images(bundle),
        "permissions": permissions(bundle),
        "webhooks": [dict(webhook) for webhook in bundle.webhooks],
        "certificates": sorted({str(webhook.get("deploymentName", "")) for webhook in bundle.webhooks}),
        "unsupported": unsupported(bundle),
        "warnings": list(bundle.warnings),
    }


def release(bundle: Bundle) -> str | None:
    """The release of the same version, which registry+v1 bundles have as build metadata where it reads as one."""
    build = bundle.version.partition("+")[2]
    return build if re.fullmatch(RELEASE, build) else None


def channels(bundle: Bundle) -> dict[str, Any]:
    """The channels that the bundle was built for; a catalog has the last word."""
    annotations = bundle.annotations or {}
    names = annotations.get(f"{BUNDLE_ANNOTATION}.channels.v1", "")
    return {
        "names": [name.strip() for name in names.split(",") if name.strip()],
        "default": annotations.get(f"{BUNDLE_ANNOTATION}.channel.default.v1") or None,
    }


def apis(bundle: Bundle, relation: str) -> dict[str, list[dict[str, Any]]]:
    """The custom resources and aggregated APIs that a bundle owns or requires."""
    crds = mappings(at(bundle.csv, "spec", "customresourcedefinitions", relation))
    services = mappings(at(bundle.csv, "spec", "apiservicedefinitions", relation))
    return {
        "crds": [{**chosen(crd, API_FIELDS), "group": str(crd.get("name", "")).partition(".")[2]} for crd in crds],
        "api_services": [chosen(service, (*API_FIELDS, "group", "deploymentName")) for service in services],
    }


def native_apis(bundle: Bundle) -> list[dict[str, Any]]:
    """What every cluster is to have by itself: kinds, and URLs that are no resources."""
    urls = texts(at(bundle.inferred, "non_resource_urls"))
    kinds = mappings(at(bundle.csv, "spec", "nativeAPIs"))
    return [*(dict(api) for api in kinds), *({"nonResourceURL": url} for url in urls)]


def chosen(source: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Some fields of a mapping."""
    return {field: source[field] for field in fields if field in source}


def images(bundle: Bundle) -> list[dict[str, Any]]:
    """Every image that the bundle names, once, with the places that name it."""
    places: dict[str, list[str]] = {}
    for image, place in image_places(bundle):
        places.setdefault(image, []).append(place)
    return [{"image": image, "used_by": used_by} for image, used_by in sorted(places.items())]


def image_places(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Each image, and where it stands."""
    for deployment in bundle.deployments:
        pod = at(deployment, "spec", "template", "spec") or {}
        for container in (*mappings(pod.get("initContainers")), *mappings(pod.get("containers"))):
            place = f"deployment {deployment.get('name', '')}, container {container.get('name', '')}"
            if container.get("image"):
                yield container["image"], place
            for variable in mappings(container.get("env")):
                if variable.get("name", "").startswith(RELATED_IMAGE_PREFIX) and variable.get("value"):
                    yield variable["value"], f"{place}, variable {variable['name']}"
    for related in mappings(at(bundle.csv, "spec", "relatedImages")):
        if related.get("image"):
            yield related["image"], f"related image {related.get('name', '')}"


def permissions(bundle: Bundle) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The rules of each service account: in the watched namespaces, and in the whole cluster. By bindings that the bundle ships,
    also in the namespace that it is installed in, and by `roles` whose rules it does not tell."""
    accounts: dict[str, dict[str, list[dict[str, Any]]]] = {}

    def add(account: str, where: str, found: Iterable[Mapping[str, Any]]) -> None:
        held = accounts.setdefault(account, {"namespaced": [], "cluster": []})
        held.setdefault(where, []).extend(map(dict, found))

    for scope, found in (("namespaced", bundle.permissions), ("cluster", bundle.cluster_permissions)):
        for permission in found:
            add(permission.get("serviceAccountName") or "default", scope, mappings(permission.get("rules")))
    for bound in shipped_roles(bundle):
        if is_service_account(bound.subject):
            add(bound.subject, "cluster" if bound.scope == EVERYWHERE else "install_namespace", bound.rules)
            if not bound.known:
                add(bound.subject, "roles", [{"kind": bound.kind, "name": bound.name, "scope": bound.scope}])
    return dict(sorted(accounts.items()))


def unsupported(bundle: Bundle) -> list[str]:
    """What the bundle needs and OLM v1 does not do; it renders the rest without a word."""
    owned = mappings(at(bundle.csv, "spec", "apiservicedefinitions", "owned"))
    return [
        f"the APIService '{service.get('version', '')}.{service.get('group', '')}' is not installed by OLM v1"
        for service in owned
    ]
