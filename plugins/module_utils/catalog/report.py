# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules return: answers, paths, ways back and packages as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError, Problems
from ..nested import at
from .catalog import Catalog
from .drawing import as_svg
from .graph import Graph, as_data, channel_heads, deprecated_channels, in_version_order, upgrade_graph
from .mermaid import as_mermaid
from .model import PACKAGE, CatalogBundle, Package
from .nearest import nearest_changes
from .page import as_html
from .problems import Unresolved
from .query import SELF_CERTIFIED, Installed, Query
from .resolution import (
    bundle_as_data,
    deprecation_warnings,
    edges_into,
    hops_as_data,
    resolve,
    why,
)
from .resolve import CatalogLike, searched_channels
from .rollback import rollback_candidates
from .upgrade_path import Hop, upgrade_path
from .validate import ERROR, Problem, validate, validate_orphans


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
            f"package {query.package}: the catalog has nothing older than {query.installed.version} in these channels "
            "and this range",
            {"rollback": []},
        )
    return Report({"bundle": candidates[0], "rollback": candidates})


def _bundle(package: Package, bundle: CatalogBundle, catalog: CatalogLike) -> dict[str, Any]:
    return {**bundle_as_data(package, bundle), "catalog": catalog.name or catalog.place}


def package_summary(package: Package, catalog: Catalog, *, icon: bool = False) -> dict[str, Any]:
    """A package as a list shows it."""
    old = deprecated_channels(package)
    summary = {
        "name": package.name,
        "catalog": catalog.name or catalog.place,
        "description": package.description,
        "default_channel": package.default_channel,
        "deprecated": next((item.message for item in package.deprecations if item.schema == PACKAGE), None),
        "channels": [
            {
                "name": channel.name,
                "heads": channel_heads(channel),
                "entries": len(channel.entries),
                "deprecated": old.get(channel.name),
            }
            for channel in package.channels
        ],
    }
    if icon and package.described:
        summary["icon"] = catalog.document(package.described[0].location).get("icon")
    return summary


def package_details(
    package: Package, catalog: Catalog, *, icon: bool = False, properties: bool = False
) -> dict[str, Any]:
    """A package with its bundles, the newest first."""
    bundles = []
    for bundle in reversed(in_version_order(package.bundles)):
        told: dict[str, Any] = {**bundle_as_data(package, bundle), "location": str(bundle.location)}
        if properties:
            document = catalog.document(bundle.location)
            told["properties"] = [item for item in document.get("properties") or [] if not _is_manifest(item)]
            told["related_images"] = document.get("relatedImages") or []
        bundles.append(told)
    return {**package_summary(package, catalog, icon=icon), "bundles": bundles}


def _is_manifest(item: Any) -> bool:
    """Manifests in base64 are for machines."""
    return bool(at(item, "type") == "olm.bundle.object")


def problems_of(catalogs: Sequence[Catalog], name: str = "") -> Iterator[tuple[Catalog, Problem]]:
    """All that is wrong with catalogs, or with one package of them."""
    for catalog in catalogs:
        for package_name in [name] if name else catalog.package_names():
            package = catalog.package(package_name)
            for problem in validate(package) if package else ():
                yield catalog, problem
        if not name:
            for problem in validate_orphans(catalog.without_package()):
                yield catalog, problem


def check(catalogs: Sequence[Catalog], name: str, *, strict: bool) -> list[dict[str, str]]:
    """The problems as data; where `strict`, raises those that opm refuses a catalog for."""
    found = list(problems_of(catalogs, name))
    errors = [f"{catalog.place}: {problem}" for catalog, problem in found if problem.severity == ERROR]
    if strict and errors:
        raise Problems(errors)
    return [{"catalog": catalog.name or catalog.place, **asdict(problem)} for catalog, problem in found]


def described(catalogs: Sequence[Catalog], name: str, *, icon: bool, properties: bool) -> list[dict[str, Any]]:
    """All packages, or one of them with its bundles from every catalog that has it."""
    if not name:
        return [
            package_summary(package, catalog, icon=icon)
            for catalog in catalogs
            for listed in catalog.package_names()
            if (package := catalog.package(listed)) is not None
        ]
    return [
        package_details(package, catalog, icon=icon, properties=properties)
        for catalog, package in _having(catalogs, name)
    ]


def drawn(
    catalogs: Sequence[Catalog], name: str, channels: Sequence[str], installed: Installed | None, form: str
) -> Any:
    """The upgrade graph of a package in one of the forms."""
    catalog, package = max(_having(catalogs, name), key=lambda one: one[0].priority)
    unknown = [channel for channel in channels if channel not in package.channel_names()]
    if unknown:
        there = ", ".join(package.channel_names()) or "none"
        raise OptionError(f"channels: {', '.join(unknown)} is not in package {name}; there are {there}")
    return FORMS[form](package, upgrade_graph(package, channels, installed), catalog)


def _having(catalogs: Sequence[Catalog], name: str) -> list[tuple[Catalog, Package]]:
    found = [(catalog, package) for catalog in catalogs if (package := catalog.package(name)) is not None]
    if not found:
        changes = nearest_changes(Query(name), catalogs)
        hint = f"; {changes[0].words}" if changes else ""
        raise OptionError(f"package: no catalog has a package {shown(name)}{hint}")
    return found


def image_of(query: Query, catalogs: Sequence[Catalog]) -> str:
    """The image of the installed bundle, where a catalog has it."""
    packages = [catalog.package(query.package) for catalog in catalogs]
    name = query.installed.name if query.installed else ""
    return next((package.by_name[name].image for package in packages if package and name in package.by_name), "")


FORMS: Mapping[str, Callable[[Package, Graph, Catalog], Any]] = {
    "data": lambda _package, graph, _catalog: as_data(graph),
    "mermaid": lambda _package, graph, _catalog: as_mermaid(graph),
    "svg": lambda package, graph, _catalog: as_svg(package, graph),
    "html": lambda package, graph, catalog: as_html(package, graph, catalog.name or catalog.place),
}
