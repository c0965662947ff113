# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters that the inventory file lists itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import OptionError
from .model import Cluster, Reading, Settings
from .options import CONNECTION, checked, connection_options, labels, shown, text
from .secret_options import with_secrets_apart

CLUSTER = {"name": text, **CONNECTION, "labels": labels, "region": text, "provider": text}


def entries(value: Any, where: str) -> list[dict[str, Any]]:
    """The list, each cluster checked."""
    if not isinstance(value, list) or not value:
        raise OptionError(f"{where}: must be a list of clusters (got {shown(value)})")
    found = []
    for number, item in enumerate(value):
        given = checked(item, f"{where}[{number}]", CLUSTER)
        if "name" not in given:
            raise OptionError(f"{where}[{number}]: has no name")
        found.append(given)
    return found


OPTIONS = {"clusters": entries}


def read_list(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """The clusters of the list."""
    return Reading(
        tuple(_cluster(item, f"{where}.clusters[{number}]", settings) for number, item in enumerate(given["clusters"]))
    )


def _cluster(given: Mapping[str, Any], where: str, settings: Settings) -> Cluster:
    options = connection_options(given, settings.base)
    if "host" not in options and "kubeconfig" not in options and "context" not in options:
        raise OptionError(f"{where}: says nothing of how to reach {given['name']}; give host, kubeconfig or context")
    return Cluster(
        name=given["name"],
        source="clusters",
        place="list",
        address=options.get("host", ""),
        **with_secrets_apart(given["name"], options, where, settings),
        **{key: given[key] for key in ("labels", "region", "provider") if key in given},
    )
