# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CustomResourceDefinitions of v1beta1, which no cluster takes any more, as v1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nested import at, mappings
from .files import as_mapping

OLD = "apiextensions.k8s.io/v1beta1"
NEW = "apiextensions.k8s.io/v1"
_SHARED = ("additionalPrinterColumns", "subresources")
_GONE = ("version", "versions", "validation", "preserveUnknownFields", "conversion", *_SHARED)
_KEEP = "x-kubernetes-preserve-unknown-fields"


def converted(crd: Mapping[str, Any]) -> dict[str, Any]:
    """The same API in v1. v1beta1 keeps fields that no schema knows unless told otherwise; so does what comes out."""
    spec = as_mapping(crd.get("spec"))
    keeps = spec.get("preserveUnknownFields", True) is not False
    listed = mappings(spec.get("versions")) or [{"name": spec.get("version"), "served": True, "storage": True}]
    new_spec = {key: value for key, value in spec.items() if key not in _GONE}
    new_spec["versions"] = [_version(version, spec, keeps) for version in listed]
    new_spec.setdefault("scope", "Namespaced")
    conversion = _conversion(as_mapping(spec.get("conversion")))
    if conversion:
        new_spec["conversion"] = conversion
    return {**{key: value for key, value in crd.items() if key != "status"}, "apiVersion": NEW, "spec": new_spec}


def _version(version: Mapping[str, Any], shared: Mapping[str, Any], keeps: bool) -> dict[str, Any]:
    schema = at(version, "schema", "openAPIV3Schema") or at(shared, "validation", "openAPIV3Schema")
    root: dict[str, Any] = {"type": "object", **as_mapping(schema)}
    if keeps or not as_mapping(schema):
        root[_KEEP] = True
    out: dict[str, Any] = {key: shared[key] for key in _SHARED if key in shared}
    out.update({**version, "schema": {"openAPIV3Schema": root}})
    if "additionalPrinterColumns" in out:
        out["additionalPrinterColumns"] = [
            {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()}
            for column in mappings(out["additionalPrinterColumns"])
        ]
    return out


def _conversion(old: Mapping[str, Any]) -> dict[str, Any]:
    if old.get("strategy") != "Webhook":
        return {"strategy": old["strategy"]} if old.get("strategy") else {}
    webhook = {
        "clientConfig": old.get("webhookClientConfig") or {},
        "conversionReviewVersions": old.get("conversionReviewVersions") or ["v1beta1"],
    }
    return {"strategy": "Webhook", "webhook": webhook}
