# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From an image in a store to the directory of files that it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SourceError
from .empty_layers import EmptyLayers
from .image import Descriptor, Manifest, choose_image, parse_document, parse_labels
from .image_store import ImageStore
from .unpack import unpack_layer
from .unpack_limits import Budget, Limits, shown, size
from .unpack_stream import Stream, Verified, read_document

# An index may list indexes; real ones do so once.
_NESTED_INDEXES = 3


@dataclass(frozen=True)
class ImageFacts:
    """What is known of an image beside its files; `platform` is empty for an image that is not one of several."""

    digest: str
    labels: dict[str, str] = field(default_factory=dict)
    platform: str = ""


def unpack_image(
    store: ImageStore,
    image: Descriptor,
    target: Path,
    limits: Limits,
    place: str,
    directory_label: str = "",
    empty: EmptyLayers | None = None,
) -> ImageFacts:
    """Unpack an image into an empty directory; manifest, configuration and layers are verified on the way.

    With `directory_label` only the directory that this label of the image names; layers that are known as `empty` there are not fetched.
    """
    chosen, manifest = _find_manifest(store, image, limits, place)
    with store.blob(manifest.config, f"{place}: config") as stream:
        config = _whole(stream, manifest.config, limits, f"{place}: config")
    labels = parse_labels(config, f"{place}: config")
    below = labelled_directory(labels, directory_label, limits, place)
    announced = sum(layer.size for layer in manifest.layers)
    if announced > limits.total_bytes:
        raise SourceError(
            f"{place}: its layers have {size(announced)}; a {limits.what} may have {size(limits.total_bytes)}"
        )
    budget = Budget(limits, place)
    for number, layer in enumerate(manifest.layers, 1):
        budget.place = f"{place}: layer {number} of {len(manifest.layers)}"
        if empty is not None and empty.has(layer.digest, below):
            continue
        with store.blob(layer, budget.place) as stream:
            verified = Verified(stream, layer.digest, layer.size, budget.place)
            held = unpack_layer(verified, target, budget, below)
            verified.finish()
        if empty is not None and not held:
            empty.add(layer.digest, below)
    return ImageFacts(chosen.digest, labels, chosen.platform)


def labelled_directory(labels: Mapping[str, str], name: str, limits: Limits, place: str) -> tuple[str, ...]:
    """The path of the directory that a label names; none where no label is asked for."""
    if not name:
        return ()
    if name not in labels:
        raise SourceError(f"{place}: is no image of a {limits.what}: it lacks the label {name}")
    parts = tuple(part for part in labels[name].split("/") if part not in ("", "."))
    if ".." in parts:
        raise SourceError(f"{place}: the label {name} names the directory {shown(labels[name])}, with '..' in it")
    return parts


def _find_manifest(store: ImageStore, image: Descriptor, limits: Limits, place: str) -> tuple[Descriptor, Manifest]:
    for _level in range(_NESTED_INDEXES):
        here = f"{place}: manifest {image.digest}"
        with store.manifest(image) as stream:
            document = parse_document(_whole(stream, image, limits, here), here, image.media_type)
        if isinstance(document, Manifest):
            return image, document
        image = _with_platform(choose_image(document.images), image)
    raise SourceError(f"{place}: is an index of indexes of indexes; no image was found in it")


def _with_platform(image: Descriptor, index: Descriptor) -> Descriptor:
    return Descriptor(image.media_type, image.digest, image.size, image.platform or index.platform)


def _whole(stream: Stream, blob: Descriptor, limits: Limits, place: str) -> bytes:
    return read_document(Verified(stream, blob.digest, blob.size, place), limits.document_bytes, blob.size, place)
