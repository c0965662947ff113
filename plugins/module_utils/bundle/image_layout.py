# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images written as an OCI image layout: a directory that container tools and this collection read."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import OptionError
from ..nested import at, mappings
from .image_build import MANIFEST_TYPE, Blob, BuiltImage, copied_to, write_text
from .regular_file import reason

_VERSION = '{"imageLayoutVersion":"1.0.0"}'


def holds(directory: Path, image: BuiltImage) -> bool:
    """Whether a layout is there already and holds exactly this image."""
    try:
        index = json.loads((directory / "index.json").read_bytes())
    except (OSError, ValueError):
        return False
    listed = [at(entry, "digest") for entry in mappings(at(index, "manifests"))]
    blobs = directory / "blobs" / "sha256"
    parts = {image.digest: len(image.manifest.encode())} | {one.digest: one.size for one in (image.config, image.layer)}
    paths = {blobs / digest.removeprefix("sha256:"): size for digest, size in parts.items()}
    return listed == [image.digest] and all(
        path.is_file() and path.stat().st_size == size for path, size in paths.items()
    )


def check_place(directory: Path) -> None:
    """Refuse to write among files that are no layout."""
    if (
        directory.exists()
        and (not directory.is_dir() or any(directory.iterdir()))
        and not (directory / "oci-layout").is_file()
    ):
        raise OptionError(f"dest: {directory} is there already and is no OCI image layout; give another directory")


def write_layout(directory: Path, image: BuiltImage, tag: str = "latest") -> None:
    """Make a directory the layout of one image; what other images left in it goes."""
    try:
        blobs = directory / "blobs" / "sha256"
        blobs.mkdir(parents=True, exist_ok=True)
        for blob in (image.config, image.layer):
            copied_to(blob, blobs / blob.digest.removeprefix("sha256:"))
        write_text(blobs / image.digest.removeprefix("sha256:"), image.manifest)
        entry = {
            "mediaType": MANIFEST_TYPE,
            "digest": image.digest,
            "size": len(image.manifest.encode()),
            "annotations": {"org.opencontainers.image.ref.name": tag},
        }
        write_text(directory / "index.json", json.dumps({"schemaVersion": 2, "manifests": [entry]}))
        write_text(directory / "oci-layout", _VERSION)
        _remove_others(blobs, image)
    except OSError as error:
        raise OptionError(f"dest: {directory} cannot be written: {reason(error)}") from error


def _remove_others(blobs: Path, image: BuiltImage) -> None:
    parts: tuple[Blob, ...] = (image.config, image.layer)
    kept = {image.digest.removeprefix("sha256:"), *(one.digest.removeprefix("sha256:") for one in parts)}
    for path in blobs.iterdir():
        if path.name not in kept and path.is_file():
            path.unlink()
