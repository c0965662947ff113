# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""After a refusal: the nearest change of the query that would work."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from .constraints import parse_constraints
from .model import CatalogBundle, Package
from .query import SELF_CERTIFIED, Platform, Query
from .resolve import Answer, CatalogLike, answer, in_order, searched_channels
from .upgrade_path import Hop, upgrade_path
from .versions import parse_version_release

_MOST_NAMES = 3


@dataclass(frozen=True)
class Change:
    """Options with which the query would be answered, by which bundle, and the same in words."""

    options: Mapping[str, Any]
    bundle: str
    words: str
    path: tuple[Hop, ...] = field(default=())


def nearest_changes(query: Query, catalogs: Sequence[CatalogLike]) -> tuple[Change, ...]:
    """What would work, the smallest change first."""
    known = [(catalog, package) for catalog in catalogs if (package := catalog.package(query.package)) is not None]
    if not known:
        return tuple(_other_packages(query, catalogs))
    found: list[Change] = []
    for catalog, package in known:
        for change in (*_first_hops(query, catalog, package), *_fewer_rules(query, catalog, package)):
            if all(change.options != other.options for other in found):
                found.append(change)
    return tuple(sorted(found, key=lambda change: len(change.options)))


def _other_packages(query: Query, catalogs: Sequence[CatalogLike]) -> Iterator[Change]:
    names = sorted({name for catalog in catalogs for name in catalog.package_names()})
    for name in difflib.get_close_matches(query.package, names, n=_MOST_NAMES):
        yield Change({"package": name}, "", f"did you mean package {name}?")


def _first_hops(query: Query, catalog: CatalogLike, package: Package) -> Iterator[Change]:
    """Where what is wanted can be reached, only not at once: the first hop on the way."""
    if query.installed is None or not query.follows_edges:
        return
    wanted = answer(replace(query, policy=SELF_CERTIFIED), catalog)
    target = _installable(wanted)
    if wanted is None or target is None or target.name == query.installed.name:
        return
    for channels, words in ((searched_channels(query, package), ""), (package.channels, " through other channels")):
        path = upgrade_path(query.installed, target, package, channels)
        if path and len(path) > 1:
            first = path[0].bundle
            options: dict[str, Any] = {"version": _version(first)}
            if words:
                options["channels"] = sorted({hop.channel for hop in path})
            yield Change(
                options,
                first.name,
                f"{query.installed.version} → {_version(target)} needs {_version(first)} first{words}",
                path,
            )
            return


def _fewer_rules(query: Query, catalog: CatalogLike, package: Package) -> Iterator[Change]:
    """The smallest sets of rules without which there is an answer, and what to write instead of each."""
    rules = [
        name
        for name, applies in (
            ("channels", bool(query.channels)),
            ("policy", query.follows_edges),
            ("platform", bool(query.platform)),
            # Last: who names a version wants that one.
            ("version", bool(query.version)),
        )
        if applies
    ]
    for count in range(len(rules) + 1):
        found = False
        for dropped in combinations(rules, count):
            relaxed = _relaxed(query, dropped)
            bundle = _closest(query, answer(relaxed, catalog), package)
            if bundle is not None:
                found = True
                yield _change(query, dropped, bundle, package)
        if found:
            return


def _relaxed(query: Query, dropped: Sequence[str]) -> Query:
    return replace(
        query,
        channels=() if "channels" in dropped else query.channels,
        version="" if "version" in dropped else query.version,
        policy=SELF_CERTIFIED if "policy" in dropped else query.policy,
        platform=Platform() if "platform" in dropped else query.platform,
    )


def _installable(found: Answer | None) -> CatalogBundle | None:
    """The first candidate that OLM v1 would install."""
    candidates = found.candidates if found else ()
    return next((one for one in candidates if one.version_release is not None and not one.dependency), None)


def _closest(query: Query, found: Answer | None, package: Package) -> CatalogBundle | None:
    """Of the candidates, one that the range leaves out only because it is a pre-release, or else the best upgrade."""
    if found is None:
        return None
    candidates = [one for one in found.candidates if one.version_release is not None and not one.dependency]
    if query.version:
        constraints = parse_constraints(query.version)
        nearly = [
            one
            for one in candidates
            if one.version_release and constraints.match_but_for_pre_release(one.version_release.version)
        ]
        candidates = nearly or candidates
    if query.installed is not None and not query.version:
        # Staying where one is changes nothing, and going back is not what was asked for.
        current = parse_version_release(query.installed.version).key
        candidates = [
            one for one in candidates if one.version_release and one.version_release.key > current
        ] or candidates
    ordered = in_order(package, candidates)
    return ordered[0] if ordered else None


def _change(query: Query, dropped: Sequence[str], bundle: CatalogBundle, package: Package) -> Change:
    options: dict[str, Any] = {}
    words = []
    version = _version(bundle)
    if "channels" in dropped:
        options["channels"] = list(package.channels_of(bundle.name))
        in_channels = ", ".join(options["channels"]) or "no channel"
        words.append(f"{version} is in {'channel' if len(options['channels']) == 1 else 'channels'} {in_channels}")
    if "version" in dropped or not dropped:
        options["version"] = version
        pre = bundle.version_release is not None and bundle.version_release.version.pre
        nearly = pre and bool(query.version) and _matches_nearly(query.version, bundle)
        words.append(
            f"{version} is a pre-release, which a range takes only where it names one: write {version} or a range with -0"
            if nearly
            else f"{version} is there"
        )
    if "policy" in dropped:
        options["policy"] = SELF_CERTIFIED
        installed = query.installed.version if query.installed else ""
        words.append(f"{installed} → {version} is no upgrade of the catalog; policy {SELF_CERTIFIED} allows it")
    if "platform" in dropped:
        options |= {"kubernetes_version": None, "openshift_version": None}
        words.append(f"{version} does not fit the cluster's version")
    return Change(options, bundle.name, "; ".join(words))


def _matches_nearly(text: str, bundle: CatalogBundle) -> bool:
    return bundle.version_release is not None and parse_constraints(text).match_but_for_pre_release(
        bundle.version_release.version
    )


def _version(bundle: CatalogBundle) -> str:
    return str(bundle.version_release or bundle.version)
