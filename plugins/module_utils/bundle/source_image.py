# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sources that must be unpacked: each as an entry of the cache, and a reference that means the same bundle tomorrow.

What unpacks is imported when it is needed, which it is not for what the cache holds.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SourceError
from .cache import Entry
from .noted import open_file_digest
from .registry_reference import parse_reference
from .regular_file import opened
from .source_options import SourceOptions
from .source_place import Place
from .unpack_limits import shown, size

if TYPE_CHECKING:
    from .image_unpack import ImageFacts


def from_layout(path: Path, options: SourceOptions, place: Place) -> tuple[Entry, str]:
    """The bundle in an OCI image layout."""
    from .image_store import LayoutStore, layout_image

    name = f"{options.option} {shown(str(path))}"
    image = layout_image(path, name, options.limits)

    def unpack(work: Path) -> ImageFacts:
        from .image_unpack import unpack_image

        store = LayoutStore(path, name)
        return unpack_image(store, image, _tree(work), options.limits, name, options.directory_label)

    return place.keep("image", image.digest, unpack, name), str(path.resolve())


def from_archive(path: Path, options: SourceOptions, place: Place) -> tuple[Entry, str]:
    """The bundle in a tar."""
    name = f"{options.option} {shown(str(path))}"
    with opened(path, name) as file:
        count = os.fstat(file.fileno()).st_size
        if count > options.limits.total_bytes:
            raise SourceError(f"{name}: has {size(count)}; {size(options.limits.total_bytes)} are the most accepted")
        digest = open_file_digest(path, file, options)

        def unpack(work: Path) -> ImageFacts | None:
            from .image_archive import unpack_bundle_archive
            from .unpack_stream import Verified

            stream = Verified(file, digest, count, name)
            tree, label = work / "tree", options.directory_label
            facts = unpack_bundle_archive(stream, work, tree, options.limits, name, label)
            stream.finish()
            shutil.rmtree(work / "archive", ignore_errors=True)
            return facts

        return place.keep("archive", digest, unpack, name), str(path.resolve())


def from_registry(source: str, options: SourceOptions, place: Place) -> tuple[Entry, str]:
    """The bundle in a registry."""
    reference = parse_reference(source, options.option)
    if reference.digest:
        entry = place.kept("image", reference.digest)
        if entry:
            return entry, str(reference)
    # Only now: a bundle that is in the cache and named by digest costs no HTTP library.
    from .registry_pull import Pull

    with Pull(reference, options) as pull:
        digest = reference.digest or pull.digest_of_tag()
        entry = place.keep("image", digest, lambda work: pull.unpack(digest, _tree(work)), str(reference))
        return entry, reference.pinned(digest)


def _tree(work: Path) -> Path:
    tree = work / "tree"
    tree.mkdir(0o700)
    return tree
