# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tars that hold a bundle: of its directory, of an OCI layout, or as `docker save` writes them."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import SourceError
from ..nested import at, mappings, texts
from .image import parse_any_json, parse_diff_ids, parse_labels
from .image_store import LayoutStore, layout_image
from .image_unpack import ImageFacts, labelled_directory, unpack_image
from .regular_file import opened
from .source_tree import examine_tree, is_layout
from .unpack import unpack_archive, unpack_layer
from .unpack_limits import Budget, Limits, shown
from .unpack_stream import Stream, Verified, decompressed, read_file
from .unpack_tar import safe_parts

# A tar of one directory is unwrapped, unless that directory is a part of a bundle itself.
_PARTS_OF_A_BUNDLE = ("manifests", "metadata")


def unpack_bundle_archive(
    stream: Stream, work: Path, target: Path, limits: Limits, place: str, directory_label: str = ""
) -> ImageFacts | None:
    """Unpack whatever kind of tar it is to `target`; what is known of the image where it holds one."""
    archive = work / "archive"
    archive.mkdir(0o700)
    # A layer is one file of the archive, however large a file in it may be.
    whole = replace(limits, file_bytes=limits.total_bytes)
    unpack_archive(stream, archive, Budget(whole, place))
    examine_tree(archive, whole, place)
    if is_layout(archive):
        target.mkdir(0o700)
        store, image = LayoutStore(archive, place), layout_image(archive, place, limits)
        return unpack_image(store, image, target, limits, place, directory_label)
    saved = _docker_save(archive, place, limits)
    if saved is not None:
        target.mkdir(0o700)
        return _unpack_docker_save(archive, saved, target, limits, place, directory_label)
    os.rename(_unwrapped(archive), target)
    return None


def _unwrapped(directory: Path) -> Path:
    inside = list(directory.iterdir())
    wrapped = len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink()
    if wrapped and inside[0].name not in _PARTS_OF_A_BUNDLE:
        return _unwrapped(inside[0])
    return directory


def _docker_save(archive: Path, place: str, limits: Limits) -> Any:
    path = archive / "manifest.json"
    if not path.is_file() or path.is_symlink():
        return None
    content = parse_any_json(
        read_file(path, limits.document_bytes, f"{place}: manifest.json"), f"{place}: manifest.json"
    )
    images = mappings(content)
    if not images or not all("Config" in image and "Layers" in image for image in images):
        return None
    if len(images) > 1:
        raise SourceError(f"{place}: holds {len(images)} images; a {limits.what}'s archive has one")
    return images[0]


def _unpack_docker_save(
    archive: Path, saved: Any, target: Path, limits: Limits, place: str, directory_label: str
) -> ImageFacts:
    budget = Budget(limits, place)
    config = read_file(_inside(archive, str(at(saved, "Config")), budget), limits.document_bytes, f"{place}: config")
    digest = hashlib.sha256(config).hexdigest()
    named = re.search("[0-9a-f]{64}", str(at(saved, "Config")))
    if named and named[0] != digest:
        raise SourceError(
            f"{place}: config: has the digest sha256:{digest}, not sha256:{named[0]}: it is damaged or was changed"
        )
    labels = parse_labels(config, f"{place}: config")
    below = labelled_directory(labels, directory_label, limits, place)
    diff_ids = parse_diff_ids(config, f"{place}: config")
    layers = texts(at(saved, "Layers"))
    if not layers or len(layers) != len(diff_ids):
        raise SourceError(f"{place}: has {len(layers)} layers, and digests of {len(diff_ids)} in its configuration")
    for number, (name, diff_id) in enumerate(zip(layers, diff_ids, strict=True), 1):
        budget.place = f"{place}: layer {number} of {len(layers)}"
        path = _inside(archive, name, budget)
        with opened(path, budget.place) as file:
            # The digests in the configuration are those of plain tars. Docker saves such; other tools compress them.
            verified = Verified(decompressed(file, budget), diff_id, None, budget.place)
            unpack_layer(verified, target, budget, below)
            verified.finish()
    return ImageFacts("sha256:" + digest, labels)


def _inside(archive: Path, name: str, budget: Budget) -> Path:
    """A file that the archive names; docker links layers that occur twice, so links are followed inside."""
    path = Path(os.path.realpath(archive.joinpath(*safe_parts(name, budget))))
    if not path.is_relative_to(os.path.realpath(archive)) or not path.is_file():
        raise SourceError(f"{budget.place}: names the file {shown(name)}, which is not in the archive")
    return path
