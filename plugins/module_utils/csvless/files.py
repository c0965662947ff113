# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a k8s+v1 bundle: flat, or laid out as in an image."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bundle.objects import placed_objects, read_text
from ..bundle.problems import BadBundle, InvalidBundle
from ..bundle.registry_v1 import LARGEST_BUNDLE, MANIFESTS, MOST_FILES
from ..bundle.yaml_text import parse_document
from .olm_yaml import OLM_YAML, Metadata, check_olm_yaml

METADATA = "metadata"
DEPENDENCIES = "dependencies.yaml"
# What may lie beside the manifests of a flat bundle and is none.
FLAT_METADATA = (OLM_YAML, "annotations.yaml", "properties.yaml", DEPENDENCIES)
ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Placed:
    """An object, and the file and document that it stands in."""

    place: str
    manifest: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.manifest["kind"])

    @property
    def metadata(self) -> Mapping[str, Any]:
        found = self.manifest.get("metadata")
        return found if isinstance(found, dict) else {}

    @property
    def name(self) -> str:
        return str(self.metadata.get("name") or "")

    @property
    def title(self) -> str:
        return f"{self.place}: {self.kind} '{self.name}'"


@dataclass(frozen=True)
class Layout:
    """Where the parts of a bundle lie, relative to its directory."""

    manifests: str
    metadata: str

    def named(self, file: str) -> str:
        return f"{self.metadata}/{file}" if self.metadata else file


FLAT = Layout("", "")
IMAGE = Layout(MANIFESTS, METADATA)


def layout_of(directory: Path) -> Layout | None:
    """How the k8s+v1 bundle in a directory is laid out; None where there is none."""
    return next((layout for layout in (IMAGE, FLAT) if (directory / layout.named(OLM_YAML)).is_file()), None)


def read_metadata(directory: Path, layout: Layout, warnings: list[str]) -> Metadata:
    """olm.yaml, checked."""
    where = layout.named(OLM_YAML)
    text = read_text(directory / where, where)
    if text is None:
        raise BadBundle(f"{where}: no such file; a bundle of the format k8s+v1 has one")
    return check_olm_yaml(parse_document(text, where, warnings) if text.strip() else None, where)


def read_dependencies_file(directory: Path) -> tuple[str, str]:
    """The place and the text of a bundle's dependencies.yaml, of any format: where its layout has it, or else in metadata/."""
    own = (layout_of(directory) or IMAGE).named(DEPENDENCIES)
    where = own if (directory / own).is_file() else IMAGE.named(DEPENDENCIES)
    return where, read_text(directory / where, where) or ""


def read_placed(directory: Path, layout: Layout, warnings: list[str]) -> list[Placed]:
    """Every object of the bundle."""
    return [placed for where, path in manifest_files(directory, layout) for placed in _objects(where, path, warnings)]


def manifest_files(directory: Path, layout: Layout) -> list[tuple[str, Path]]:
    """The files that hold manifests, by their names in the bundle."""
    folder = directory / layout.manifests
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        raise BadBundle(f"{layout.manifests or directory}: no such directory") from None
    found: list[tuple[str, Path]] = []
    problems, total = [], 0
    for entry in entries:
        where = f"{layout.manifests}/{entry.name}" if layout.manifests else entry.name
        if layout is FLAT and (entry.name in FLAT_METADATA or not entry.name.endswith(ENDINGS)):
            # Documentation, a Dockerfile, a folder of sources: a flat bundle may be where the operator is developed.
            continue
        if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(directory.resolve()):
            problems.append(f"{where}: a link out of the bundle")
        elif entry.is_dir():
            problems.append(f"{where}: a directory; accepted are files")
        elif not entry.is_file():
            problems.append(f"{where}: neither a file nor a directory")
        else:
            found.append((where, Path(entry.path)))
            total += entry.stat().st_size
    if len(found) > MOST_FILES or total > LARGEST_BUNDLE:
        problems.append(
            f"{len(found)} files with {total} bytes; accepted are {MOST_FILES} files with {LARGEST_BUNDLE} bytes"
        )
    if problems:
        raise InvalidBundle(directory.name, problems)
    return found


def _objects(where: str, path: Path, warnings: list[str]) -> list[Placed]:
    text = read_text(path, where) or ""
    return [Placed(place, manifest) for place, manifest in placed_objects(text, where, warnings)]


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}
