# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Descriptions of APIs: olm.yaml qualifies the paths of descriptors with spec or status, a ClusterServiceVersion keeps them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..nested import mappings
from .olm_yaml import DESCRIPTOR_PARTS

_TEXTS = ("displayName", "description")


def described(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an API's description that a ClusterServiceVersion has."""
    out: dict[str, Any] = {key: entry[key] for key in _TEXTS if entry.get(key)}
    if entry.get("resources"):
        out["resources"] = [{"name": "", **resource} for resource in mappings(entry["resources"])]
    for descriptor in mappings(entry.get("descriptors")):
        part, _dot, path = str(descriptor.get("path") or "").partition(".")
        if part not in DESCRIPTOR_PARTS:
            part, path = "spec", str(descriptor.get("path") or "")
        written = {key: descriptor[key] for key in (*_TEXTS, "value") if descriptor.get(key) is not None}
        capabilities = descriptor.get("capabilities", descriptor.get("x-descriptors"))
        if capabilities:
            written["x-descriptors"] = list(capabilities)
        out.setdefault(f"{part}Descriptors", []).append({"path": path, **written})
    return out


def qualified(description: Mapping[str, Any]) -> dict[str, Any]:
    """The same the other way: what olm.yaml says of an API, from a description in a ClusterServiceVersion."""
    out: dict[str, Any] = {key: description[key] for key in _TEXTS if description.get(key)}
    resources = [
        {key: value for key, value in item.items() if value} for item in mappings(description.get("resources"))
    ]
    if resources:
        out["resources"] = resources
    found = [item for part in DESCRIPTOR_PARTS for item in _qualified(part, description)]
    if found:
        out["descriptors"] = found
    return out


def _qualified(part: str, description: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for descriptor in mappings(description.get(f"{part}Descriptors")):
        path = str(descriptor.get("path") or "")
        written = {key: descriptor[key] for key in (*_TEXTS, "value") if descriptor.get(key) is not None}
        capabilities = descriptor.get("x-descriptors")
        yield {
            "path": f"{part}.{path}" if path else part,
            **written,
            **({"capabilities": list(capabilities)} if capabilities else {}),
        }
