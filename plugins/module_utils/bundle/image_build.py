# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An image made of files: one layer, nothing of the machine or the moment in it, so that the same files give the same digest."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from .regular_file import CHUNK, opened
from .source_options import PREFERRED_PLATFORM

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip"


@dataclass(frozen=True)
class Blob:
    """A part of an image in a file."""

    digest: str
    size: int
    path: Path


@dataclass(frozen=True)
class BuiltImage:
    """An image: the text of its manifest, and the files of its configuration and layer."""

    manifest: str
    config: Blob
    layer: Blob

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(self.manifest.encode()).hexdigest()


def build_image(files: Iterable[tuple[str, Path]], labels: Mapping[str, str], work: Path) -> BuiltImage:
    """Make an image of files, which are named by their paths in it; its parts are written below `work`."""
    layer, diff_id = _layer(files, work / "layer")
    system, _slash, architecture = PREFERRED_PLATFORM.partition("/")
    configuration = {
        "architecture": architecture,
        "os": system,
        "config": {"Labels": dict(sorted(labels.items()))},
        "rootfs": {"type": "layers", "diff_ids": [diff_id]},
    }
    path = work / "config"
    path.write_text(_json(configuration), encoding="utf-8")
    config = Blob("sha256:" + hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, path)
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": _descriptor(config, CONFIG_TYPE),
        "layers": [_descriptor(layer, LAYER_TYPE)],
    }
    return BuiltImage(_json(manifest), config, layer)


def _layer(files: Iterable[tuple[str, Path]], path: Path) -> tuple[Blob, str]:
    with open(path, "wb") as file:
        compressed = _Hashed(file)
        with gzip.GzipFile(filename="", mode="wb", fileobj=compressed, mtime=0) as zipped:
            plain = _Hashed(zipped)
            with tarfile.open(fileobj=plain, mode="w|", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
                _write(archive, sorted(files))
    return Blob(compressed.digest, path.stat().st_size, path), plain.digest


def _write(archive: tarfile.TarFile, files: list[tuple[str, Path]]) -> None:
    directories: set[str] = set()
    for name, path in files:
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            if str(parent) not in directories:
                directories.add(str(parent))
                archive.addfile(_header(str(parent), tarfile.DIRTYPE, 0o755, 0))
        with opened(path, name) as content:
            size = content.seek(0, io.SEEK_END)
            content.seek(0)
            archive.addfile(_header(name, tarfile.REGTYPE, 0o644, size), content)


def _header(name: str, kind: bytes, mode: int, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.type, header.mode, header.size = kind, mode, size
    return header


class _Hashed:
    """A file that is written to; what passes through is hashed."""

    def __init__(self, file: BinaryIO | gzip.GzipFile) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def digest(self) -> str:
        return "sha256:" + self._hash.hexdigest()

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def _descriptor(blob: Blob, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": blob.digest, "size": blob.size}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def copied_to(blob: Blob, target: Path) -> None:
    """Copy a part of an image; never seen half written."""
    scratch = target.with_name(f".{target.name}.part")
    with open(blob.path, "rb") as source, open(scratch, "wb") as file:
        while data := source.read(CHUNK):
            file.write(data)
    scratch.replace(target)


def write_text(target: Path, text: str) -> None:
    """Write a file; never seen half written."""
    scratch = target.with_name(f".{target.name}.part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(target)
