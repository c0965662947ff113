# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles added to and removed from a catalog in a directory."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..bundle.regular_file import reason
from ..bundle.unpack_limits import shown
from ..errors import OptionError, Problems
from .catalog import Catalog
from .model import BUNDLE, CHANNEL, PACKAGE, Channel, Location, Package
from .problems import NoDocuments
from .text_edit import (
    Replacement,
    added_after,
    apply,
    references,
    removed,
    replaced,
    with_entry,
    without_entry,
    without_references,
    written,
)
from .validate import ERROR, validate

_LONGEST_NAME = 253


@dataclass(frozen=True)
class Placement:
    """Where a bundle stands in a channel."""

    channel: str
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    default_channel: str = ""

    def entry(self, name: str) -> dict[str, Any]:
        """The entry of a bundle."""
        found: dict[str, Any] = {"name": name}
        if self.replaces:
            found["replaces"] = self.replaces
        if self.skips:
            found["skips"] = list(self.skips)
        if self.skip_range:
            found["skipRange"] = self.skip_range
        return found


@dataclass(frozen=True)
class FileChange:
    """The text that a file has and is to have; None where there is none."""

    name: str
    before: str | None
    after: str | None


@dataclass
class _Changes:
    """Changes of the files below one directory."""

    directory: Path
    texts: dict[str, str] = field(default_factory=dict)
    replacements: dict[str, list[Replacement]] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        if name not in self.texts:
            path = self.directory.joinpath(*name.split("/"))
            try:
                self.texts[name] = path.read_bytes().decode()
            except (OSError, UnicodeDecodeError) as error:
                raise OptionError(f"catalog: {shown(name)} cannot be read: {reason(error)}") from error
        return self.texts[name]

    def add(self, location: Location, change: Replacement) -> None:
        self.replacements.setdefault(location.file, []).append(change)

    def remove(self, location: Location) -> None:
        self.add(location, removed(self.text(location.file), location))

    def planned(self) -> list[FileChange]:
        found = [FileChange(name, None, text) for name, text in self.made.items()]
        for name, changes in self.replacements.items():
            after = apply(self.text(name), changes)
            if after != self.text(name):
                found.append(FileChange(name, self.text(name), after if _holds_documents(after) else None))
        return sorted(found, key=lambda change: change.name)


def plan_adding(
    directory: Path, catalog: Catalog | None, document: Mapping[str, Any], placement: Placement, description: str
) -> list[FileChange]:
    """What to write so that a bundle is in a catalog, and in a channel of it; nothing where it is so already."""
    name = str(document["package"])
    package = catalog.package(name) if catalog else None
    changes = _Changes(directory)
    if catalog is None or package is None or not (package.described or package.channels or package.bundles):
        _new_package(changes, package, document, placement, description)
    else:
        _add_bundle(changes, catalog, package, document)
        _add_entry(changes, catalog, package, placement, str(document["name"]))
        _set_default_channel(changes, catalog, package, placement.default_channel)
    return _checked(directory, package, changes, name)


def plan_removing(directory: Path, catalog: Catalog | None, package_name: str, bundle: str) -> list[FileChange]:
    """What to write so that a bundle is in a catalog no longer; what is left without content goes, too."""
    package = catalog.package(package_name) if catalog else None
    if catalog is None or package is None:
        return []
    changes = _Changes(directory)
    bundles = [one for one in package.bundles if one.name == bundle]
    for one in bundles:
        changes.remove(one.location)
    for channel in package.channels:
        if any(entry.name == bundle for entry in channel.entries):
            _remove_entry(changes, catalog, channel, bundle)
    if len(bundles) == len(package.bundles):
        for location in (*(one.location for one in package.described), *package.deprecation_documents):
            changes.remove(location)
    else:
        _remove_deprecations(changes, catalog, package, bundle)
    return _checked(directory, package, changes, package_name)


def open_directory(directory: Path) -> Catalog:
    """The catalog in a directory."""
    found = find_catalog(directory)
    if found is None:
        raise OptionError(f"catalog: {shown(str(directory))} holds no catalog")
    return found


def find_catalog(directory: Path) -> Catalog | None:
    """The catalog; None where the directory holds none yet."""
    place = f"catalog {shown(str(directory))}"
    if directory.exists() and not directory.is_dir():
        raise OptionError(f"{place}: is no directory; a catalog that is written to is one")
    if not directory.exists():
        return None
    found = Catalog(directory, place)
    try:
        found.package_names()
    except NoDocuments:
        return None
    return found


def _new_package(
    changes: _Changes, before: Package | None, document: Mapping[str, Any], placement: Placement, description: str
) -> None:
    name = str(document["package"])
    package = {"schema": PACKAGE, "name": name, "defaultChannel": placement.default_channel or placement.channel}
    if description:
        package["description"] = description
    channel = _new_channel(name, placement, str(document["name"]))
    file = f"{_directory_of(name)}/catalog.yaml"
    deprecations = next((one for one in before.deprecation_documents if one.file == file), None) if before else None
    if deprecations:
        changes.add(deprecations, added_after(changes.text(file), deprecations, package, channel, document))
        return
    if (changes.directory / file).exists():
        raise OptionError(f"catalog: {file} is there already and holds another package; move it")
    changes.made[file] = "".join(f"---\n{written(one, '')}" for one in (package, channel, document))


