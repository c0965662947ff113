# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers to queries, ways of upgrades and ways back, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import OptionError
from .catalog import Catalog
from .model import CatalogBundle, Package
from .problems import Unresolved
from .query import SELF_CERTIFIED, Query
from .resolution import bundle_as_data, deprecation_warnings, edges_into, hops_as_data, resolve, why
from .resolve import CatalogLike, searched_channels
from .rollback import rollback_candidates
from .upgrade_path import Hop, upgrade_path


@dataclass(frozen=True)
class Report:
    """A result, and what a user should know about it."""

    result: dict[str, Any]
    warnings: tuple[str, ...] = ()
    hops: tuple[Hop, ...] = ()


def resolved(query: Query, catalogs: Sequence[Catalog]) -> Report:
    """The bundle that OLM v1 would install."""
    found = resolve(query, catalogs)
    result = {
        "bundle": _bundle(found.package, found.bundle, found.chosen.catalog),
        "edges": edges_into(query, found.package, found.bundle),
        "why": why(query, found.answers),
    }
    return Report(result, tuple(deprecation_warnings(found.package, found.bundle)))


def path_to(query: Query, catalogs: Sequence[Catalog]) -> Report:
    """The shortest way of upgrades from the installed bundle to the best that the query names."""
    if query.installed is None:
        raise OptionError("upgrade_path: needs installed, to know where the way begins")
    found = resolve(replace(query, policy=SELF_CERTIFIED), catalogs)
    hops = upgrade_path(query.installed, found.bundle, found.package, searched_channels(query, found.package))
    if hops is None:
        other = upgrade_path(query.installed, found.bundle, found.package, found.package.channels)
        hint = (
            f"; there is one through the channels {', '.join(sorted({hop.channel for hop in other}))}" if other else ""
        )
        raise Unresolved(
            f"package {query.package}: no upgrades lead from {query.installed.name} to {found.bundle.name}{hint}; "
            f"policy {SELF_CERTIFIED} allows it without them",
            {"why": why(query, found.answers), "changes": []},
        )
    result = {
        "bundle": _bundle(found.package, found.bundle, found.chosen.catalog),
        "path": hops_as_data(hops),
        "why": why(query, found.answers),
    }
    return Report(result, tuple(deprecation_warnings(found.package, found.bundle)), hops)


def ways_back(query: Query, catalogs: Sequence[Catalog]) -> Report:
    """What the installed bundle could be taken back to."""
    if query.installed is None:
        raise OptionError("rollback: needs installed, to know what to go back from")
    candidates: list[dict[str, Any]] = []
    for catalog in sorted(catalogs, key=lambda one: -one.priority):
        package = catalog.package(query.package)
        if package is not None:
            found = rollback_candidates(query, catalog)
            candidates += [{**_bundle(package, one.bundle, catalog), "policy": one.policy} for one in found]
    if not candidates:
        raise Unresolved(
            f"package {query.package}: the catalog has nothing older than {query.installed.version} that OLM v1 would "
            "install in these channels and this range",
            {"rollback": []},
        )
    return Report({"bundle": candidates[0], "rollback": candidates})


def _bundle(package: Package, bundle: CatalogBundle, catalog: CatalogLike) -> dict[str, Any]:
    return {**bundle_as_data(package, bundle), "catalog": catalog.name or catalog.place}


def image_of(query: Query, catalogs: Sequence[Catalog]) -> str:
    """The image of the installed bundle, where a catalog has it."""
    packages = [catalog.package(query.package) for catalog in catalogs]
    name = query.installed.name if query.installed else ""
    return next((package.by_name[name].image for package in packages if package and name in package.by_name), "")
