# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Layers that hold nothing of the directory that is wanted of an image: most of them an operating system, which many images share.

What was found out once, of a layer that was read and verified as a whole, is remembered by its digest. It is not fetched again for the next image.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress

from ..errors import SourceError
from .source_options import SourceOptions
from .source_place import Place

_KIND = "empty-layer"


class EmptyLayers:
    """Remembers them in the cache."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    def has(self, layer: str, below: tuple[str, ...]) -> bool:
        """Whether a layer is known to hold nothing in a directory."""
        place = Place(self._options)
        try:
            return place.kept(_KIND, _name(layer, below)) is not None
        finally:
            place.close()

    def add(self, layer: str, below: tuple[str, ...]) -> None:
        """Remember that a layer holds nothing in a directory."""
        place = Place(self._options)
        try:
            # A cache that cannot be written costs time and nothing else.
            with suppress(OSError, SourceError):
                place.entry(_name(layer, below), _KIND)
        finally:
            place.close()


def _name(layer: str, below: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join((layer, *below)).encode()).hexdigest()
