# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a catalog says of one package: its channels, its bundles, and what of them is deprecated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..bundle.unpack_limits import shown
from .problems import BadVersion
from .versions import VersionRelease, parse_version_release

PACKAGE = "olm.package"
CHANNEL = "olm.channel"
BUNDLE = "olm.bundle"
DEPRECATIONS = "olm.deprecations"

PACKAGE_PROPERTY = "olm.package"
CSV_METADATA = "olm.csv.metadata"
BUNDLE_OBJECT = "olm.bundle.object"
MEDIATYPE = "olm.bundle.mediatype"
MAX_OPENSHIFT_VERSION = "olm.maxOpenShiftVersion"
# OLM v1 resolves no dependencies: it refuses a bundle that declares one in any of these properties.
DEPENDENCY_PROPERTIES = ("olm.package.required", "olm.gvk.required", "olm.constraint")


@dataclass(frozen=True)
class Location:
    """Where a document of a catalog stands: in which file, as which of its documents, at which bytes."""

    file: str
    document: int
    offset: int
    length: int

    def __str__(self) -> str:
        return f"{shown(self.file)}, document {self.document}"


@dataclass(frozen=True)
class Entry:
    """A bundle in a channel, and what it can be upgraded from."""

    name: str
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""


@dataclass(frozen=True)
class Channel:
    """A channel of a package."""

    name: str
    entries: tuple[Entry, ...]
    location: Location


@dataclass(frozen=True)
class CatalogBundle:
    """A bundle as a catalog lists it. `version` is empty where its olm.package property tells none.

    `packages` are the package names in its olm.package properties; `dependency` is the type of the first property that declares one.
    `mediatype` is the format that it says to have, empty where it says none.
    """

    name: str
    image: str
    version: str
    location: Location
    packages: tuple[str, ...] = ()
    dependency: str = ""
    holds_objects: bool = False
    mediatype: str = ""

    @cached_property
    def version_release(self) -> VersionRelease | None:
        """Its version and release; None where it has no valid version."""
        try:
            return parse_version_release(self.version)
        except BadVersion:
            return None


@dataclass(frozen=True)
class Deprecation:
    """Something that is deprecated: the package, a channel or a bundle, by schema and name."""

    schema: str
    name: str
    message: str


@dataclass(frozen=True)
class PackageEntry:
    """An olm.package document."""

    default_channel: str
    description: str
    location: Location


@dataclass(frozen=True)
class Package:
    """All that a catalog says of one package, in the order of its documents.

    `described` holds the olm.package documents, of which there should be one. `deprecations` are those of the first
    olm.deprecations document: OLM v1 looks at no other; `deprecation_documents` says where all of them are. `others` counts
    documents of schemas that are not OLM's.
    """

    name: str
    described: tuple[PackageEntry, ...] = ()
    channels: tuple[Channel, ...] = ()
    bundles: tuple[CatalogBundle, ...] = ()
    deprecations: tuple[Deprecation, ...] = ()
    deprecation_documents: tuple[Location, ...] = ()
    others: Mapping[str, int] | None = None

    @property
    def default_channel(self) -> str:
        return self.described[0].default_channel if self.described else ""

    @property
    def description(self) -> str:
        return self.described[0].description if self.described else ""

    @cached_property
    def by_name(self) -> Mapping[str, CatalogBundle]:
        """The bundles by name; the first of a name where there are several."""
        return {bundle.name: bundle for bundle in reversed(self.bundles)}

    @cached_property
    def deprecated_bundles(self) -> Mapping[str, str]:
        """The messages of deprecated bundles by name."""
        return {item.name: item.message for item in reversed(self.deprecations) if item.schema == BUNDLE}

    @cached_property
    def entries(self) -> Mapping[str, tuple[tuple[str, Entry], ...]]:
        """Where each bundle stands in channels: name of the channel and entry."""
        found: dict[str, list[tuple[str, Entry]]] = {}
        for channel in self.channels:
            for entry in channel.entries:
                found.setdefault(entry.name, []).append((channel.name, entry))
        return {name: tuple(places) for name, places in found.items()}

    def channel_names(self) -> tuple[str, ...]:
        """The names of its channels, each once."""
        return tuple(dict.fromkeys(channel.name for channel in self.channels))

    def channels_of(self, bundle: str) -> tuple[str, ...]:
        """The names of the channels that a bundle is in."""
        return tuple(dict.fromkeys(name for name, _entry in self.entries.get(bundle, ())))
