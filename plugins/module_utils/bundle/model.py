# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle: one version of an operator as shipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..nested import at, mappings

REGISTRY_V1 = "registry+v1"
K8S_V1 = "k8s+v1"
HELM = "helm"
# Formats with a ClusterServiceVersion, brought or synthesised: what follows from one is the same for all of them.
WITH_CSV = (REGISTRY_V1, K8S_V1)
# Operators hand the images that they will start to themselves in variables of this name.
RELATED_IMAGE_PREFIX = "RELATED_IMAGE_"
INSTALL_MODES = ("AllNamespaces", "MultiNamespace", "OwnNamespace", "SingleNamespace")

Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class Bundle:
    """What was read from a bundle. Its data is as OLM v1 holds it after reading: typed, pruned, canonical."""

    package: str
    csv: Manifest
    crds: tuple[Manifest, ...] = ()
    others: tuple[Manifest, ...] = ()
    format: str = REGISTRY_V1
    annotations: Mapping[str, str] | None = None
    brought_schema: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    # What was inferred from plain manifests and has no place in a ClusterServiceVersion.
    inferred: Mapping[str, Any] | None = None
    # Annotations of the Deployments themselves, by name. A ClusterServiceVersion has no place for them, plain manifests have.
    deployment_annotations: Mapping[str, Mapping[str, str]] | None = None

    @property
    def name(self) -> str:
        """The name of the ClusterServiceVersion, such as argocd-operator.v0.6.0."""
        return str(at(self.csv, "metadata", "name") or "")

    @property
    def version(self) -> str:
        return str(at(self.csv, "spec", "version") or "0.0.0")

    @cached_property
    def supported_install_modes(self) -> tuple[str, ...]:
        """Sorted by name, as OLM v1 lists them."""
        modes = mappings(at(self.csv, "spec", "installModes"))
        return tuple(sorted({str(mode.get("type", "")) for mode in modes if mode.get("supported")}))

    @cached_property
    def deployments(self) -> list[Mapping[str, Any]]:
        """The deployments of the install strategy: name, spec, label."""
        return mappings(at(self.csv, "spec", "install", "spec", "deployments"))

    @cached_property
    def permissions(self) -> list[Mapping[str, Any]]:
        """What service accounts may do in the watched namespaces."""
        return mappings(at(self.csv, "spec", "install", "spec", "permissions"))

    @cached_property
    def cluster_permissions(self) -> list[Mapping[str, Any]]:
        """What service accounts may do everywhere."""
        return mappings(at(self.csv, "spec", "install", "spec", "clusterPermissions"))

    @cached_property
    def webhooks(self) -> list[Mapping[str, Any]]:
        return mappings(at(self.csv, "spec", "webhookdefinitions"))

    @cached_property
    def owned_crds(self) -> list[Mapping[str, Any]]:
        return mappings(at(self.csv, "spec", "customresourcedefinitions", "owned"))
