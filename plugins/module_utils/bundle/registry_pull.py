# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pulling one image: from a reference to files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..errors import OptionError, RegistryError
from .empty_layers import EmptyLayers
from .image import Descriptor, check_digest
from .image_unpack import ImageFacts, unpack_image
from .registry_client import RegistryAccess, RegistryClient
from .registry_credentials import find_credentials
from .registry_reference import Reference
from .registry_store import RegistryStore
from .source_options import SourceOptions

# Method not allowed, not implemented: some registries know only GET.
_NO_HEAD = (405, 501)


def open_client(reference: Reference, options: SourceOptions) -> RegistryClient:
    """A client for the repository of a reference, with the credentials that there are for it."""
    if options.ca_cert and not Path(options.ca_cert).expanduser().is_file():
        raise OptionError(f"registry: the file {options.ca_cert} in registry_ca_cert does not exist")
    access = RegistryAccess(
        credentials=find_credentials(reference, options.username, options.password, options.auth_file),
        validate_certs=options.validate_certs,
        ca_cert=str(Path(options.ca_cert).expanduser()) if options.ca_cert else None,
        plain_http=options.plain_http,
    )
    return RegistryClient(reference, access, options.limits)


class Pull:
    """One image being pulled. Use it in a `with` statement."""

    def __init__(self, reference: Reference, options: SourceOptions) -> None:
        self._reference = reference
        self._limits = options.limits
        self._directory_label = options.directory_label
        self._empty = EmptyLayers(options) if options.directory_label else None
        self._client = open_client(reference, options)
        self._fetched: tuple[str, bytes, str] | None = None

    def __enter__(self) -> Pull:
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.__exit__(*exception)

    def digest_of_tag(self) -> str:
        """What the tag means now."""
        digest = self._digest_by_head()
        if digest is not None:
            return check_digest(digest, str(self._reference))
        document, media_type = self._client.manifest(self._reference.tag)
        digest = "sha256:" + hashlib.sha256(document).hexdigest()
        self._fetched = (digest, document, media_type)
        return digest

    def _digest_by_head(self) -> str | None:
        try:
            return self._client.digest_of_tag(self._reference.tag)
        except RegistryError as error:
            if error.status in _NO_HEAD:
                return None
            raise

    def unpack(self, digest: str, target: Path) -> ImageFacts:
        """Pull the image of this digest into an empty directory."""
        _digest, document, media_type = self._fetched or (digest, *self._client.manifest(digest))
        image = Descriptor(media_type, digest, len(document))
        store = RegistryStore(self._client, (digest, document))
        name = str(self._reference)
        return unpack_image(store, image, target, self._limits, name, self._directory_label, self._empty)
