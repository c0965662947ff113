# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a ClusterExtension put on the cluster, found by the labels that OLM v1 gives to every object; they stay when it goes.

One request for each kind that bundles can hold and the cluster serves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..cluster.client import JSON, METADATA_ONLY, Client
from ..cluster.objects import Collection, ObjectKey, collection_of
from ..direct.observe import at_once
from ..direct.order import DEFINITIONS
from ..direct.ownership import EXTENSION
from ..errors import Forbidden, NotFound
from ..nested import at, mappings
from .api import owned_by
from .revisions import revisions_of

# The kinds that OLM v1 renders or lets bundles ship, by the group that they are of.
KINDS: Mapping[str, tuple[str, ...]] = {
    "": ("v1", "ConfigMap", "Secret", "Service", "ServiceAccount"),
    "admissionregistration.k8s.io": ("v1", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    "apiextensions.k8s.io": ("v1", DEFINITIONS),
    "apps": ("v1", "Deployment"),
    "autoscaling.k8s.io": ("v1", "VerticalPodAutoscaler"),
    "cert-manager.io": ("v1", "Certificate", "Issuer"),
    "console.openshift.io": (
        "v1",
        "ConsoleCLIDownload",
        "ConsoleLink",
        "ConsolePlugin",
        "ConsoleQuickStart",
        "ConsoleYAMLSample",
    ),
    "monitoring.coreos.com": ("v1", "PodMonitor", "PrometheusRule", "ServiceMonitor"),
    "networking.k8s.io": ("v1", "NetworkPolicy"),
    "policy": ("v1", "PodDisruptionBudget"),
    "rbac.authorization.k8s.io": ("v1", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "scheduling.k8s.io": ("v1", "PriorityClass"),
}
# Of these more than the metadata is needed: conversion, aggregation, and the Secret of a Certificate.
_WHOLE = frozenset({DEFINITIONS, "ClusterRole", "Certificate"})

_RELEASE_TYPES = ("operatorframework.io/index.v1", "operatorframework.io/chunk.v1")
_SECRETS = Collection("", "v1", "secrets", "Secret")


def owned_objects(client: Client, name: str) -> dict[ObjectKey, Mapping[str, Any]]:
    """The objects of a ClusterExtension, of most of them the metadata only. What was handed over to bundle_install is not among them."""
    places = [place for place in _places(client) if place is not None]

    def listed(place: Collection) -> list[tuple[ObjectKey, Mapping[str, Any]]]:
        accept = JSON if place.kind in _WHOLE else METADATA_ONLY
        try:
            items = list(client.each(place.path, {"labelSelector": owned_by(name)}, accept=accept))
        except NotFound:
            return []
        return [(_key(place, item), item) for item in items]

    found = {key: item for items in at_once(listed, places) for key, item in items}
    return {key: item for key, item in found.items() if EXTENSION not in (at(item, "metadata", "labels") or {})}


def _places(client: Client) -> list[Collection | None]:
    discovery = client.discovery()
    places = []
    for group, (version, *kinds) in KINDS.items():
        api_version = f"{group}/{version}" if group else version
        places += [collection_of(api_version, kind, "", discovery) for kind in kinds]
    return places


def _key(place: Collection, item: Mapping[str, Any]) -> ObjectKey:
    namespace = str(at(item, "metadata", "namespace") or "")
    exact = Collection(place.group, place.version, place.plural, place.kind, namespace)
    return ObjectKey(exact, str(at(item, "metadata", "name")))


def release_records(client: Client, name: str) -> tuple[dict[ObjectKey, Mapping[str, Any]], str]:
    """The Secrets in which operator-controller remembers what it installed, and a warning where we may not look for them.

    Left behind, they would make a later ClusterExtension of this name begin where the old one ended.
    """
    found: dict[ObjectKey, Mapping[str, Any]] = {}
    prefix = f"sh.helm.release.v1.{name}.v"
    for kind in _RELEASE_TYPES:
        try:
            items = list(client.each(_SECRETS.path, {"fieldSelector": f"type={kind}"}, accept=METADATA_ONLY))
        except Forbidden:
            return {}, (
                f"the Secrets {prefix}* in operator-controller's namespace may stay, because we may not list Secrets; a ClusterExtension {name} that is "
                "created later is then taken for an upgrade"
            )
        for item in items:
            secret = str(at(item, "metadata", "name") or "")
            # An extension may be called as another one with a version behind it.
            if re.fullmatch(rf"{re.escape(prefix)}\d+(-[a-z0-9]+)?", secret):
                found[_key(_SECRETS, item)] = item
    return found, ""


def object_sets(client: Client, name: str, live: Mapping[str, Any] | None) -> list[str]:
    """Why an extension cannot be let go of: revisions of OLM v1's newer way to apply hold its objects. `live` is the ClusterExtension.

    They delete what they hold when they go, and put back what is missing while they are there, the ClusterExtension or no.
    """
    there = revisions_of(client, name, live)
    active = {str(item.get("name")) for item in mappings(at(live, "status", "activeRevisions"))}
    unseen = sorted(active - {key.name for key in there})
    return [
        f"{item} holds its objects, and deletes them with CRDs and custom resources when it goes; OLM v1 has no way yet to take it away without that"
        for item in (*there, *(f"ClusterObjectSet {revision}" for revision in unseen))
    ]
