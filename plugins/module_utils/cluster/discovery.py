# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What APIs a cluster serves, from one aggregated discovery request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import NotKubernetes
from ..nested import at, mappings, texts

# Aggregated discovery: v2 from Kubernetes 1.30 on, v2beta1 from 1.27 on.
AGGREGATED = ",".join(
    f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList" for version in ("v2", "v2beta1")
)


@dataclass(frozen=True)
class Resource:
    """One resource of the API, as a path is made of it."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]

    @property
    def path(self) -> tuple[str, str, str]:
        return self.group, self.version, self.plural


@dataclass(frozen=True)
class Discovery:
    """The named API groups of a cluster (not the core group, which every cluster serves alike)."""

    resources: tuple[Resource, ...]
    # What is not served yet, and will be by the time that it is needed.
    expected: frozenset[tuple[str, str, str]] = frozenset()

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], tuple[Resource, ...]]:
        found: dict[tuple[str, str], tuple[Resource, ...]] = {}
        for resource in self.resources:
            key = (resource.group, resource.plural)
            found[key] = (*found.get(key, ()), resource)
        return found

    def served(self, group: str, plural: str) -> tuple[Resource, ...]:
        """A resource in each version that is served, the preferred one first; empty where there is none."""
        return self._by_name.get((group, plural), ())

    def in_group(self, group: str) -> tuple[Resource, ...]:
        """All resources of a group, in all versions."""
        return tuple(resource for resource in self.resources if resource.group == group)

    def expecting(self, resources: Iterable[Resource]) -> Discovery:
        """The same once these are served, too."""
        served = {resource.path for resource in self.resources}
        new = [resource for resource in resources if resource.path not in served]
        return Discovery((*self.resources, *new), self.expected.union(resource.path for resource in new))


def parse_discovery(document: Mapping[str, Any], cluster: str) -> Discovery:
    """What an answer to `/apis` says, asked for with `Accept: AGGREGATED`."""
    if document.get("kind") == "APIGroupList":
        raise NotKubernetes(
            f"cluster {cluster} does not offer aggregated discovery; fleet.olm needs Kubernetes 1.27 or newer"
        )
    if document.get("kind") != "APIGroupDiscoveryList":
        raise NotKubernetes(f"{cluster} does not list its APIs as a Kubernetes API server does; check the address")
    return Discovery(
        tuple(
            resource
            for group in mappings(document.get("items"))
            for version in mappings(group.get("versions"))
            for resource in _resources(group, version)
        )
    )


def _resources(group: Mapping[str, Any], version: Mapping[str, Any]) -> list[Resource]:
    return [
        Resource(
            group=str(at(group, "metadata", "name") or ""),
            version=str(version.get("version", "")),
            plural=str(item["resource"]),
            kind=str(at(item, "responseKind", "kind") or ""),
            namespaced=item.get("scope") == "Namespaced",
            verbs=tuple(texts(item.get("verbs"))),
        )
        for item in mappings(version.get("resources"))
        if item.get("resource")
    ]
