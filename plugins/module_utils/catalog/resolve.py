# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resolution: from a query and catalogs to one bundle, by the rules of OLM v1, with what each rule removed.

`RULES` is the order of work. Each rule gives the bundles that it keeps; what is left is sorted, the first is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from .constraints import parse_constraints
from .model import CatalogBundle, Channel, Location, Package
from .platform import misfit
from .query import Query
from .successors import successors, version_of
from .versions import parse_version_release


class CatalogLike(Protocol):
    """What resolution needs of a catalog."""

    name: str
    priority: int
    place: str

    def package_names(self) -> list[str]: ...

    def package(self, name: str) -> Package | None: ...

    def document(self, location: Location) -> dict[str, Any]: ...


Bundles: TypeAlias = "Sequence[CatalogBundle]"
Rule: TypeAlias = "Callable[[Query, CatalogLike, Package, Bundles], Bundles]"


@dataclass(frozen=True)
class Step:
    """One rule and what it did: the bundles that it kept and those that it removed."""

    rule: str
    kept: tuple[CatalogBundle, ...]
    removed: tuple[CatalogBundle, ...]


@dataclass(frozen=True)
class Answer:
    """What one catalog answers: the steps, and the candidates that are left, the best first."""

    catalog: CatalogLike
    package: Package
    steps: tuple[Step, ...]
    candidates: tuple[CatalogBundle, ...]

    @property
    def bundle(self) -> CatalogBundle:
        return self.candidates[0]

    @property
    def deprecated(self) -> bool:
        return self.bundle.name in self.package.deprecated_bundles

    @property
    def refusal(self) -> str:
        """Why OLM v1 would not install its best candidate; empty where it would. It never takes the next one instead."""
        if self.bundle.version_release is None:
            return f"its olm.package property has no valid version ({self.bundle.version!r})"
        if self.bundle.dependency:
            return f"it declares a dependency with the property {self.bundle.dependency}, and OLM v1 resolves none"
        return ""


def answer(query: Query, catalog: CatalogLike) -> Answer | None:
    """What one catalog has for a query; None where it does not know the package."""
    package = catalog.package(query.package)
    if package is None:
        return None
    kept: Bundles = package.bundles
    steps = [Step("package", tuple(kept), ())]
    for name, applies, rule in RULES:
        if applies(query):
            before, kept = kept, rule(query, catalog, package, kept)
            names = {id(bundle) for bundle in kept}
            removed = tuple(bundle for bundle in before if id(bundle) not in names)
            steps.append(Step(name, tuple(kept), removed))
    return Answer(catalog, package, tuple(steps), tuple(in_order(package, kept)))


def in_order(package: Package, bundles: Bundles) -> list[CatalogBundle]:
    """The best first: deprecated ones last, then by version and release; those without a valid version come after others."""

    def key(bundle: CatalogBundle) -> tuple[Any, ...]:
        version = bundle.version_release
        return (1, version.key) if version is not None else (0,)

    deprecated = package.deprecated_bundles
    # Sorting keeps the catalog's order among equals, also when it is reversed.
    by_version = sorted(bundles, key=key, reverse=True)
    return sorted(by_version, key=lambda bundle: bundle.name in deprecated) if deprecated else by_version


def choose(answers: Sequence[Answer]) -> Sequence[Answer]:
    """The answers that are left of several catalogs' ones: more than one cannot be decided between."""
    answers = [one for one in answers if one.candidates]
    current = [one for one in answers if not one.deprecated] or answers
    highest = max((one.catalog.priority for one in current), default=0)
    return [one for one in current if one.catalog.priority == highest]


def searched_channels(query: Query, package: Package) -> Sequence[Channel]:
    """The channels that a query looks at: those it names, or all."""
    if not query.channels:
        return package.channels
    return [channel for channel in package.channels if channel.name in query.channels]


def _in_channels(query: Query, catalog: CatalogLike, package: Package, bundles: Bundles) -> Bundles:
    del catalog
    names = {entry.name for channel in searched_channels(query, package) for entry in channel.entries}
    return [bundle for bundle in bundles if bundle.name in names]


def _in_range(query: Query, catalog: CatalogLike, package: Package, bundles: Bundles) -> Bundles:
    del catalog, package
    constraints = parse_constraints(query.version)
    return [
        bundle
        for bundle in bundles
        if bundle.version_release is not None and constraints.match(bundle.version_release.version)
    ]


def _follows_installed(query: Query, catalog: CatalogLike, package: Package, bundles: Bundles) -> Bundles:
    del catalog
    if query.installed is None:
        return bundles
    version_of(query.installed)
    names = {name for name, _edge, _channel in successors(query.installed, searched_channels(query, package))}
    # The installed version stays possible, whatever its bundle is called in the catalog.
    current = parse_version_release(query.installed.version).key
    return [
        bundle
        for bundle in bundles
        if bundle.name in names or (bundle.version_release is not None and bundle.version_release.key == current)
    ]


def _fits_platform(query: Query, catalog: CatalogLike, package: Package, bundles: Bundles) -> Bundles:
    del package
    return [bundle for bundle in bundles if not misfit_of(query, catalog, bundle)]


def misfit_of(query: Query, catalog: CatalogLike, bundle: CatalogBundle) -> str:
    """Why a bundle does not fit the cluster; empty where it does."""
    return misfit(catalog.document(bundle.location), query.platform, f"{catalog.place}: {bundle.location}")


RULES: tuple[tuple[str, Callable[[Query], bool], Rule], ...] = (
    ("channels", lambda query: bool(query.channels), _in_channels),
    ("version", lambda query: bool(query.version), _in_range),
    ("successors", lambda query: query.follows_edges, _follows_installed),
    ("platform", lambda query: bool(query.platform), _fits_platform),
)
