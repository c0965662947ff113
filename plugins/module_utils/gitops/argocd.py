# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Argo CD: an Application a cluster, or an ApplicationSet that makes them of the folders in the repository."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..manifests.tree import manifest_files
from .hand_over import HandOver, object_name

API = "argoproj.io/v1alpha1"


def argocd_files(clusters: Iterable[str], hand_over: HandOver) -> dict[str, str]:
    """The files of the folder that Argo CD is given."""
    if hand_over.kind == "ApplicationSet":
        return manifest_files([_application_set(hand_over)])
    return manifest_files(_application(cluster, hand_over) for cluster in clusters)


def _application(cluster: str, hand_over: HandOver) -> dict[str, Any]:
    return {
        "apiVersion": API,
        "kind": "Application",
        "metadata": {"name": object_name(hand_over.name, cluster), "namespace": hand_over.namespace},
        "spec": _spec(hand_over, hand_over.place(f"clusters/{cluster}"), cluster),
    }


def _application_set(hand_over: HandOver) -> dict[str, Any]:
    source = {"repoURL": hand_over.repository, "revision": hand_over.revision or "HEAD"}
    folders = [{"path": hand_over.place("clusters/*")}]
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": hand_over.name, "namespace": hand_over.namespace},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"git": {**source, "directories": folders}}],
            # A folder that goes takes its Application along, not what runs on the cluster.
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {
                "metadata": {"name": f"{hand_over.name}-{{{{.path.basenameNormalized}}}}"},
                "spec": _spec(hand_over, "{{.path.path}}", "{{.path.basename}}"),
            },
        },
    }


def _spec(hand_over: HandOver, path: str, cluster: str) -> dict[str, Any]:
    return {
        "project": hand_over.project,
        "source": {
            "repoURL": hand_over.repository,
            "targetRevision": hand_over.revision or "HEAD",
            "path": path,
        },
        "destination": {"name": cluster},
        "syncPolicy": {
            # Empty, too: the last extension of a cluster has to go as any other does. CRDs and namespaces are marked to stay.
            "automated": {"prune": True, "selfHeal": True, "allowEmpty": True},
            # Many CRDs are too large for the annotation that a client-side apply leaves.
            "syncOptions": ["ServerSideApply=true"],
        },
    }
