# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A query answered as a whole: the bundle, or a refusal that says why and what would work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .constraints import parse_constraints
from .model import BUNDLE, CHANNEL, PACKAGE, CatalogBundle, Package
from .problems import Unresolved
from .query import Query
from .resolve import Answer, CatalogLike, Step, answer, choose, misfit_of
from .successors import edge, version_of

if TYPE_CHECKING:
    from .nearest import Change
    from .upgrade_path import Hop

# Beyond that, names of removed bundles are counted instead of listed.
_MOST_NAMES = 50
_MOST_CHANGES = 3


@dataclass(frozen=True)
class Resolution:
    """The answer to a query."""

    query: Query
    chosen: Answer
    answers: tuple[Answer, ...]

    @property
    def bundle(self) -> CatalogBundle:
        return self.chosen.bundle

    @property
    def package(self) -> Package:
        return self.chosen.package


def resolve(query: Query, catalogs: Sequence[CatalogLike]) -> Resolution:
    """The bundle that OLM v1 would install; raises Unresolved where it would refuse."""
    if query.version:
        parse_constraints(query.version)
    answers = tuple(found for catalog in catalogs if (found := answer(query, catalog)) is not None)
    left = choose(answers)
    if len(left) == 1 and not left[0].refusal:
        return Resolution(query, left[0], answers)
    raise _refusal(query, catalogs, answers, left)


def _refusal(
    query: Query, catalogs: Sequence[CatalogLike], answers: Sequence[Answer], left: Sequence[Answer]
) -> Unresolved:
    # Only here: most queries are answered.
    from .nearest import nearest_changes

    changes: tuple[Change, ...] = ()
    if len(left) > 1:
        names = ", ".join(sorted(one.catalog.name or one.catalog.place for one in left))
        problem = (
            f"{_asked(query)}: found in several catalogs of the same priority: {names}; give one of them a higher "
            "priority, or choose with selector"
        )
    elif left:
        problem = f"{_asked(query)}: {left[0].bundle.name} is what is to be installed, but {left[0].refusal}"
        changes = nearest_changes(query, [left[0].catalog])
    else:
        problem = f"{_asked(query)}: {_reason(query, catalogs, answers)}"
        changes = nearest_changes(query, catalogs)
    if changes:
        problem += "; " + "; or ".join(change.words for change in changes[:_MOST_CHANGES])
    details = {"why": why(query, answers), "changes": [_change(change) for change in changes]}
    return Unresolved(problem, details)


def _asked(query: Query) -> str:
    words = [f"package {query.package}"]
    if query.version:
        words.append(f"version {query.version}")
    if query.channels:
        words.append(f"{'channel' if len(query.channels) == 1 else 'channels'} {', '.join(query.channels)}")
    if query.installed:
        words.append(f"installed {query.installed.version}")
    return ", ".join(words)


def _reason(query: Query, catalogs: Sequence[CatalogLike], answers: Sequence[Answer]) -> str:
    """The rule that removed the last candidates, in words."""
    if not answers:
        return "no catalog has this package" if len(catalogs) != 1 else "the catalog does not have this package"
    if not any(found.package.bundles for found in answers):
        return "the package has no bundles"
    # The catalog that came farthest has the most to say.
    found = max(answers, key=lambda one: sum(1 for step in one.steps if step.kept))
    step = next(step for step in found.steps if not step.kept)
    names = found.package.channel_names()
    if step.rule == "channels":
        unknown = [name for name in query.channels if name not in names]
        if unknown:
            return f"there is no channel {', '.join(unknown)}; the package has {', '.join(names) or 'none'}"
        return "no bundle is in the channels"
    if step.rule == "version":
        versions = [str(one.version_release) for one in found.steps[0].kept if one.version_release]
        there = f"; there are {_some(versions)}" if not query.channels else ""
        return f"no version matches{there}"
    if step.rule == "successors":
        return f"{_some([_version(one) for one in step.removed])} cannot be upgraded to from {query.installed.name if query.installed else ''}"
    reasons = sorted({misfit_of(query, found.catalog, one) for one in step.removed})
    return f"{_some([_version(one) for one in step.removed])} fit this cluster not: {'; '.join(reasons[:3])}"


def _some(names: Sequence[str], most: int = 5) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def why(query: Query, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """What each rule did in each catalog, as data."""
    return [
        {
            "catalog": found.catalog.name or found.catalog.place,
            "priority": found.catalog.priority,
            "steps": [_step(query, found, step) for step in found.steps],
            "candidates": [_version(one) for one in found.candidates[:_MOST_NAMES]],
        }
        for found in answers
    ]


def _step(query: Query, found: Answer, step: Step) -> dict[str, Any]:
    return {
        "rule": step.rule,
        "because": _because(query, found, step),
        "kept": len(step.kept),
        "removed": [_version(one) for one in step.removed[:_MOST_NAMES]],
        "removed_count": len(step.removed),
    }


def _because(query: Query, found: Answer, step: Step) -> str:
    if step.rule == "channels":
        return f"in channels {', '.join(query.channels)}"
    if step.rule == "version":
        return f"in the range {query.version}"
    if step.rule == "successors" and query.installed:
        return f"{query.installed.name} itself, or an upgrade of it"
    if step.rule == "platform":
        platform = query.platform
        versions = (("Kubernetes", platform.kubernetes_version), ("OpenShift", platform.openshift_version))
        return "fits " + " and ".join(f"{name} {version}" for name, version in versions if version)
    return f"of package {found.package.name}"


def _version(bundle: CatalogBundle) -> str:
    return str(bundle.version_release or bundle.version or bundle.name)


def _change(change: Change) -> dict[str, Any]:
    return {
        "options": dict(change.options),
        "bundle": change.bundle,
        "message": change.words,
        **({"path": hops_as_data(change.path)} if change.path else {}),
    }


def hops_as_data(hops: Sequence[Hop]) -> list[dict[str, str]]:
    """A path of upgrades as data."""
    return [
        {
            "name": hop.bundle.name,
            "version": _version(hop.bundle),
            "image": hop.bundle.image,
            "edge": hop.edge,
            "channel": hop.channel,
        }
        for hop in hops
    ]


def deprecation_warnings(package: Package, bundle: CatalogBundle) -> Iterator[str]:
    """What a user must know of deprecations when a bundle is chosen."""
    for item in package.deprecations:
        name = {PACKAGE: package.name, BUNDLE: bundle.name, CHANNEL: item.name}.get(item.schema)
        if item.schema == CHANNEL and item.name not in package.channels_of(bundle.name):
            continue
        if item.schema != PACKAGE and item.name != name:
            continue
        kind = item.schema.removeprefix("olm.")
        yield f"{kind} {name} is deprecated: {item.message}" if item.message else f"{kind} {name} is deprecated"


def edges_into(query: Query, package: Package, bundle: CatalogBundle) -> list[dict[str, str]]:
    """By which edges a bundle follows the installed one."""
    if query.installed is None:
        return []
    version = version_of(query.installed)
    return [
        {"channel": channel, "edge": found}
        for channel, entry in package.entries.get(bundle.name, ())
        if (found := edge(entry, query.installed.name, version))
    ]


def bundle_as_data(package: Package, bundle: CatalogBundle) -> Mapping[str, Any]:
    """A bundle of a catalog as data."""
    version = bundle.version_release
    return {
        "name": bundle.name,
        "package": package.name,
        "version": bundle.version,
        "release": str(version).partition("+")[2] if version and version.release else None,
        "image": bundle.image,
        "channels": list(package.channels_of(bundle.name)),
        "deprecated": package.deprecated_bundles.get(bundle.name),
    }
