# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading a registry+v1 bundle from a directory: metadata/annotations.yaml and manifests/."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..kubernetes.types import kubernetes_types
from ..kubernetes.values import Decoder, WrongType, plain, scalar_text
from .csv import csv_decoder
from .model import K8S_V1, REGISTRY_V1, WITH_CSV, Bundle
from .objects import read_objects, read_text
from .problems import BadBundle
from .properties import PROPERTIES_ANNOTATION, annotation, properties_in_annotation, properties_in_file
from .yaml_text import parse_document

ANNOTATIONS_FILE = "metadata/annotations.yaml"
PROPERTIES_FILE = "metadata/properties.yaml"
MANIFESTS = "manifests"
PREFIX = "operators.operatorframework.io.bundle"
PACKAGE_ANNOTATION = f"{PREFIX}.package.v1"
MEDIATYPE_ANNOTATION = f"{PREFIX}.mediatype.v1"
# What OLM v1 reads; the others may hold anything.
TEXT_ANNOTATIONS = (PACKAGE_ANNOTATION, f"{PREFIX}.channels.v1", f"{PREFIX}.channel.default.v1")
SUPPORTED_FORMATS = WITH_CSV
MOST_FILES = 5000
LARGEST_BUNDLE = 256 * 1024 * 1024


def read_bundle(directory: Path | str) -> Bundle:
    """The bundle in a directory."""
    root = os.fspath(directory)
    warnings: list[str] = []
    metadata = read_annotations(root, warnings)
    mediatype = " ".join(metadata.get(MEDIATYPE_ANNOTATION, "").split()) or REGISTRY_V1
    if mediatype.lower() not in SUPPORTED_FORMATS:
        raise BadBundle(
            f"{ANNOTATIONS_FILE}: unknown bundle format '{mediatype}' in {MEDIATYPE_ANNOTATION}; "
            f"supported: {', '.join(SUPPORTED_FORMATS)}"
        )
    if mediatype.lower() == K8S_V1:
        raise BadBundle(f"{ANNOTATIONS_FILE}: the format is {K8S_V1}, but metadata/olm.yaml is not there")
    csv: dict[str, Any] | None = None
    crds, others = [], []
    for where, manifest in read_manifests(root, warnings):
        if manifest["kind"] == "ClusterServiceVersion":
            if csv is not None:
                raise BadBundle(f"{where}: a second ClusterServiceVersion; a bundle has exactly one")
            csv = typed(csv_decoder(), manifest, where)
        elif manifest["kind"] == "CustomResourceDefinition":
            crds.append(typed(kubernetes_types().decoder("CustomResourceDefinition"), manifest, where))
        else:
            others.append(typed(plain, manifest, where))
    if csv is None:
        raise BadBundle(f"{MANIFESTS}: no ClusterServiceVersion in any file; a bundle has exactly one")
    add_properties(csv, root, warnings)
    return Bundle(
        package=metadata.get(PACKAGE_ANNOTATION, ""),
        csv=csv,
        crds=tuple(crds),
        others=tuple(others),
        annotations=metadata,
        warnings=tuple(warnings),
    )


def read_annotations(root: str, warnings: list[str], where: str = ANNOTATIONS_FILE) -> dict[str, str]:
    """The annotations of the bundle. Go finds keys whatever the case of their letters and takes numbers for text."""
    text = read_text(os.path.join(root, where), where)
    if text is None:
        raise BadBundle(f"{where}: no such file" if os.path.isdir(root) else f"{root}: no such directory")
    data = parse_document(text, where, warnings)
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise BadBundle(f"{where}: must be a mapping with the key 'annotations'")
    out: dict[str, str] = {}
    for key, content in data.items():
        if str(key).lower() != "annotations" or content is None:
            continue
        if not isinstance(content, dict):
            raise BadBundle(f"{where}: 'annotations' must be a mapping")
        for name, value in content.items():
            lowered = str(name).lower()
            known = lowered in TEXT_ANNOTATIONS
            if not isinstance(value, (dict, list)):
                out[lowered if known else str(name)] = "" if value is None else scalar_text(value)
            elif known:
                raise BadBundle(f"{where}: the annotation '{name}' must be text")
    return out


def read_manifests(root: str, warnings: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object under manifests/, with the file that it stands in."""
    try:
        files = sorted(os.scandir(os.path.join(root, MANIFESTS)), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        raise BadBundle(f"{MANIFESTS}: no such directory") from None
    if len(files) > MOST_FILES:
        raise BadBundle(f"{MANIFESTS}: {len(files)} files, more than {MOST_FILES}")
    total = 0
    for entry in files:
        where = f"{MANIFESTS}/{entry.name}"
        if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(Path(root).resolve()):
            raise BadBundle(f"{where}: a link out of the bundle")
        if entry.is_dir():
            raise BadBundle(f"{where}: a directory; {MANIFESTS}/ must hold files only")
        if not entry.is_file():
            raise BadBundle(f"{where}: neither a file nor a directory")
        text = read_text(entry.path, where) or ""
        total += len(text)
        if total > LARGEST_BUNDLE:
            raise BadBundle(f"{MANIFESTS}: more than {LARGEST_BUNDLE // 1024 // 1024} MiB")
        for manifest in read_objects(text, where, warnings):
            yield where, manifest


def typed(decode: Decoder, manifest: dict[str, Any], where: str) -> dict[str, Any]:
    """The object as its type reads it."""
    try:
        out: dict[str, Any] = decode(manifest)
    except WrongType as error:
        raise BadBundle(f"{where}: {manifest['kind']}: {error}") from None
    return out


def add_properties(csv: dict[str, Any], root: str, warnings: list[str], where: str = PROPERTIES_FILE) -> None:
    """Append the properties of metadata/properties.yaml to those in the annotation."""
    of_csv = csv.get("metadata", {}).get("annotations", {})
    present = of_csv.get(PROPERTIES_ANNOTATION)
    properties = properties_in_annotation(present) if present is not None else []
    text = read_text(os.path.join(root, where), where)
    if text:
        try:
            properties += properties_in_file(parse_document(text, where, warnings), where)
        except WrongType as error:
            raise BadBundle(f"{where}: {error}") from None
        csv.setdefault("metadata", {})["annotations"] = {**of_csv, PROPERTIES_ANNOTATION: annotation(properties)}
