# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with a catalog, as opm finds it before it serves one, with the places to look at.

An *error* is what opm refuses. A *warning* is taken by opm and hardly meant so. `CHECKS` is the table of contents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .graph import channel_heads
from .model import BUNDLE, CHANNEL, PACKAGE, CatalogBundle, Channel, Location, Package
from .problems import BadRange, BadVersion
from .ranges import parse_range
from .versions import parse_version

ERROR, WARNING = "error", "warning"
_MOST_NAMES = 5


@dataclass(frozen=True)
class Problem:
    """One problem; `channel` and `bundle` are empty where it is about neither."""

    severity: str
    package: str
    channel: str
    bundle: str
    place: str
    message: str

    def __str__(self) -> str:
        parts = (("package", self.package), ("channel", self.channel), ("bundle", self.bundle))
        where = ", ".join(f"{kind} {name}" for kind, name in parts if name) or "catalog"
        return f"{where} ({self.place}): {self.message}" if self.place else f"{where}: {self.message}"


def validate(package: Package) -> Iterator[Problem]:
    """All problems of one package."""
    for check in CHECKS:
        yield from check(package)


def validate_orphans(orphans: Package | None) -> Iterator[Problem]:
    """Documents that name no package, as all but other schemas must."""
    if orphans is None:
        return
    for entry in orphans.described:
        yield Problem(ERROR, "", "", "", str(entry.location), "a package has no name")
    for channel in orphans.channels:
        yield Problem(ERROR, "", channel.name, "", str(channel.location), "names no package")
    for bundle in orphans.bundles:
        yield Problem(ERROR, "", "", bundle.name, str(bundle.location), "names no package")


def _package_document(package: Package) -> Iterator[Problem]:
    if not package.described:
        places = [one.location for one in package.channels] + [one.location for one in package.bundles]
        where = str(places[0]) if places else ""
        yield _of(package, f"has no {PACKAGE} document", where)
    for again in package.described[1:]:
        yield _of(package, f"is there twice, also in {package.described[0].location}", str(again.location))


def _default_channel(package: Package) -> Iterator[Problem]:
    if not package.described:
        return
    where = str(package.described[0].location)
    if not package.channels:
        yield _of(package, "has no channels", where)
    if not package.default_channel:
        yield _of(package, "has no defaultChannel", where)
    elif package.default_channel not in package.channel_names():
        there = ", ".join(package.channel_names()) or "none"
        yield _of(package, f"its default channel {package.default_channel} does not exist; there are {there}", where)


def _channels(package: Package) -> Iterator[Problem]:
    names = Counter(channel.name for channel in package.channels)
    for channel in package.channels:
        if not channel.name:
            yield _in(package, channel, "has no name")
        if names[channel.name] > 1:
            yield _in(package, channel, "is there more than once")
        if not channel.entries:
            yield _in(package, channel, "has no entries")
        entries = Counter(entry.name for entry in channel.entries)
        for name, count in entries.items():
            if count > 1:
                yield _in(package, channel, "has this entry more than once", name)
        for entry in channel.entries:
            if entry.name not in package.by_name:
                yield _in(package, channel, "has an entry without a bundle of this name", entry.name)
            if "" in entry.skips:
                yield _in(package, channel, "skips a bundle without a name", entry.name)


def _chains(package: Package) -> Iterator[Problem]:
    """From its one head, `replaces` must lead over all that is not skipped, and not in a circle."""
    for channel in package.channels:
        if not channel.entries:
            continue
        heads = channel_heads(channel)
        if not heads:
            yield _in(package, channel, "has no head: every entry is replaced or skipped by another")
        elif len(heads) > 1:
            yield _in(
                package,
                channel,
                f"has several heads: {_some(sorted(heads))}; one of them must replace or skip the others",
            )
        else:
            yield from _chain(package, channel, heads[0])


