# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Flux: a source and a Kustomization a cluster, on a hub that has their kubeconfigs or on each cluster itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..manifests.tree import manifest_files
from .hand_over import HandOver, object_name

SOURCES = "source.toolkit.fluxcd.io/v1"
OCI = "oci://"


def flux_files(clusters: Iterable[str], hand_over: HandOver) -> dict[str, str]:
    """The files of the folder that Flux is given. Without kubeconfigs each cluster has a folder of its own: what is in
    another's must not be applied to it."""
    source = _source(hand_over)
    if hand_over.kubeconfig_secret:
        return manifest_files([source, *(_kustomization(cluster, hand_over) for cluster in clusters)])
    return {
        f"{cluster}/{name}": text
        for cluster in clusters
        for name, text in manifest_files([source, _kustomization(cluster, hand_over)]).items()
    }


def _source(hand_over: HandOver) -> dict[str, Any]:
    revision = hand_over.revision
    if hand_over.repository.startswith(OCI):
        kind, reference = "OCIRepository", {"digest" if revision.startswith("sha256:") else "tag": revision or "latest"}
    else:
        kind, reference = "GitRepository", {"branch": revision or "main"}
        if revision.startswith("refs/"):
            reference = {"name": revision}
    return {
        "apiVersion": SOURCES,
        "kind": kind,
        "metadata": {"name": hand_over.name, "namespace": hand_over.namespace},
        "spec": {"interval": hand_over.interval, "url": hand_over.repository, "ref": reference},
    }


def _kustomization(cluster: str, hand_over: HandOver) -> dict[str, Any]:
    source = _source(hand_over)
    remote = hand_over.kubeconfig_secret
    secret = {"kubeConfig": {"secretRef": {"name": remote.replace("{cluster}", cluster)}}} if remote else {}
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {
            "name": object_name(hand_over.name, cluster) if remote else hand_over.name,
            "namespace": hand_over.namespace,
        },
        "spec": {
            "interval": hand_over.interval,
            "path": f"./{hand_over.place(f'clusters/{cluster}')}",
            "prune": True,
            "wait": True,
            "timeout": "5m",
            "sourceRef": {"kind": source["kind"], "name": hand_over.name},
            **secret,
        },
    }
