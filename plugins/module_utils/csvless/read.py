# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading a bundle of the format k8s+v1: plain manifests and olm.yaml become what a registry+v1 bundle is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..bundle.csv import csv_decoder
from ..bundle.model import K8S_V1, Bundle
from ..bundle.problems import BadBundle, InvalidBundle
from ..bundle.registry_v1 import (
    ANNOTATIONS_FILE,
    MEDIATYPE_ANNOTATION,
    PACKAGE_ANNOTATION,
    add_properties,
    read_annotations,
    typed,
)
from ..kubernetes.types import kubernetes_types
from ..kubernetes.values import WrongType, plain
from ..nested import mappings
from .accepted import CRD, PROJECTED, RBAC, WEBHOOKS, refusals
from .access import DEPENDENCY, Accounts, Permission, accounts_of, project_access, service_account_of
from .apis import as_data, infer, unused
from .files import IMAGE, Layout, Placed, as_mapping, layout_of, read_metadata, read_placed
from .old_crd import OLD, converted
from .olm_yaml import Metadata
from .services import crds_of, project_services
from .synthesis import synthesise

# What kubectl and controllers leave behind on objects that somebody exported from a cluster.
_LEFT_BEHIND = ("kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision")
_MADE_ANEW = (*RBAC, *WEBHOOKS, "APIService", "Service")


def read_plain_bundle(directory: Path | str) -> Bundle:
    """The bundle in a directory."""
    root = Path(directory)
    warnings: list[str] = []
    layout = layout_of(root) or IMAGE
    metadata = read_metadata(root, layout, warnings)
    warnings += metadata.warnings
    annotations = _annotations(root, layout, warnings)
    objects = [_modern(placed, warnings) for placed in read_placed(root, layout, warnings)]
    problems = refusals(objects)
    if problems:
        raise InvalidBundle(metadata.name, problems)

    deployments = [_typed_deployment(placed) for placed in objects if placed.kind == "Deployment"]
    crds = [_typed_crd(placed) for placed in crds_of(objects)]
    accounts = {service_account_of(placed.manifest) for placed in deployments}
    serving = project_services([*(one for one in objects if one.kind != "Deployment"), *deployments], crds)
    access = project_access(objects, accounts, bool(serving.api_services))
    inferred = infer(access.permissions, crds, serving.api_services, metadata)
    problems = [*serving.problems, *access.problems]
    csv = synthesise(metadata, deployments, crds, access.permissions, serving, inferred, problems)
    if problems:
        raise InvalidBundle(metadata.name, problems)
    try:
        csv = csv_decoder()(csv)
    except WrongType as error:
        raise BadBundle(f"{layout.named('olm.yaml')}: {error}") from None
    add_properties(csv, str(root), warnings, layout.named("properties.yaml"))
    warnings += [*access.warnings, *serving.warnings]
    warnings += _made_anew(objects, {placed.title for placed in (*access.shipped, *serving.services)})
    warnings += _lifted(metadata, access.permissions)
    warnings += [
        f"{place}: the kind of the resource '{resource}' of the API group '{group}' is not known, so nothing is required of clusters; "
        "say group, version, kind and name under 'apis' in olm.yaml, or mark the binding as optional"
        for (group, resource), place in inferred.unknown.items()
    ]
    warnings += [
        f"{layout.named('olm.yaml')}: {api.kind} of {api.group}/{api.version} is described, but the bundle neither provides nor uses it; it is left out"
        for api in unused(metadata, crds, serving.api_services, inferred)
    ]
    others = [
        typed(plain, dict(placed.manifest), placed.place)
        for placed in _others(objects, access.shipped, serving.services, accounts, csv)
    ]
    return Bundle(
        package=annotations.get(PACKAGE_ANNOTATION) or metadata.package,
        csv=csv,
        crds=tuple(placed.manifest for placed in crds),
        others=tuple(others),
        format=K8S_V1,
        annotations=annotations,
        warnings=tuple(warnings),
        inferred={
            "optional_apis": [as_data(api) for api in inferred.optional],
            "unknown_apis": [{"group": group, "resource": resource} for group, resource in inferred.unknown],
            "non_resource_urls": list(inferred.urls),
        },
        deployment_annotations={
            placed.name: annotations for placed in deployments if (annotations := _own_annotations(placed))
        },
    )


def _lifted(metadata: Metadata, permissions: list[Permission]) -> list[str]:
    """Roles that will never count for one namespace only, since the operator always watches all of them."""
    supported = {mode["type"] for mode in metadata.values["installModes"] if mode["supported"]}
    if supported != {"AllNamespaces"}:
        return []
    return [
        f"{permission.place}: what this RoleBinding allows '{permission.account}' will be allowed in all namespaces, "
        "because the operator watches all of them and nothing else"
        for permission in permissions
        if not permission.everywhere
    ]


