# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documents of an image: index, manifest and configuration, read without trust."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SourceError
from ..nested import at, mappings
from .source_options import PREFERRED_PLATFORM
from .unpack_limits import shown

MANIFEST_TYPES = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
INDEX_TYPES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
LAYER_TYPES = (
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+zstd",
    "application/vnd.docker.image.rootfs.diff.tar",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
    "application/vnd.docker.image.rootfs.diff.tar.zstd",
)

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# What build tools add to an index beside the images: signatures, attestations.
_NO_PLATFORM = "unknown/unknown"


@dataclass(frozen=True)
class Descriptor:
    """What one document says of another: type, digest, size, and the platform where it is told."""

    media_type: str
    digest: str
    size: int
    platform: str = ""


@dataclass(frozen=True)
class Index:
    """Images of one name, usually one a platform."""

    images: tuple[Descriptor, ...]


@dataclass(frozen=True)
class Manifest:
    """One image."""

    config: Descriptor
    layers: tuple[Descriptor, ...]


def parse_document(data: bytes, place: str, announced_type: str = "") -> Index | Manifest:
    """An index or a manifest; its type is the one it names itself, or else the one announced by who delivered it."""
    document = parse_json(data, place)
    media_type = document.get("mediaType") or announced_type
    # A document that could be read as either has been used to show one tool an image and another tool another.
    if "manifests" in document and ("layers" in document or "config" in document):
        raise SourceError(f"{place}: is an index and a manifest at once")
    if media_type in INDEX_TYPES or (not media_type and "manifests" in document):
        entries = document.get("manifests")
        images = tuple(_descriptor(entry, place) for entry in mappings(entries))
        if not images:
            raise SourceError(f"{place}: is an index that lists no images")
        return Index(images)
    if media_type in MANIFEST_TYPES or (not media_type and "layers" in document):
        return _manifest(document, place)
    raise SourceError(
        f"{place}: has the media type {shown(str(media_type))!r}; accepted are {', '.join((*MANIFEST_TYPES, *INDEX_TYPES))}"
    )


def _manifest(document: Mapping[str, Any], place: str) -> Manifest:
    layers = document.get("layers")
    if not isinstance(layers, list) or not layers:
        raise SourceError(f"{place}: is a manifest without layers")
    manifest = Manifest(
        _descriptor(document.get("config"), f"{place}: config"),
        tuple(_descriptor(layer, f"{place}: layer {number}") for number, layer in enumerate(layers, 1)),
    )
    for number, layer in enumerate(manifest.layers, 1):
        if layer.media_type not in LAYER_TYPES:
            raise SourceError(
                f"{place}: layer {number} has the media type {shown(layer.media_type)!r}; accepted are "
                f"{', '.join(LAYER_TYPES)}"
            )
    return manifest


def choose_image(images: Sequence[Descriptor]) -> Descriptor:
    """The image to take of an index: bundles are alike on all platforms, so the usual one, or the first."""
    real = [image for image in images if image.platform != _NO_PLATFORM] or list(images)
    return next((image for image in real if image.platform == PREFERRED_PLATFORM), real[0])


def parse_labels(data: bytes, place: str) -> dict[str, str]:
    """The labels in an image's configuration."""
    labels = at(parse_json(data, place), "config", "Labels")
    return {str(key): str(value) for key, value in labels.items()} if isinstance(labels, Mapping) else {}


def parse_diff_ids(data: bytes, place: str) -> list[str]:
    """The digests of an image's layers as plain tars, from its configuration."""
    found = at(parse_json(data, place), "rootfs", "diff_ids")
    return [check_digest(item, place) for item in found] if isinstance(found, list) else []


def parse_json(data: bytes, place: str) -> dict[str, Any]:
    """A JSON object."""
    content = parse_any_json(data, place)
    if not isinstance(content, dict):
        raise SourceError(f"{place}: is no JSON object")
    return content


def parse_any_json(data: bytes, place: str) -> Any:
    """JSON of any kind."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        kind = "an HTML page" if data.lstrip()[:1] == b"<" else "no JSON"
        raise SourceError(f"{place}: is {kind}") from error


def check_digest(digest: Any, place: str) -> str:
    """A digest that we can verify."""
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise SourceError(f"{place}: has the digest {shown(str(digest))!r}; accepted is sha256: and 64 hex digits")
    return digest


def _descriptor(entry: Any, place: str) -> Descriptor:
    size = at(entry, "size")
    digest = check_digest(at(entry, "digest"), place)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise SourceError(f"{place}: has the size {shown(str(size))!r}; it must be a number of bytes")
    system, architecture, variant = (at(entry, "platform", key) for key in ("os", "architecture", "variant"))
    platform = "/".join(shown(str(part)) for part in (system, architecture, variant) if part)
    return Descriptor(str(at(entry, "mediaType") or ""), digest, size, platform)
