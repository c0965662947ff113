# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tree: bases that clusters share, a folder a cluster, and what those need who apply it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..manifests.tree import KUSTOMIZATION, kustomization, manifest_files
from ..manifests.yaml_writer import to_yaml
from .argocd import argocd_files
from .flux import flux_files
from .hand_over import ARGOCD, FLUX, KEPT, OCM, HandOver
from .ocm import namespace_manifest, ocm_files
from .rendering import Manifest, Placed, Rendering

BASES, CLUSTERS = "bases", "clusters"
# Everything below these is ours to replace and remove.
FOLDERS = (BASES, CLUSTERS, ARGOCD, FLUX, OCM)
BUNDLE, VERSION = "fleet.olm/bundle", "fleet.olm/version"


def tree_files(placed: Mapping[str, Placed], hand_overs: Iterable[HandOver]) -> dict[str, str]:
    """Every file of the tree, in the order to write them in: what is referred to comes first."""
    wanted = tuple(hand_overs)
    kept = {key: value for one in wanted for key, value in KEPT[one.to].items()}
    bases = {rendering.base: rendering for on_it in placed.values() for rendering in on_it.renderings}
    files = {
        f"{BASES}/{base}/{name}": text
        for base, rendering in sorted(bases.items())
        for name, text in _base(rendering).items()
    }
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]] = {}
    for cluster, on_it in placed.items():
        key = (tuple(rendering.base for rendering in on_it.renderings), on_it.namespaces)
        if key not in alike:
            alike[key] = _cluster(on_it, kept)
        files.update({f"{CLUSTERS}/{cluster}/{name}": text for name, text in alike[key].items()})
    for one in wanted:
        files.update({f"{one.to}/{name}": text for name, text in _handed_over(placed, one).items()})
    return files


def _base(rendering: Rendering) -> dict[str, str]:
    annotations = {BUNDLE: rendering.bundle["name"], VERSION: rendering.bundle["version"]}
    return manifest_files(rendering.manifests, metadata={"name": rendering.base, "annotations": annotations})


def _cluster(on_it: Placed, kept: Mapping[str, str]) -> dict[str, str]:
    namespaces = manifest_files(map(namespace_manifest, on_it.namespaces))
    del namespaces[KUSTOMIZATION]
    names = [rendering.name for rendering in on_it.renderings]
    files = {
        f"{rendering.name}/{KUSTOMIZATION}": kustomization(
            [f"../../../{BASES}/{rendering.base}"], **_without(on_it.brought.get(rendering.name, ()))
        )
        for rendering in on_it.renderings
    }
    patches = {"patches": [_kept(kind, kept) for kind in ("CustomResourceDefinition", "Namespace")]} if kept else {}
    return {**namespaces, **files, KUSTOMIZATION: kustomization([*namespaces, *names], **patches)}


def _without(brought: Iterable[Manifest]) -> dict[str, Any]:
    """Take out what another extension of the cluster brings: kustomize takes each object once."""
    patches = [
        {"patch": to_yaml({**{key: item[key] for key in ("apiVersion", "kind")}, **_named(item), "$patch": "delete"})}
        for item in brought
    ]
    return {"patches": patches} if patches else {}


def _named(manifest: Manifest) -> dict[str, Any]:
    return {"metadata": {"name": manifest["metadata"]["name"]}}


def _kept(kind: str, annotations: Mapping[str, str]) -> dict[str, Any]:
    """Keep objects of a kind from being deleted because they are no longer in the tree: data would go with them."""
    version = "v1" if kind == "Namespace" else "apiextensions.k8s.io/v1"
    patch = {"apiVersion": version, "kind": kind, "metadata": {"name": "any", "annotations": dict(annotations)}}
    return {"target": {"kind": kind}, "patch": to_yaml(patch)}


def _handed_over(placed: Mapping[str, Placed], hand_over: HandOver) -> dict[str, str]:
    if hand_over.to == ARGOCD:
        return argocd_files(placed, hand_over)
    return flux_files(placed, hand_over) if hand_over.to == FLUX else ocm_files(placed, hand_over)
