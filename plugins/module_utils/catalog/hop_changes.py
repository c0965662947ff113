# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each hop of an upgrade path changes for those who run the operator."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..bundle.load import load_bundle
from ..bundle.source_options import SCHEME, SourceOptions
from ..compare.bundles import as_data, compare_bundles
from ..errors import FleetError
from .upgrade_path import Hop


def hop_changes(start: str, hops: Sequence[Hop], options: SourceOptions) -> list[dict[str, Any] | None]:
    """The comparison of each bundle with the one before, the first with that of the image `start`; None where there is none."""
    images = [start, *(hop.bundle.image for hop in hops)]
    bundles = [load_bundle(SCHEME + image, options).bundle if image else None for image in images]
    return [as_data(compare_bundles(old, new, None, None)) if old and new else None for old, new in pairwise(bundles)]


def with_changes(
    path: list[dict[str, Any]], start: str, hops: Sequence[Hop], options: SourceOptions
) -> list[dict[str, Any]]:
    """A path with what each of its hops changes."""
    try:
        changes = hop_changes(start, hops, options)
    except FleetError as error:
        raise FleetError(f"compare: {error}") from error
    return [{**hop, "changes": change} for hop, change in zip(path, changes, strict=True)]