def _directory_of(package: str) -> str:
    """The directory of a package in a catalog. The name comes from a bundle, perhaps a stranger's: it must not lead anywhere else."""
    if package in ("", ".", "..") or "/" in package or "\0" in package or len(package.encode()) > _LONGEST_NAME:
        raise OptionError(
            f"source: the package name {shown(repr(package))} cannot be the name of a directory in the catalog; "
            f"accepted are names without '/', of at most {_LONGEST_NAME} bytes"
        )
    return package


def _new_channel(package: str, placement: Placement, bundle: str) -> dict[str, Any]:
    return {"schema": CHANNEL, "package": package, "name": placement.channel, "entries": [placement.entry(bundle)]}


def _add_bundle(changes: _Changes, catalog: Catalog, package: Package, document: Mapping[str, Any]) -> None:
    there = package.by_name.get(str(document["name"]))
    if there is None:
        after = (package.bundles[-1:] or package.channels[-1:] or package.described[-1:])[0].location
        changes.add(after, added_after(changes.text(after.file), after, document))
    elif catalog.document(there.location) != document:
        changes.add(there.location, replaced(changes.text(there.location.file), there.location, document))


def _add_entry(changes: _Changes, catalog: Catalog, package: Package, placement: Placement, bundle: str) -> None:
    channel = next((one for one in package.channels if one.name == placement.channel), None)
    if channel is None:
        after = (package.channels[-1:] or package.described[-1:] or package.bundles[:1])[0].location
        new = _new_channel(package.name, placement, bundle)
        changes.add(after, added_after(changes.text(after.file), after, new))
        return
    entry = placement.entry(bundle)
    document = catalog.document(channel.location)
    if entry not in (document.get("entries") or []):
        text = changes.text(channel.location.file)
        changes.add(channel.location, with_entry(text, channel.location, document, entry))


def _set_default_channel(changes: _Changes, catalog: Catalog, package: Package, default: str) -> None:
    if default and package.described and package.default_channel != default:
        location = package.described[0].location
        document = {**catalog.document(location), "defaultChannel": default}
        changes.add(location, replaced(changes.text(location.file), location, document))


def _remove_entry(changes: _Changes, catalog: Catalog, channel: Channel, bundle: str) -> None:
    location = channel.location
    if _holds_only(channel, bundle):
        changes.remove(location)
    else:
        text = changes.text(location.file)
        changes.add(location, without_entry(text, location, catalog.document(location), bundle))


def _remove_deprecations(changes: _Changes, catalog: Catalog, package: Package, bundle: str) -> None:
    """Take what goes out of the deprecations: opm refuses those of what is not there."""
    left = {channel.name for channel in package.channels if not _holds_only(channel, bundle)}
    gone = {(BUNDLE, bundle), *((CHANNEL, name) for name in package.channel_names() if name not in left)}
    for location in package.deprecation_documents:
        document = catalog.document(location)
        named = references(document)
        if gone.issuperset(named) and named:
            changes.remove(location)
        elif not gone.isdisjoint(named):
            text = changes.text(location.file)
            changes.add(location, without_references(text, location, document, gone))


def _holds_only(channel: Channel, bundle: str) -> bool:
    return bool(channel.entries) and all(entry.name == bundle for entry in channel.entries)


def _holds_documents(text: str) -> bool:
    """Whether there is more in a file than comments and separators."""
    return any(line.strip() and not line.lstrip().startswith(("#", "---")) for line in text.splitlines())


def _checked(directory: Path, before: Package | None, changes: _Changes, name: str) -> list[FileChange]:
    """The changes, unless the package would be what opm refuses and was not so before."""
    planned = changes.planned()
    if not planned:
        return []
    files = {location.file for location in _locations(before)} if before else set()
    after = {name: (directory / name).read_bytes() for name in files}
    for change in planned:
        after.pop(change.name, None)
        if change.after is not None:
            after[change.name] = change.after.encode()
    known = {problem.message for problem in validate(before)} if before else set()
    package = _read(after, name) if after else None
    found = [problem for problem in validate(package) if problem.severity == ERROR] if package else []
    new = [str(problem) for problem in found if problem.message not in known]
    if new:
        raise Problems(new, "the catalog would not be valid: ")
    return planned


def _locations(package: Package) -> list[Location]:
    described = [one.location for one in package.described]
    channels = [one.location for one in package.channels]
    return [*described, *channels, *(one.location for one in package.bundles), *package.deprecation_documents]


def _read(files: Mapping[str, bytes], name: str) -> Package | None:
    with tempfile.TemporaryDirectory(prefix="fleet.olm-") as scratch:
        for file, content in files.items():
            path = Path(scratch).joinpath(*file.split("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return Catalog(Path(scratch), "the changed catalog").package(name)
