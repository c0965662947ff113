# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which APIs a bundle provides, requires and can do without, inferred from its manifests.

RBAC names groups and resources, APIs have versions and kinds. What leads from one to the other is never guessed: the
bundle's own CustomResourceDefinitions, the Kubernetes API, and what olm.yaml says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..kubernetes.resources import built_in
from ..nested import at, mappings, texts
from .access import Permission
from .files import Placed
from .olm_yaml import Api, Metadata


@dataclass(frozen=True, order=True)
class NamedApi:
    """An API by the names that RBAC and everybody else have for it."""

    group: str
    resource: str
    version: str
    kind: str
    built_in: bool = False


@dataclass
class Inferred:
    """The APIs of a bundle. `unknown` are resources whose kind nothing says, with the place that names them."""

    required: list[NamedApi] = field(default_factory=list)
    optional: list[NamedApi] = field(default_factory=list)
    unknown: dict[tuple[str, str], str] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)
    # Resources of the bundle's aggregated APIs that RBAC names, by group and kind.
    served: dict[tuple[str, str], str] = field(default_factory=dict)


def infer(
    permissions: Iterable[Permission],
    crds: Iterable[Placed],
    served: Iterable[tuple[str, str]],
    metadata: Metadata,
) -> Inferred:
    """What follows from the permissions of the deployments' service accounts."""
    own_groups = {str(at(crd.manifest, "spec", "group") or "") for crd in crds}
    served_groups = {group for group, _version in served}
    found = Inferred()
    wanted: dict[tuple[str, str], tuple[bool, str]] = {}
    for permission in permissions:
        for rule in permission.rules:
            found.urls += [url for url in texts(rule.get("nonResourceURLs")) if url not in found.urls]
            for group in texts(rule.get("apiGroups")):
                for resource in texts(rule.get("resources")):
                    key = (group, resource.partition("/")[0])
                    optional, place = wanted.get(key, (True, permission.place))
                    wanted[key] = (optional and permission.optional, place)
    for (group, resource), (optional, place) in sorted(wanted.items()):
        if not group or group.endswith(".k8s.io") or group in own_groups:
            continue
        api = _named(group, resource, (*metadata.apis, *metadata.api_dependencies))
        if api is None:
            found.unknown[(group, resource)] = place
        elif group in served_groups:
            found.served[(group, api.kind)] = resource
        else:
            (found.optional if optional else found.required).append(api)
    return found


def _named(group: str, resource: str, described: Iterable[Api]) -> NamedApi | None:
    standard = built_in(group, resource)
    if standard:
        return NamedApi(group, resource, *standard, built_in=True)
    for api in described:
        if api.group == group and resource == (api.name.partition(".")[0] or plural(api.kind)):
            return NamedApi(group, resource, api.version, api.kind)
    return None


def unused(
    metadata: Metadata, crds: Iterable[Placed], served: Iterable[tuple[str, str]], inferred: Inferred
) -> list[Api]:
    """What olm.yaml describes although the bundle neither provides nor uses it, so that nobody will see it."""
    provided = {
        (str(at(crd.manifest, "spec", "group") or ""), version, str(at(crd.manifest, "spec", "names", "kind") or ""))
        for crd in crds
        for version in served_versions(crd.manifest)
    }
    used = {(api.group, api.version, api.kind) for api in (*inferred.required, *inferred.optional)}
    groups = set(served)
    return [
        api
        for api in metadata.apis
        if (api.group, api.version, api.kind) not in provided | used and (api.group, api.version) not in groups
    ]


def plural(kind: str) -> str:
    """The resource of a kind, by the rule that Kubernetes has for kinds whose resource was not said."""
    lowered = kind.lower()
    if lowered.endswith("s"):
        return f"{lowered}es"
    return f"{lowered[:-1]}ies" if lowered.endswith("y") else f"{lowered}s"


def served_versions(crd: Mapping[str, Any]) -> list[str]:
    """The versions of a CustomResourceDefinition that clusters serve."""
    versions = mappings(at(crd, "spec", "versions"))
    return [str(version["name"]) for version in versions if version.get("served") and version.get("name")]


def as_data(api: NamedApi) -> dict[str, Any]:
    """An API as plain data."""
    return {"group": api.group, "version": api.version, "kind": api.kind, "resource": api.resource}