def _annotations(root: Path, layout: Layout, warnings: list[str]) -> dict[str, str]:
    """The annotations of the image; a flat bundle may do without."""
    file = layout.named("annotations.yaml")
    if not (root / file).is_file():
        if layout is IMAGE:
            raise BadBundle(f"{ANNOTATIONS_FILE}: no such file; an image of a bundle has one")
        return {}
    found = read_annotations(str(root), warnings, file)
    mediatype = " ".join(found.get(MEDIATYPE_ANNOTATION, K8S_V1).split())
    if mediatype.lower() != K8S_V1:
        raise BadBundle(
            f"{file}: {MEDIATYPE_ANNOTATION} is '{mediatype}', but there is an olm.yaml, which only {K8S_V1} has"
        )
    return found


def _modern(placed: Placed, warnings: list[str]) -> Placed:
    if placed.kind != CRD or placed.manifest.get("apiVersion") != OLD:
        return placed
    warnings.append(
        f"{placed.title}: was written for {OLD}, which clusters no longer take; converted to v1, keeping what it accepts"
    )
    return Placed(placed.place, converted(placed.manifest))


def _typed_crd(placed: Placed) -> Placed:
    return Placed(placed.place, typed(kubernetes_types().decoder(CRD), dict(placed.manifest), placed.place))


def _typed_deployment(placed: Placed) -> Placed:
    """The Deployment as its type reads it; problems are told with its place, which the ClusterServiceVersion has lost."""
    types = kubernetes_types()
    try:
        types.decoder("AnyObject")(dict(placed.manifest))
        spec = types.decoder("DeploymentSpec")(placed.manifest.get("spec") or {})
    except WrongType as error:
        raise BadBundle(f"{placed.title}: {error}") from None
    return Placed(placed.place, {**placed.manifest, "spec": spec})


def _own_annotations(placed: Placed) -> dict[str, str]:
    """Annotations that people wrote."""
    given = as_mapping(placed.metadata.get("annotations"))
    return {str(key): str(value) for key, value in given.items() if key not in _LEFT_BEHIND}


def _made_anew(objects: list[Placed], kept: set[str]) -> list[str]:
    """What is not carried over by objects that the ClusterServiceVersion takes the place of."""
    lost = [
        f"{placed.kind} '{placed.name}'"
        for placed in objects
        if placed.kind in _MADE_ANEW
        and placed.title not in kept
        and (placed.metadata.get("labels") or set(_own_annotations(placed)) - {DEPENDENCY})
    ]
    if not lost:
        return []
    return [
        f"labels and annotations of {', '.join(lost)} are not applied: these objects are made anew, as OLM makes them"
    ]


def _others(
    objects: list[Placed],
    roles: list[Placed],
    services: list[Placed],
    accounts: set[str],
    csv: dict[str, Any],
) -> list[Placed]:
    """What is applied as it is: all that the ClusterServiceVersion does not bring about."""
    strategy = csv["spec"]["install"]["spec"]
    granted = {
        permission["serviceAccountName"]
        for key in ("permissions", "clusterPermissions")
        for permission in strategy.get(key, ())
    }
    brought = {placed.name for placed in objects if placed.kind == "ServiceAccount"}
    own = accounts_of(objects, accounts)
    out = []
    kept_roles = {placed.title: placed for placed in roles}
    kept_services = {placed.title: placed for placed in services}
    for placed in objects:
        if placed.kind in PROJECTED:
            continue
        if placed.kind in RBAC:
            if placed.title in kept_roles:
                out.append(_unbound(kept_roles[placed.title], own))
        elif placed.kind == "Service":
            if placed.title in kept_services:
                out.append(kept_services[placed.title])
        elif placed.kind != "ServiceAccount" or placed.name not in granted or _says_more(placed):
            out.append(placed)
    missing = sorted(accounts - granted - brought - {"default"})
    return [*out, *(Placed("", _service_account(name)) for name in missing)]


def _says_more(account: Placed) -> bool:
    """Whether a ServiceAccount has what one that is made for permissions has not: annotations, pull secrets."""
    own = {key: value for key, value in account.manifest.items() if key not in ("apiVersion", "kind", "metadata")}
    return any(own.values()) or bool(account.metadata.get("annotations") or account.metadata.get("labels"))


def _unbound(placed: Placed, accounts: Accounts) -> Placed:
    """A binding whose subjects of the bundle are wherever the operator will be: rendering fills in the namespace."""
    if not placed.kind.endswith("Binding"):
        return placed
    subjects = [
        {key: value for key, value in subject.items() if key != "namespace"} if accounts.has(subject) else dict(subject)
        for subject in mappings(placed.manifest.get("subjects"))
    ]
    return Placed(placed.place, {**placed.manifest, "subjects": subjects})


def _service_account(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
