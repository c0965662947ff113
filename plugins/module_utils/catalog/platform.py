# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which clusters a bundle fits, as far as its catalog says so. OLM v1 does not ask; platform operators must."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError
from ..nested import at, mappings
from .blobs import bundle_objects
from .model import CSV_METADATA, MAX_OPENSHIFT_VERSION
from .query import Platform

_VERSION = re.compile(r"v?([0-9]{1,9})(?:\.([0-9]{1,9}))?(?:\.([0-9]{1,9}))?(?:[-+].*)?")


def misfit(document: Mapping[str, Any], platform: Platform, where: str) -> str:
    """Why a bundle does not fit a cluster; empty where it does."""
    if platform.kubernetes_version:
        least = minimal_kubernetes(document, where)
        if least and _numbers(least) and _numbers(least) > _required("kubernetes_version", platform.kubernetes_version):
            return f"needs Kubernetes {shown(least)}"
    if platform.openshift_version:
        most = maximal_openshift(document)
        cluster = _required("openshift_version", platform.openshift_version)
        if most and _numbers(most) and _numbers(most)[:2] < cluster[:2]:
            return f"runs on OpenShift up to {shown(most)}"
    return ""


def minimal_kubernetes(document: Mapping[str, Any], where: str) -> str:
    """`minKubeVersion` of a bundle's ClusterServiceVersion, as far as the catalog carries it."""
    for item in mappings(document.get("properties")):
        if item.get("type") == CSV_METADATA:
            return str(at(item, "value", "minKubeVersion") or "")
    for manifest in bundle_objects(document, where):
        if manifest.get("kind") == "ClusterServiceVersion":
            return str(at(manifest, "spec", "minKubeVersion") or "")
    return ""


def maximal_openshift(document: Mapping[str, Any]) -> str:
    """The newest OpenShift that a bundle declares to run on."""
    for item in mappings(document.get("properties")):
        if item.get("type") == MAX_OPENSHIFT_VERSION:
            return str(item.get("value") or "")
    return ""


def _required(option: str, text: str) -> tuple[int, ...]:
    numbers = _numbers(text)
    if not numbers:
        raise OptionError(f"{option}: {shown(repr(text))} is no version such as 1.34 or 4.20.1")
    return numbers


def _numbers(text: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(text.strip().strip('"'))
    return tuple(int(part or 0) for part in match.groups()) if match else ()
