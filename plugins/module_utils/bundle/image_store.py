# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the parts of an image lie: an OCI layout directory here, a registry in registry_store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from ..errors import SourceError
from ..nested import at
from .image import Descriptor, Index, choose_image, parse_document, parse_json
from .regular_file import opened
from .unpack_limits import Limits
from .unpack_stream import Stream, read_file


class ImageStore(Protocol):
    """Delivers manifests and blobs by digest. Who asks verifies them."""

    def manifest(self, image: Descriptor) -> AbstractContextManager[Stream]: ...

    def blob(self, blob: Descriptor, place: str) -> AbstractContextManager[Stream]: ...


class LayoutStore:
    """An OCI image layout in a directory."""

    def __init__(self, directory: Path, place: str) -> None:
        self._directory = directory
        self._place = place

    @contextmanager
    def manifest(self, image: Descriptor) -> Iterator[Stream]:
        with self.blob(image, f"{self._place}: manifest {image.digest}") as stream:
            yield stream

    @contextmanager
    def blob(self, blob: Descriptor, place: str) -> Iterator[Stream]:
        algorithm, _colon, name = blob.digest.partition(":")
        with opened(self._directory / "blobs" / algorithm / name, place) as file:
            yield file


def layout_image(directory: Path, place: str, limits: Limits) -> Descriptor:
    """The one image of a layout."""
    place = f"{place}: index.json"
    data = read_file(directory / "index.json", limits.document_bytes, place)
    index = parse_document(data, place)
    if not isinstance(index, Index):
        raise SourceError(f"{place}: is a manifest where an index must be")
    if all(image.platform for image in index.images):
        return choose_image(index.images)
    if len({image.digest for image in index.images}) > 1:
        names = [at(entry, "annotations", "org.opencontainers.image.ref.name") for entry in _entries(data, place)]
        raise SourceError(
            f"{place}: lists {len(index.images)} images ({', '.join(str(name or 'unnamed') for name in names)}); "
            f"a {limits.what}'s layout has one"
        )
    return index.images[0]


def _entries(data: bytes, place: str) -> list[object]:
    return list(parse_json(data, place).get("manifests") or [])[:5]
