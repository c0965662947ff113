# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What marks an object as part of an extension, and who else may own one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings

# A label, so that objects can be listed by it; the rest in annotations, which take longer texts.
EXTENSION = "fleet.olm/extension"
NAMESPACE = "fleet.olm/namespace"
REVISION = "fleet.olm/revision"
CREATED_FOR = "fleet.olm/created-for"


@dataclass(frozen=True)
class Extension:
    """An extension: its name, and the namespace it is installed in."""

    name: str
    namespace: str

    @property
    def selector(self) -> str:
        """Selects the objects of extensions of that name."""
        return f"{EXTENSION}={self.name}"

    @property
    def manager(self) -> str:
        """The field manager: one for each extension, so that the API server itself keeps two of them apart."""
        return f"fleet.olm/{self.name}"

    def __str__(self) -> str:
        return f"extension {self.name} in namespace {self.namespace}"


def stamped(manifest: Mapping[str, Any], extension: Extension, revision: int) -> dict[str, Any]:
    """The manifest as it is applied: marked with the extension, and with the revision that put it there last."""
    metadata = dict(manifest["metadata"])
    metadata["labels"] = {**(metadata.get("labels") or {}), EXTENSION: extension.name}
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}),
        NAMESPACE: extension.namespace,
        REVISION: str(revision),
    }
    return {**manifest, "metadata": metadata}


@dataclass(frozen=True)
class Owner:
    """Who an object belongs to. `extension` is set for extensions of the direct engine, `cluster_extension` is the name of one of OLM v1, `described` is
    for messages."""

    described: str
    extension: Extension | None = None
    advice: str = ""
    cluster_extension: str = ""


def owner_of(live: Mapping[str, Any]) -> Owner | None:
    """The owner that an object names in its metadata; None where it names none."""
    metadata = at(live, "metadata")
    labels, annotations = at(metadata, "labels") or {}, at(metadata, "annotations") or {}
    if labels.get(EXTENSION):
        extension = Extension(str(labels[EXTENSION]), str(annotations.get(NAMESPACE) or ""))
        return Owner(str(extension), extension, "remove it there first, or leave the object to that extension")
    for found in (
        _cluster_extension(labels),
        _olm_v0(labels, metadata),
        _argo_cd(annotations, labels),
        _flux(labels),
        _helm(annotations),
        _controller(metadata),
    ):
        if found is not None:
            return found
    return None


def belongs_to(metadata: Mapping[str, Any], extension: Extension, recorded_uid: str = "") -> bool:
    """Whether an object is of an extension: it says so, or it is the very one that the ledger knows and names nobody else.

    Labels are lost by mistake; who took one away did not give the object to anybody. One of the same name in another namespace is another.
    """
    owner = owner_of({"metadata": metadata})
    if owner is None:
        return recorded_uid != "" and metadata.get("uid") == recorded_uid
    return owner.extension in (extension, Extension(extension.name, ""))


def _cluster_extension(labels: Mapping[str, Any]) -> Owner | None:
    if labels.get("olm.operatorframework.io/owner-kind") != "ClusterExtension":
        return None
    name = str(labels.get("olm.operatorframework.io/owner-name") or "")
    return Owner(
        f"ClusterExtension {name} of OLM v1",
        None,
        "manage it with cluster_extension, or take it over with adopt_from: olm",
        name,
    )


def _olm_v0(labels: Mapping[str, Any], metadata: Any) -> Owner | None:
    advice = "move it away from OLM v0 first, or remove its Subscription and ClusterServiceVersion"
    if labels.get("olm.owner"):
        kind = str(labels.get("olm.owner.kind") or "ClusterServiceVersion")
        return Owner(f"{kind} {labels['olm.owner']} of OLM v0", None, advice)
    for reference in mappings(at(metadata, "ownerReferences")):
        if reference.get("kind") == "ClusterServiceVersion":
            return Owner(f"ClusterServiceVersion {reference.get('name')} of OLM v0", None, advice)
    if labels.get("olm.managed") == "true":
        operators = sorted(key for key in labels if key.startswith("operators.coreos.com/"))
        named = f" operator {operators[0].partition('/')[2]}" if operators else ""
        return Owner(f"OLM v0{named}", None, advice)
    return None


def _argo_cd(annotations: Mapping[str, Any], labels: Mapping[str, Any]) -> Owner | None:
    application = annotations.get("argocd.argoproj.io/tracking-id") or labels.get("argocd.argoproj.io/instance")
    if not application:
        return None
    return Owner(
        f"Argo CD Application {str(application).partition(':')[0]}", None, "take it out of that Application first"
    )


def _flux(labels: Mapping[str, Any]) -> Owner | None:
    for prefix, kind in (("kustomize", "Kustomization"), ("helm", "HelmRelease")):
        name = labels.get(f"{prefix}.toolkit.fluxcd.io/name")
        if name:
            namespace = labels.get(f"{prefix}.toolkit.fluxcd.io/namespace")
            return Owner(f"Flux {kind} {namespace}/{name}", None, f"take it out of that {kind} first")
    return None


def _helm(annotations: Mapping[str, Any]) -> Owner | None:
    release = annotations.get("meta.helm.sh/release-name")
    if not release:
        return None
    return Owner(
        f"Helm release {annotations.get('meta.helm.sh/release-namespace')}/{release}",
        None,
        "uninstall it with Helm first",
    )


def _controller(metadata: Any) -> Owner | None:
    for reference in mappings(at(metadata, "ownerReferences")):
        if reference.get("controller"):
            return Owner(f"{reference.get('kind')} {reference.get('name')}", None, "it is managed by its controller")
    return None
