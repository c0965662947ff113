# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images written as one tar, as `docker save` does and `docker load`, podman and skopeo take it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import OptionError
from .image_build import BuiltImage
from .regular_file import CHUNK, reason


def archive_plan(path: Path, image: BuiltImage, tag: str, work: Path) -> Path | None:
    """The archive of an image, made below `work`; None where `path` holds these very bytes already."""
    made = work / "archive.tar"
    layer = work / "layer.tar"
    with gzip.open(image.layer.path, "rb") as packed, open(layer, "wb") as unpacked:
        while data := packed.read(CHUNK):
            unpacked.write(data)
    config = image.config.path.read_bytes()
    config_name = f"{image.config.digest.removeprefix('sha256:')}.json"
    layer_name = f"{_digest(layer)}/layer.tar"
    listed = [{"Config": config_name, "RepoTags": [tag], "Layers": [layer_name]}]
    with tarfile.open(made, "w", format=tarfile.USTAR_FORMAT) as archive:
        _add(archive, config_name, config)
        header = tarfile.TarInfo(layer_name)
        header.size, header.mode = layer.stat().st_size, 0o644
        with open(layer, "rb") as content:
            archive.addfile(header, content)
        _add(archive, "manifest.json", json.dumps(listed, separators=(",", ":")).encode())
    return None if path.is_file() and _digest(path) == _digest(made) else made


def write_archive(path: Path, made: Path) -> None:
    """Put the archive in its place; never seen half written."""
    scratch = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(scratch, "wb") as file:
            for data in _chunks(made):
                file.write(data)
        os.replace(scratch, path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise OptionError(f"archive: {path} cannot be written: {reason(error)}") from error


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    header = tarfile.TarInfo(name)
    header.size, header.mode = len(content), 0o644
    archive.addfile(header, io.BytesIO(content))


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    for data in _chunks(path):
        found.update(data)
    return found.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while data := file.read(CHUNK):
            yield data
