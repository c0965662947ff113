# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The CRDs of OLM v1: its own where they are at hand, else small ones with the fields and rules that the collection meets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .cluster import Cluster
from .definitions import add_crds, minimal_crd
from .wait import wait_for

GROUP = "olm.operatorframework.io"
RECORDED = Path(__file__).resolve().parents[2].parent / "shared" / "olmv1"
_TEXT: dict[str, Any] = {"type": "string"}
_OPEN: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_SET: dict[str, Any] = {
    "lifecycleState": _TEXT,
    "revision": {"type": "integer"},
    "collisionProtection": _TEXT,
    "phases": {"type": "array", "items": _OPEN},
}


def olm_crds(channel: str = "experimental") -> list[dict[str, Any]]:
    """The CRDs of OLM v1 of a release channel: ClusterExtension, ClusterCatalog and, in the experimental one, ClusterObjectSet."""
    newer = ("clusterobjectsets",) if channel == "experimental" else ()
    folder = RECORDED / "crds" / channel
    files = [folder / f"{GROUP}_{plural}.yaml" for plural in ("clusterextensions", "clustercatalogs", *newer)]
    if all(path.is_file() for path in files):
        return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files]
    return [
        _extensions(channel),
        _catalogs(),
        *(minimal_crd(GROUP, plural, "ClusterObjectSet", **_SET) for plural in newer),
    ]


def add_olm(cluster: Cluster, channel: str = "experimental") -> None:
    """Give a full cluster these CRDs, and wait until its garbage collector knows of them: it looks for new ones every half minute."""
    add_crds(cluster, *olm_crds(channel))
    path = f"/apis/{GROUP}/v1/clustercatalogs"
    spec = {"source": {"type": "Image", "image": {"ref": "registry.example.com/nothing:1"}}}
    kind = {"apiVersion": f"{GROUP}/v1", "kind": "ClusterCatalog"}
    cluster.request("POST", path, {**kind, "metadata": {"name": "known"}, "spec": spec})
    cluster.request("DELETE", f"{path}/known", {"propagationPolicy": "Orphan"})
    wait_for(lambda: not cluster.request("GET", path)["items"], seconds=60)


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _ruled(rule: str, message: str, **schema: Any) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule, "message": message}]}


def _extensions(channel: str) -> dict[str, Any]:
    catalog = _object(
        ("packageName",),
        packageName=_ruled("self == oldSelf", "packageName is immutable", type="string"),
        version=_ruled("!self.matches('^[a-wyz]')", "invalid version expression", type="string", maxLength=64),
        channels={"type": "array", "items": _TEXT},
        selector=_OPEN,
        upgradeConstraintPolicy={**_TEXT, "enum": ["CatalogProvided", "SelfCertified"], "default": "CatalogProvided"},
    )
    safety = _object(("enforcement",), enforcement={**_TEXT, "enum": ["Strict", "None"]})
    spec: dict[str, Any] = {
        "namespace": _ruled("self == oldSelf", "namespace is immutable", type="string", maxLength=63),
        "serviceAccount": _object(
            name=_ruled(
                "self == oldSelf", "name is immutable once set but may be cleared", type="string", maxLength=253
            )
        ),
        "source": _object(("sourceType",), sourceType={**_TEXT, "enum": ["Catalog"]}, catalog=catalog),
        "install": _object(preflight=_object(crdUpgradeSafety=safety)),
    }
    if channel == "experimental":
        inline = {**_OPEN, "minProperties": 1}
        spec["config"] = _object(("configType",), configType={**_TEXT, "enum": ["Inline"]}, inline=inline)
        spec["progressDeadlineMinutes"] = {"type": "integer", "minimum": 10, "maximum": 720}
    crd = minimal_crd(GROUP, "clusterextensions", "ClusterExtension", **spec)
    return _with_status(crd, "namespace", "source")


def _catalogs() -> dict[str, Any]:
    image = _object(("ref",), ref=_TEXT, pollIntervalMinutes={"type": "integer", "minimum": 1})
    crd = minimal_crd(
        GROUP,
        "clustercatalogs",
        "ClusterCatalog",
        source=_object(("type",), type={**_TEXT, "enum": ["Image"]}, image=image),
        priority={"type": "integer", "format": "int32", "default": 0},
        availabilityMode={**_TEXT, "enum": ["Available", "Unavailable"], "default": "Available"},
    )
    return _with_status(crd, "source")


def _with_status(crd: dict[str, Any], *required: str) -> dict[str, Any]:
    version = crd["spec"]["versions"][0]
    version["subresources"] = {"status": {}}
    version["schema"]["openAPIV3Schema"]["properties"]["spec"]["required"] = list(required)
    return crd
