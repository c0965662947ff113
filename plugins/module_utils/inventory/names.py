# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Host names: what a cluster is called where it comes from, made one that Ansible can name and unique where two are called the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .model import Cluster

# What means something in a pattern of hosts, in the midst of a name and at its beginning, or would make folders of the files in host_vars.
_SEPARATORS = re.compile(r"[\s:,;\[\]*?/\\]+")
_OPERATORS = "!&~@-"


def unique(clusters: Iterable[Cluster]) -> tuple[list[Cluster], list[str]]:
    """The clusters under names of their own, and what was changed. All that share a name get another one, so that the
    name of a host does not hang on the order of files."""
    nameable, warnings = _nameable(clusters)
    once, twice = _once(nameable)
    warnings += twice
    by_name: dict[str, list[Cluster]] = {}
    for cluster in once:
        by_name.setdefault(cluster.name, []).append(cluster)
    taken = {name for name, same in by_name.items() if len(same) == 1}
    named = []
    for cluster in once:
        if len(by_name[cluster.name]) == 1:
            named.append(cluster)
            continue
        name = _free(f"{cluster.name}.{_plain(cluster.place)}", taken)
        taken.add(name)
        named.append(replace(cluster, name=name))
        warnings.append(
            f"{len(by_name[cluster.name])} clusters are called '{cluster.name}'; the one of {cluster.place} is host '{name}'"
        )
    return named, warnings


def _nameable(clusters: Iterable[Cluster]) -> tuple[list[Cluster], list[str]]:
    """The clusters under names that a play and --limit can name, and what was changed."""
    named, warnings = [], []
    for cluster in clusters:
        name = _plain(cluster.name)
        if name != cluster.name:
            warnings.append(
                f"cluster '{cluster.name}' is host '{name}', since Ansible could not name it as it is called"
            )
        named.append(replace(cluster, name=name))
    return named, warnings


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name).lstrip(_OPERATORS) or "cluster"


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
