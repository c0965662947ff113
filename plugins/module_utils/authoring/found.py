# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the manifests of an operator say about it, as far as olm.yaml is concerned."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.csv import version
from ..csvless.accepted import CRD, refusals
from ..csvless.access import project_access, service_account_of
from ..csvless.apis import infer, served_versions
from ..csvless.files import Placed, as_mapping
from ..csvless.old_crd import OLD, converted
from ..csvless.olm_yaml import Metadata
from ..kubernetes.values import WrongType
from ..nested import at, mappings

FIRST_VERSION = "0.0.1"
_TARGETS = "olm.targetNamespaces"
_NAME_AND_VERSION = re.compile(r"(.+?)[.-]v?([0-9]+\.[0-9].*)")


@dataclass(frozen=True)
class Found:
    """What could be inferred. Where nothing says a version it is empty."""

    package: str
    version: str
    install_modes: tuple[str, ...]
    apis: tuple[Mapping[str, str], ...]
    unknown: tuple[tuple[str, str], ...]
    refusals: tuple[str, ...]


def look(objects: list[Placed]) -> Found:
    """Look through plain manifests."""
    deployments = [placed for placed in objects if placed.kind == "Deployment"]
    accounts = {service_account_of(placed.manifest) for placed in deployments}
    crds = [_modern(placed) for placed in objects if placed.kind == CRD]
    served = {
        (str(at(placed.manifest, "spec", "group") or ""), str(at(placed.manifest, "spec", "version") or ""))
        for placed in objects
        if placed.kind == "APIService"
    }
    access = project_access(objects, accounts, serves_apis=bool(served))
    inferred = infer(access.permissions, crds, served, Metadata({}, (), (), ()))
    everywhere = any(permission.everywhere for permission in access.permissions)
    return Found(
        package=deployments[0].name if deployments else "",
        version=next(filter(None, map(_version, deployments)), ""),
        install_modes=_install_modes(deployments, everywhere),
        apis=tuple(api for crd in crds for api in _apis(crd.manifest)),
        unknown=tuple(inferred.unknown),
        refusals=(*refusals(objects), *access.problems),
    )


def named(csv: Mapping[str, Any]) -> str:
    """The package that the name of a ClusterServiceVersion says."""
    name = str(at(csv, "metadata", "name") or "")
    match = _NAME_AND_VERSION.fullmatch(name)
    return match[1] if match else name


def _modern(placed: Placed) -> Placed:
    return Placed(placed.place, converted(placed.manifest)) if placed.manifest.get("apiVersion") == OLD else placed


def _apis(crd: Mapping[str, Any]) -> list[dict[str, str]]:
    group, kind = str(at(crd, "spec", "group") or ""), str(at(crd, "spec", "names", "kind") or "")
    return [{"group": group, "version": version_of, "kind": kind} for version_of in served_versions(crd)]


def _install_modes(deployments: list[Placed], everywhere: bool) -> tuple[str, ...]:
    """All where the operator is told what to watch; else what its permissions are enough for."""
    if any(_TARGETS in str(placed.manifest.get("spec")) for placed in deployments):
        return ("AllNamespaces", "OwnNamespace", "SingleNamespace")
    return ("AllNamespaces",) if everywhere else ("OwnNamespace",)


def _version(deployment: Placed) -> str:
    """From the labels that people keep it in, or the tag of the image."""
    labels = as_mapping(deployment.metadata.get("labels"))
    pod = as_mapping(at(deployment.manifest, "spec", "template", "metadata", "labels"))
    images = [
        str(item.get("image") or "")
        for item in mappings(at(deployment.manifest, "spec", "template", "spec", "containers"))
    ]
    said = [
        *(source.get(key) for source in (labels, pod) for key in ("app.kubernetes.io/version", "version")),
        *(image.rpartition("/")[2].partition("@")[0].partition(":")[2] for image in images),
    ]
    for text in said:
        try:
            if isinstance(text, str) and text.count(".") == 2:
                return version(text)
        except WrongType:
            continue
    return ""
