# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The status of a fleet: every cluster with its rows, in an order that is always the same, and counts over all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from ..errors import OptionError
from ..nested import texts
from .rows import Row, rows_of
from .schema import HEALTH, REPORT


def fleet_status(clusters: Iterable[Mapping[str, Any]], title: str, time: str | None) -> dict[str, Any]:
    """The report as data, in the form of REPORT_SCHEMA. The same clusters give the same report, in whatever order they come."""
    told = sorted(
        (cluster_status(cluster, place) for place, cluster in enumerate(clusters)), key=lambda one: natural(one["name"])
    )
    for one, other in pairwise(told):
        if one["name"] == other["name"]:
            raise OptionError(f"clusters: there are two of the name {one['name']}; every cluster is told of once")
    return {"schema": REPORT, "title": title, "time": time, "summary": summary(told), "clusters": told}


def cluster_status(given: Mapping[str, Any], place: int) -> dict[str, Any]:
    """One cluster in the form of CLUSTER_SCHEMA."""
    try:
        rows = rows_of(given)
    except OptionError as error:
        raise OptionError(f"clusters[{place}] ({given.get('name')}): {error}") from error
    return {
        "name": str(given["name"]),
        "reachable": given.get("reachable") is not False,
        "error": str(given.get("error") or ""),
        "kubernetes_version": given.get("kubernetes_version"),
        "engine": given.get("engine"),
        "groups": sorted(texts(given.get("groups"))),
        "labels": {str(key): str(value) for key, value in sorted((given.get("labels") or {}).items())},
        "extensions": rows,
    }


def summary(clusters: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts over clusters in the form of CLUSTER_SCHEMA."""
    told = list(clusters)
    rows: list[Row] = [row for cluster in told for row in cluster["extensions"]]
    health = Counter(row["health"] for row in rows)
    return {
        "clusters": len(told),
        "unreachable": sum(not cluster["reachable"] for cluster in told),
        "extensions": len(rows),
        "health": {name: health[name] for name in HEALTH},
        "not_as_wanted": sum(row["as_wanted"] is False and row["version"] is not None for row in rows),
        "upgrades": sum(row["upgrade"] is not None for row in rows),
        "deprecated": sum(bool(row["deprecations"]) for row in rows),
        "pending_approval": sum(row["pending_approval"] is not None for row in rows),
        "blocked": sum(bool(row["blocked_by"]) for row in rows),
    }


def natural(text: str) -> list[tuple[bool, int, str]]:
    """A key that sorts edge-2 before edge-10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"([0-9]+)", text)]