def _chain(package: Package, channel: Channel, head: str) -> Iterator[Problem]:
    entries = {entry.name: entry for entry in reversed(channel.entries)}
    skipped = {name for entry in channel.entries for name in entry.skips}
    chain = [head]
    reached = {head}
    while chain[-1] in entries:
        before = entries[chain[-1]].replaces
        if before in skipped or not before:
            break
        if before in reached:
            circle = [*chain[chain.index(before) :], before]
            yield _in(package, channel, f"goes in a circle: {' → '.join(reversed(circle[: _MOST_NAMES + 1]))}")
            return
        chain.append(before)
        reached.add(before)
    stranded = sorted(set(entries) - reached - skipped)
    if stranded:
        yield _in(
            package,
            channel,
            f"cannot be upgraded from {_some(stranded)}: nothing replaces or skips them on the way to {head}",
        )


def _edges(package: Package) -> Iterator[Problem]:
    for channel in package.channels:
        names = {entry.name for entry in channel.entries}
        for entry in channel.entries:
            if entry.replaces and entry.replaces not in names and entry.replaces not in package.by_name:
                yield _in(package, channel, f"replaces {entry.replaces}, which is not there", entry.name, WARNING)
            try:
                if entry.skip_range:
                    parse_range(entry.skip_range)
            except BadRange as error:
                yield _in(package, channel, f"its skipRange counts for nothing: {error}", entry.name, WARNING)


def _bundles(package: Package) -> Iterator[Problem]:
    names = Counter(bundle.name for bundle in package.bundles)
    for bundle in package.bundles:
        if not bundle.name:
            yield _about(package, bundle, "has no name")
        if names[bundle.name] > 1:
            yield _about(package, bundle, "is there more than once")
        if bundle.name not in package.entries:
            yield _about(package, bundle, "is in no channel")
        if not bundle.image and not bundle.holds_objects:
            yield _about(package, bundle, "has no image")
        if len(bundle.packages) != 1:
            yield _about(package, bundle, f"must have one property of type {PACKAGE}, and has {len(bundle.packages)}")
        elif bundle.packages[0] != package.name:
            yield _about(package, bundle, f"its property of type {PACKAGE} names the package {bundle.packages[0]!r}")
        if bundle.packages:
            try:
                parse_version(bundle.version)
            except BadVersion as error:
                yield _about(package, bundle, f"its version {error}")


def _versions(package: Package) -> Iterator[Problem]:
    by_version: dict[str, dict[str, CatalogBundle]] = {}
    for bundle in package.bundles:
        if bundle.version_release is not None:
            by_version.setdefault(bundle.version, {})[bundle.name] = bundle
    for version, bundles in by_version.items():
        if len(bundles) > 1:
            last = list(bundles.values())[-1]
            yield _about(
                package,
                last,
                f"has the version {version}, which {_some([name for name in bundles if name != last.name])} has, too",
            )


def _deprecations(package: Package) -> Iterator[Problem]:
    where = str(package.described[0].location) if package.described else ""
    if len(package.deprecation_documents) > 1:
        yield _of(package, f"has {len(package.deprecation_documents)} documents of deprecations; one is allowed", where)
    for item in package.deprecations:
        known = {PACKAGE: True, CHANNEL: item.name in package.channel_names(), BUNDLE: item.name in package.by_name}
        if not known.get(item.schema, False):
            yield _of(package, f"deprecates {item.schema or 'something'} {item.name}, which is not there", where)
        if not item.message:
            yield _of(package, f"deprecates {item.schema} {item.name} without a message", where)


CHECKS: tuple[Callable[[Package], Iterable[Problem]], ...] = (
    _package_document,
    _default_channel,
    _channels,
    _chains,
    _edges,
    _bundles,
    _versions,
    _deprecations,
)


def _of(package: Package, message: str, place: Location | str) -> Problem:
    return Problem(ERROR, package.name, "", "", str(place), message)


def _in(package: Package, channel: Channel, message: str, bundle: str = "", severity: str = ERROR) -> Problem:
    return Problem(severity, package.name, channel.name, bundle, str(channel.location), message)


def _about(package: Package, bundle: CatalogBundle, message: str) -> Problem:
    return Problem(ERROR, package.name, "", bundle.name, str(bundle.location), message)


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
