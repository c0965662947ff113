# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Open Cluster Management: a ManifestWork for each extension of each cluster, or a ManifestWorkReplicaSet for all
clusters that run an extension alike, with the Placement that selects them. Both hold the manifests themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import OptionError, Problems
from ..manifests.tree import KUSTOMIZATION, kustomization, manifest_files
from ..nested import at
from .hand_over import HandOver, object_name
from .rendering import Manifest, Placed, Rendering

WORK = "work.open-cluster-management.io"
# Hubs refuse a work with more than 500 KiB of manifests, and keep some of it for themselves.
LARGEST_WORK = 400 * 1024
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def ocm_files(placed: Mapping[str, Placed], hand_over: HandOver) -> dict[str, str]:
    """The files of the folder that the hub is given."""
    problems = [
        f"clusters.{cluster}: the hub of Open Cluster Management has a namespace of this name; use lower case letters, digits and '-'"
        for cluster in placed
        if not _LABEL.fullmatch(cluster)
    ]
    if problems:
        raise Problems(problems)
    if hand_over.kind == "ManifestWorkReplicaSet":
        return manifest_files(_replica_sets(placed, hand_over))
    files: dict[str, str] = {}
    for cluster, on_it in placed.items():
        works = [
            {
                "apiVersion": f"{WORK}/v1",
                "kind": "ManifestWork",
                "metadata": {"name": name, "namespace": cluster},
                "spec": spec,
            }
            for rendering in on_it.renderings
            for name, spec in _works(rendering, rendering.namespace in on_it.namespaces, object_name(rendering.name))
        ]
        files.update({f"{cluster}/{name}": text for name, text in manifest_files(works).items()})
    return {**files, KUSTOMIZATION: kustomization(placed)}


def _replica_sets(placed: Mapping[str, Placed], hand_over: HandOver) -> Iterable[dict[str, Any]]:
    groups: dict[str, dict[tuple[str, bool], list[str]]] = {}
    renderings: dict[str, Rendering] = {}
    for cluster, on_it in placed.items():
        for rendering in on_it.renderings:
            renderings[rendering.base] = rendering
            key = (rendering.base, rendering.namespace in on_it.namespaces)
            groups.setdefault(rendering.name, {}).setdefault(key, []).append(cluster)
    for extension, by_rendering in sorted(groups.items()):
        # The most common one keeps its name when it is upgraded: a set of another name is a removal and an install.
        ordered = sorted(by_rendering.items(), key=lambda item: (-len(item[1]), item[0]))
        for number, ((base, with_namespace), clusters) in enumerate(ordered):
            name = object_name(base if number else extension)
            if number and not with_namespace:
                name = object_name(base, "plain")
            yield from _replica_set(name, renderings[base], with_namespace, clusters, hand_over)


def _replica_set(
    name: str, rendering: Rendering, with_namespace: bool, clusters: list[str], hand_over: HandOver
) -> Iterable[dict[str, Any]]:
    place = {"namespace": hand_over.namespace}
    expression = {"key": hand_over.cluster_label, "operator": "In", "values": clusters}
    selector = {"requiredClusterSelector": {"labelSelector": {"matchExpressions": [expression]}}}
    yield {
        "apiVersion": "cluster.open-cluster-management.io/v1beta1",
        "kind": "Placement",
        "metadata": {"name": name, **place},
        "spec": {"predicates": [selector]},
    }
    for part, spec in _works(rendering, with_namespace, name):
        yield {
            "apiVersion": f"{WORK}/v1alpha1",
            "kind": "ManifestWorkReplicaSet",
            "metadata": {"name": part, **place},
            "spec": {"placementRefs": [{"name": name}], "manifestWorkTemplate": spec},
        }


def _works(rendering: Rendering, with_namespace: bool, name: str) -> Iterable[tuple[str, dict[str, Any]]]:
    """The manifests of an extension in as many works as their size asks for, in the order to apply them in."""
    manifests: list[Manifest] = [
        *([namespace_manifest(rendering.namespace)] if with_namespace else []),
        *rendering.manifests,
    ]
    parts: list[list[Manifest]] = [[]]
    size = 0
    for manifest in manifests:
        bytes_of = len(json.dumps(manifest, separators=(",", ":")).encode())
        if bytes_of > LARGEST_WORK:
            raise OptionError(
                f"{rendering.name}: the {manifest['kind']} '{at(manifest, 'metadata', 'name')}' has {bytes_of} bytes; "
                f"a ManifestWork takes {LARGEST_WORK}. Hand this one over to Argo CD or Flux"
            )
        if size + bytes_of > LARGEST_WORK:
            parts.append([])
            size = 0
        parts[-1].append(manifest)
        size += bytes_of
    for number, part in enumerate(parts, 1):
        yield (name if number == 1 else f"{name}-{number}"), {"workload": {"manifests": part}, **_kept(part)}


def _kept(manifests: Iterable[Manifest]) -> dict[str, Any]:
    """CRDs and namespaces stay when a work goes: with them all custom resources would go."""
    resources = {
        "CustomResourceDefinition": {"group": "apiextensions.k8s.io", "resource": "customresourcedefinitions"},
        "Namespace": {"group": "", "resource": "namespaces"},
    }
    rules = [
        {**resources[manifest["kind"]], "name": at(manifest, "metadata", "name")}
        for manifest in manifests
        if manifest["kind"] in resources
    ]
    if not rules:
        return {}
    return {"deleteOption": {"propagationPolicy": "SelectivelyOrphan", "selectivelyOrphans": {"orphaningRules": rules}}}


def namespace_manifest(name: str) -> dict[str, Any]:
    """A Namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
