# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Packages as plain data, what is wrong with them, and their upgrade graph drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError, Problems
from ..nested import at
from .catalog import Catalog
from .drawing import as_svg
from .graph import Graph, as_data, channel_heads, deprecated_channels, in_version_order, upgrade_graph
from .mermaid import as_mermaid
from .model import PACKAGE, Package
from .nearest import nearest_changes
from .page import as_html
from .query import Installed, Query
from .resolution import bundle_as_data
from .validate import ERROR, Problem, validate, validate_orphans


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


FORMS: Mapping[str, Callable[[Package, Graph, Catalog], Any]] = {
    "data": lambda _package, graph, _catalog: as_data(graph),
    "mermaid": lambda _package, graph, _catalog: as_mermaid(graph),
    "svg": lambda package, graph, _catalog: as_svg(package, graph),
    "html": lambda package, graph, catalog: as_html(package, graph, catalog.name or catalog.place),
}
