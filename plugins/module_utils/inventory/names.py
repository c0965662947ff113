# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Host names: what a cluster is called where it comes from, made unique where two are called the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .model import Cluster


def unique(clusters: Iterable[Cluster]) -> tuple[list[Cluster], list[str]]:
    """The clusters under names of their own, and what was changed. All that share a name get another one, so that the
    name of a host does not hang on the order of files."""
    once, warnings = _once(clusters)
    by_name: dict[str, list[Cluster]] = {}
    for cluster in once:
        by_name.setdefault(cluster.name, []).append(cluster)
    taken = {name for name, same in by_name.items() if len(same) == 1}
    named = []
    for cluster in once:
        if len(by_name[cluster.name]) == 1:
            named.append(cluster)
            continue
        name = _free(f"{cluster.name}.{cluster.place}", taken)
        taken.add(name)
        named.append(replace(cluster, name=name))
        warnings.append(
            f"{len(by_name[cluster.name])} clusters are called '{cluster.name}'; the one of {cluster.place} is host '{name}'"
        )
    return named, warnings


def _once(clusters: Iterable[Cluster]) -> tuple[list[Cluster], list[str]]:
    """Without what is the same cluster under the same name: it must not be worked on twice."""
    seen: dict[tuple[str, str], Cluster] = {}
    kept, warnings = [], []
    for cluster in clusters:
        key = (cluster.name, cluster.address.rstrip("/"))
        first = seen.setdefault(key, cluster)
        if first is cluster or not cluster.address:
            kept.append(cluster)
        else:
            warnings.append(
                f"cluster '{cluster.name}' ({cluster.address}) is found twice; the one of {first.source} {first.place} is used, "
                f"not that of {cluster.source} {cluster.place}"
            )
    return kept, warnings


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
