# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which bundle a platform operator is made of: the highest version of its package that fits the cluster, in whichever catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..bundle.load import LoadedBundle, load_bundle
from ..bundle.source_options import SCHEME, SourceOptions
from ..catalog.model import CatalogBundle
from ..catalog.on_demand import of_client
from ..catalog.query import Platform, Query
from ..catalog.resolution import deprecation_warnings, resolve
from ..catalog.resolve import Answer, CatalogLike, answer
from ..catalog.sources import open_catalogs
from ..catalog.versions import parse_version_release
from ..cluster.client import Client
from ..cluster.info import OPENSHIFT_GROUP, openshift_version, read_kubernetes
from ..errors import OptionError, Problems, SourceError
from .restrictions import bundle_problems, package_problems


@dataclass(frozen=True)
class Sourcing:
    """The catalogs that are allowed, and the cluster that bundles have to fit.

    `bundle_sources` says of bundles, by name, where they are read from instead of their images.
    """

    client: Client
    catalog: Any
    selector: Any
    access: SourceOptions
    bundle_sources: Mapping[str, Any]

    @cached_property
    def platform(self) -> Platform:
        """The versions of the cluster, asked for once."""
        is_openshift = self.client.discovery().served(OPENSHIFT_GROUP, "clusterversions")
        release = openshift_version(self.client) if is_openshift else None
        return Platform(read_kubernetes(self.client).version, release or "")


@dataclass(frozen=True)
class Choice:
    """The bundle of a catalog that a package leads to, and what a user should know about it."""

    bundle: CatalogBundle
    warnings: tuple[str, ...]

    def is_newer_than(self, version: str) -> bool:
        """Whether its version is higher."""
        own = self.bundle.version_release
        return own is not None and own.key > parse_version_release(version).key


def chosen(sourcing: Sourcing, package: str) -> Choice:
    """The bundle for a package."""
    problems = package_problems(package)
    if problems:
        raise Problems(problems)
    if not sourcing.catalog:
        raise OptionError(f"catalog: must be given to install package {package}")
    query = Query(package=package, platform=sourcing.platform)
    with open_catalogs(
        sourcing.catalog,
        sourcing.access,
        package=package,
        selector=sourcing.selector,
        of_cluster=of_client(sourcing.client),
    ) as opened:
        found, bundle = _highest(query, opened.catalogs)
        return Choice(bundle, (*opened.warnings, *deprecation_warnings(found.package, bundle)))


def loaded(sourcing: Sourcing, choice: Choice) -> LoadedBundle:
    """The bundle itself, which has to be one that may be a platform operator."""
    listed = choice.bundle
    if listed.dependency:
        raise Problems([f"{listed.name} cannot be a platform operator: it declares a dependency ({listed.dependency})"])
    found = load_bundle(_source(sourcing, listed), sourcing.access)
    if found.bundle.name != listed.name:
        raise SourceError(f"{found.reference} holds {found.bundle.name}, where the catalog lists {listed.name}")
    problems = bundle_problems(found.bundle)
    if problems:
        raise Problems(problems, f"{found.bundle.name} cannot be a platform operator: ")
    return found


def _highest(query: Query, catalogs: Sequence[CatalogLike]) -> tuple[Answer, CatalogBundle]:
    """The highest version in all catalogs; of two alike, that of the catalog with the higher priority."""
    answers = [found for catalog in catalogs if (found := answer(query, catalog)) is not None]
    candidates = [
        (bundle.version_release.key, found.catalog.priority, found, bundle)
        for found in answers
        for bundle in found.candidates
        if bundle.version_release is not None
    ]
    if not candidates:
        # It says why there is nothing, and what there would be.
        resolved = resolve(query, catalogs)
        return resolved.chosen, resolved.bundle
    best = max(candidates, key=lambda one: one[:2])
    return best[2], best[3]


def _source(sourcing: Sourcing, bundle: CatalogBundle) -> Any:
    if bundle.name in sourcing.bundle_sources:
        return sourcing.bundle_sources[bundle.name]
    if not bundle.image:
        raise SourceError(f"the catalog has no image for {bundle.name}; say in bundle_sources where it is")
    return SCHEME + bundle.image.removeprefix(SCHEME)
