# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From the option `source` to a bundle in memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SourceError
from .model import Bundle
from .parsed import NAME, pack, unpack
from .source import OpenedSource, open_source
from .source_options import SourceOptions

if TYPE_CHECKING:
    from ..catalog.url import OfCluster

# What only bundles without a ClusterServiceVersion have: as in an image, and flat.
OLM_FILES = ("metadata/olm.yaml", "olm.yaml")


@dataclass(frozen=True)
class LoadedBundle:
    """A bundle, and where it came from."""

    bundle: Bundle
    digest: str
    reference: str
    warnings: tuple[str, ...]
    # Those of the image, where it came from one.
    labels: Mapping[str, str] = field(default_factory=dict)


def load_bundle(
    source: str | Mapping[str, Any],
    options: SourceOptions,
    *,
    installed: Mapping[str, Any] | None = None,
    of_cluster: OfCluster | None = None,
) -> LoadedBundle:
    """Open a source and read the bundle in it; see `open_source`."""
    with open_source(source, options, installed=installed, of_cluster=of_cluster) as opened:
        return load_opened(opened)


def load_opened(opened: OpenedSource) -> LoadedBundle:
    """Read the bundle in a source that somebody opened, who wants its files as well."""
    bundle = _kept(opened) or _read(opened)
    return LoadedBundle(
        bundle, opened.digest, opened.reference, (*opened.warnings, *bundle.warnings), opened.labels or {}
    )


def _kept(opened: OpenedSource) -> Bundle | None:
    try:
        return unpack(opened.sidecar(NAME).read_bytes())
    except (OSError, SourceError):
        return None


def _read(opened: OpenedSource) -> Bundle:
    bundle = read_directory(opened.directory)
    packed = pack(bundle)
    if packed is not None:
        # A cache that cannot be written costs time and nothing else.
        with suppress(OSError, SourceError):
            opened.write_sidecar(NAME, packed)
    return bundle


def read_directory(directory: Path) -> Bundle:
    """The bundle in a directory, whatever its format."""
    # Only here: a bundle that the cache holds parsed needs no parser.
    from .helm_chart import CHART_FILE, read_chart
    from .registry_v1 import ANNOTATIONS_FILE, read_bundle

    if any((directory / name).is_file() for name in OLM_FILES):
        from ..csvless.read import read_plain_bundle

        return read_plain_bundle(directory)
    is_chart = not (directory / ANNOTATIONS_FILE).exists() and (directory / CHART_FILE).is_file()
    return read_chart(directory) if is_chart else read_bundle(directory)
