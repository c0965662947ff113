# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A registry as a store of images."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing, contextmanager

from .image import Descriptor
from .registry_client import RegistryClient
from .unpack_stream import Stream


class RegistryStore:
    """Delivers the parts of an image from its repository. A manifest that was fetched already is not fetched again."""

    def __init__(self, client: RegistryClient, fetched: tuple[str, bytes] | None = None) -> None:
        self._client = client
        self._fetched = fetched

    @contextmanager
    def manifest(self, image: Descriptor) -> Iterator[Stream]:
        if self._fetched and self._fetched[0] == image.digest:
            yield io.BytesIO(self._fetched[1])
        else:
            yield io.BytesIO(self._client.manifest(image.digest)[0])

    @contextmanager
    def blob(self, blob: Descriptor, place: str) -> Iterator[Stream]:
        del place
        with closing(self._client.blob(blob.digest, blob.size)) as chunks:
            yield _Chunks(chunks)


class _Chunks:
    """An iterator of chunks as a stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        if not self._rest:
            self._rest = next(self._chunks, b"")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data
