# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `source`: from what a user wrote to a directory with the files of a bundle.

    with open_source("docker://registry.example/team/operator-bundle:v1.2.3", SourceOptions()) as source:
        read(source.directory)

What comes from an archive or an image is verified, unpacked once, and kept in the cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OptionError, SourceError
from .cache import Entry, sidecar_path, write_sidecar
from .regular_file import reason
from .source_catalog import source_in_catalog
from .source_options import PREFERRED_PLATFORM, SCHEME, SourceOptions
from .source_place import Place
from .source_tree import examine_tree, is_layout
from .unpack_limits import shown

if TYPE_CHECKING:
    from ..catalog.url import OfCluster


@dataclass(frozen=True)
class OpenedSource:
    """A bundle's files on this machine, there until `close()` or the end of the `with` statement.

    `digest` is the digest of the image's manifest, of its configuration for an archive of docker save, or else of
    the files themselves. `reference` names the source so that it means the same bundle tomorrow, where that can be said.
    """

    directory: Path
    digest: str
    reference: str
    labels: Mapping[str, str] = field(default_factory=dict)
    platform: str = ""
    warnings: tuple[str, ...] = ()
    _place: Place = field(repr=False, kw_only=True)
    # The digest of the files as they are now; None where nobody but the cache writes to them.
    _digest_now: Callable[[], str] | None = field(default=None, repr=False, kw_only=True)

    def sidecar(self, name: str) -> Path:
        """Where a parsed form of this very bundle is kept; the file may not be there."""
        return sidecar_path(self._place.entry(self.digest), name)

    def write_sidecar(self, name: str, data: bytes) -> None:
        """Keep a parsed form of this bundle for later runs, written atomically; not where files changed while they were read."""
        if self._digest_now is None or self._digest_now() == self.digest:
            write_sidecar(self._place.entry(self.digest), name, data)

    def close(self) -> None:
        self._place.close()

    def __enter__(self) -> OpenedSource:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def open_source(
    source: str | Mapping[str, Any],
    options: SourceOptions,
    *,
    installed: Mapping[str, Any] | None = None,
    of_cluster: OfCluster | None = None,
) -> OpenedSource:
    """Make the bundle that `source` names readable as a directory.

    A bundle of a catalog is an upgrade of the one that is `installed`, by name and version. `of_cluster` fetches a ClusterCatalog, where a cluster is at hand.
    """
    if isinstance(source, Mapping):
        named, warnings = source_in_catalog(source, options, installed, of_cluster)
        opened = open_source(named, options)
        return replace(opened, warnings=(*warnings, *opened.warnings))
    if not isinstance(source, str) or not source.strip():
        raise OptionError(
            f"{options.option}: {shown(repr(source))} is neither a path, an image reference, nor a mapping"
        )
    place = Place(options)
    try:
        return _open(source, options, place)
    except OSError as error:
        place.close()
        raise SourceError(f"{options.option} {shown(source)}: {reason(error)}") from error
    except BaseException:
        place.close()
        raise


def _open(source: str, options: SourceOptions, place: Place) -> OpenedSource:
    if source.startswith(SCHEME):
        from .source_image import from_registry

        return _opened(place, *from_registry(source, options, place))
    if "://" in source:
        raise OptionError(
            f"{options.option}: {shown(source)!r} has an unknown scheme; images are written {SCHEME}host/repository:tag"
        )
    path = Path(os.path.expanduser(source))
    if "\0" in source or not os.path.lexists(path):
        raise SourceError(f"{options.option} {shown(source)}: does not exist")
    if path.is_dir() and not is_layout(path):
        examine = partial(examine_tree, path.resolve(), options.limits, f"{options.option} {shown(str(path))}")
        return OpenedSource(path.resolve(), examine(), str(path.resolve()), _place=place, _digest_now=examine)
    # Only here: a plain directory needs none of what unpacks images.
    from .source_image import from_archive, from_layout

    return _opened(place, *(from_layout if path.is_dir() else from_archive)(path, options, place))


def _opened(place: Place, entry: Entry, reference: str) -> OpenedSource:
    facts = entry.facts
    return OpenedSource(
        directory=entry.tree,
        digest=facts["digest"],
        reference=reference,
        labels=facts["labels"],
        platform=facts["platform"],
        warnings=(*place.warnings, *_platform_warning(facts["platform"], reference)),
        _place=place,
    )


def _platform_warning(platform: str, reference: str) -> tuple[str, ...]:
    if platform in ("", PREFERRED_PLATFORM):
        return ()
    return (f"{reference} has no image for {PREFERRED_PLATFORM}; the one for {platform} was taken",)
