# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pushing one image to a registry."""

from __future__ import annotations

from ..errors import OptionError, RegistryError
from .image_build import BuiltImage
from .registry_pull import open_client
from .registry_reference import Reference
from .source_options import SourceOptions


class Push:
    """One image being pushed. Use it in a `with` statement."""

    def __init__(self, reference: Reference, options: SourceOptions) -> None:
        if not reference.tag or reference.digest:
            raise OptionError(f"push: {reference} must have a tag and no digest, which is told by the image")
        self._reference = reference
        self._client = open_client(reference, options)

    def __enter__(self) -> Push:
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.__exit__(*exception)

    def is_there(self, image: BuiltImage) -> bool:
        """Whether the tag means this very image already."""
        try:
            return self._client.digest_of_tag(self._reference.tag) == image.digest
        except RegistryError as error:
            if error.status == 404:
                return False
            raise

    def push(self, image: BuiltImage) -> None:
        """Push an image; its parts first, so that a manifest never names what is not there."""
        for blob in (image.config, image.layer):
            self._client.push_blob(str(blob.path), blob.digest)
        self._client.push_manifest(self._reference.tag, image.manifest)
