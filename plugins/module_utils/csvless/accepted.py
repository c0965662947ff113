# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which objects a k8s+v1 bundle may hold."""

from __future__ import annotations

from collections.abc import Iterable

from ..bundle.kinds import CLUSTER_SCOPED, NAMESPACED
from ..similar import did_you_mean
from .files import Placed

CRD = "CustomResourceDefinition"
WEBHOOKS = {
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
}
# What becomes part of the ClusterServiceVersion, and the versions of it that can be read.
PROJECTED = {
    "Deployment": ("apps/v1",),
    CRD: ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
    "APIService": ("apiregistration.k8s.io/v1",),
    **dict.fromkeys(WEBHOOKS, ("admissionregistration.k8s.io/v1",)),
}
RBAC = ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")
VERSIONS = {
    **PROJECTED,
    **dict.fromkeys(RBAC, ("rbac.authorization.k8s.io/v1",)),
    "ServiceAccount": ("v1",),
    "Service": ("v1",),
}
ACCEPTED = frozenset({*NAMESPACED, *CLUSTER_SCOPED, *PROJECTED})
AUTHENTICATION_READER = "extension-apiserver-authentication-reader"


def refusals(objects: Iterable[Placed]) -> list[str]:
    """Why objects cannot be in a bundle; one line each."""
    listed = list(objects)
    problems = [problem for placed in listed for problem in _problems(placed)]
    problems += _duplicates(listed)
    problems += _namespaces(listed)
    if not any(placed.kind == "Deployment" for placed in listed):
        problems.append("no file has a Deployment; an operator has at least one")
    return problems


def _problems(placed: Placed) -> list[str]:
    version = str(placed.manifest.get("apiVersion") or "")
    if placed.kind == "ClusterServiceVersion":
        return [f"{placed.title}: a bundle of the format k8s+v1 has none; it is made from olm.yaml and the manifests"]
    if placed.kind not in ACCEPTED:
        hint = did_you_mean(placed.kind, ACCEPTED)
        return [f"{placed.title}: this kind is not accepted{hint or '; accepted are ' + ', '.join(sorted(ACCEPTED))}"]
    if not version:
        return [f"{placed.title}: has no apiVersion"]
    if version not in VERSIONS.get(placed.kind, (version,)):
        return [f"{placed.title}: has the apiVersion {version}; accepted is {' and '.join(VERSIONS[placed.kind])}"]
    if not placed.name:
        return [f"{placed.place}: {placed.kind}: has no metadata.name"]
    return []


def _duplicates(objects: list[Placed]) -> list[str]:
    first: dict[tuple[str, str], Placed] = {}
    problems = []
    for placed in objects:
        earlier = first.setdefault((placed.kind, placed.name), placed)
        if earlier is not placed and placed.name:
            problems.append(f"{placed.title}: stands in {earlier.place} already")
    return problems


def _namespaces(objects: list[Placed]) -> list[str]:
    """All namespaced objects go to the install namespace, so they cannot be in several."""
    home = ""
    problems = []
    namespaced = [
        placed for placed in objects if placed.kind in (*NAMESPACED, "Deployment") and not _reads_authentication(placed)
    ]
    for placed in sorted(namespaced, key=lambda placed: placed.kind != "Deployment"):
        namespace = str(placed.metadata.get("namespace") or "")
        home = home or namespace
        if namespace and namespace != home:
            problems.append(
                f"{placed.title}: is in the namespace '{namespace}', others in '{home}'; all go to the one that the operator is installed in"
            )
    return problems


def _reads_authentication(placed: Placed) -> bool:
    """Aggregated APIs have this binding in kube-system; OLM makes it itself."""
    reference = placed.manifest.get("roleRef")
    return (
        placed.kind == "RoleBinding" and isinstance(reference, dict) and reference.get("name") == AUTHENTICATION_READER
    )
