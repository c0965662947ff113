# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters that Cluster API made; it keeps the kubeconfig of each in a Secret beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import FleetError, OptionError
from ..nested import at
from .hub import in_parallel, listed, metadata_labels, name_of, namespace_of, open_hub, read_secret
from .kubeconfig_content import adopted, by_kubeconfig
from .model import Cluster, Reading, Settings
from .options import CONNECTION, text, texts

GROUP = "cluster.x-k8s.io"
OPTIONS = {**CONNECTION, "namespaces": texts, "label_selector": text}


def read_cluster_api(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """A cluster for each Cluster."""
    with open_hub(given, where, settings) as client:
        namespaces = given.get("namespaces", ())
        found = listed(client, where, GROUP, "clusters", namespaces=namespaces, selector=given.get("label_selector"))

        def secret_of(item: Mapping[str, Any]) -> dict[str, str] | FleetError:
            try:
                return read_secret(client, namespace_of(item), f"{name_of(item)}-kubeconfig")
            except FleetError as error:
                return error

        secrets = in_parallel(secret_of, found, settings.threads)
    return Reading(tuple(made_cluster(item, secret, settings) for item, secret in zip(found, secrets, strict=True)))


def made_cluster(item: Mapping[str, Any], secret: dict[str, str] | FleetError, settings: Settings) -> Cluster:
    """One Cluster; `secret` is the content of its Secret."""
    name, problem = name_of(item), ""
    reached: dict[str, Any] = {}
    try:
        if isinstance(secret, FleetError):
            phase = at(item, "status", "phase")
            raise OptionError(f"{secret}; the Cluster is {phase}" if phase else str(secret))
        if "value" not in secret:
            raise OptionError(f"the Secret {namespace_of(item)}/{name}-kubeconfig has no key 'value'")
        text_of_secret = secret["value"]
        reached = by_kubeconfig(
            adopted(text_of_secret, name, f"the kubeconfig of {name}", allow_exec=settings.allow_exec)
        )
    except FleetError as error:
        problem = str(error)
    return Cluster(
        name=name,
        source="cluster_api",
        place=namespace_of(item),
        **reached,
        labels=metadata_labels(item),
        provider=_provider(str(at(item, "spec", "infrastructureRef", "kind") or "")),
        version=str(at(item, "spec", "topology", "version") or "").removeprefix("v"),
        problem=problem,
    )


def _provider(kind: str) -> str:
    """AWSCluster and AWSManagedCluster are of the provider aws."""
    return kind.removesuffix("Cluster").removesuffix("Managed").lower()
