# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is in a namespace that would be lost with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.discovery import Resource
from ..cluster.objects import Collection, ObjectKey
from ..errors import ApiError, NotFound, NotKubernetes
from ..nested import mappings, texts
from .observe import at_once

# Controllers and the API server write them down about other objects.
_NOTES = frozenset(
    {("", "events"), ("events.k8s.io", "events"), ("", "endpoints"), ("discovery.k8s.io", "endpointslices")}
)
_BINDINGS = ("rbac.authorization.k8s.io", "authorization.openshift.io")
_ACCOUNTS = ("default", "builder", "deployer")
_CERTIFICATES = ("kube-root-ca.crt", "openshift-service-ca.crt")


def what_keeps(client: Client, namespace: str) -> str:
    """Why a namespace must not be deleted: something that is in it, or that could not be looked at; nothing where it is empty."""
    kinds = (*_core(client), *client.discovery().resources)
    inside = frozenset((kind.group, kind.kind) for kind in kinds if kind.namespaced)
    # The preferred version of a kind is the first, and the one that counts.
    asked = {(kind.group, kind.plural): kind for kind in reversed(kinds) if _is_stored_in_namespaces(kind)}

    def first(kind: Resource) -> str:
        place = Collection(kind.group, kind.version, kind.plural, kind.kind, namespace)
        try:
            for item in client.each(place.path, accept=METADATA_ONLY):
                metadata = item.get("metadata") or {}
                if not _goes_by_itself(metadata, inside) and not _comes_by_itself(kind, metadata):
                    return f"{ObjectKey(place, str(metadata.get('name')))} is in it"
        except NotFound:
            # A kind whose CRD we deleted a moment ago is no longer served: nothing of it is left.
            return ""
        except (ApiError, NotKubernetes) as error:
            # An API server passes on what the server of an aggregated API says, whatever that is.
            return f"{kind.plural} in it cannot be seen ({error})"
        return ""

    return next(filter(None, at_once(first, list(asked.values()))), "")


def _core(client: Client) -> list[Resource]:
    """The kinds of the core group, which aggregated discovery of named groups leaves out."""
    return [
        Resource(
            "",
            "v1",
            str(item["name"]),
            str(item.get("kind")),
            bool(item.get("namespaced")),
            (*texts(item.get("verbs")),),
        )
        for item in mappings(client.read("/api/v1").get("resources"))
        if "/" not in str(item.get("name") or "/")
    ]


def _is_stored_in_namespaces(kind: Resource) -> bool:
    """What cannot be deleted is not stored: aggregated APIs list measurements and offers as if they were objects."""
    return kind.namespaced and {"list", "delete"} <= set(kind.verbs) and (kind.group, kind.plural) not in _NOTES


def _goes_by_itself(metadata: Mapping[str, Any], inside: frozenset[tuple[str, str]]) -> bool:
    """Whether it is being deleted, or belongs to what is in the namespace itself and is looked at there; what a cluster-scoped object owns stays with that."""
    owners = mappings(metadata.get("ownerReferences"))
    kinds = [(str(item.get("apiVersion")).rpartition("/")[0], str(item.get("kind"))) for item in owners]
    return bool(metadata.get("deletionTimestamp")) or (bool(kinds) and inside.issuperset(kinds))


def _comes_by_itself(kind: Resource, metadata: Mapping[str, Any]) -> bool:
    """What controllers put into every namespace."""
    name, annotations = str(metadata.get("name")), metadata.get("annotations") or {}
    if kind.plural == "rolebindings":
        return kind.group in _BINDINGS and name.startswith("system:")
    return kind.group == "" and (
        (kind.plural == "configmaps" and name in _CERTIFICATES)
        or (kind.plural == "serviceaccounts" and name in _ACCOUNTS)
        or (kind.plural == "secrets" and annotations.get("kubernetes.io/service-account.name") in _ACCOUNTS)
    )
