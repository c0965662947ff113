# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle named by catalog, package, version and channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import OptionError, SourceError
from .source_options import SCHEME, SourceOptions
from .unpack_limits import shown

if TYPE_CHECKING:
    from ..catalog.url import OfCluster

KEYS = ("catalog", "package", "version", "channels", "policy")


def source_in_catalog(
    selection: Mapping[str, Any],
    options: SourceOptions,
    installed: Mapping[str, Any] | None = None,
    of_cluster: OfCluster | None = None,
) -> tuple[str, tuple[str, ...]]:
    """The source of the bundle that a selection in a catalog leads to, and what a user should know about it.

    It has to be an upgrade of the bundle that is `installed`, by name and version; the policy of the selection can allow others.
    """
    # Only here: most sources are no catalogs.
    from ..catalog.query import parse_query
    from ..catalog.resolution import deprecation_warnings, resolve
    from ..catalog.sources import open_catalogs

    unknown = [shown(str(key)) for key in selection if key not in KEYS]
    if unknown:
        raise OptionError(f"source: {', '.join(unknown)} is unknown; a mapping has {', '.join(KEYS)}")
    for key in ("catalog", "package"):
        if not selection.get(key):
            raise OptionError(f"source: {key} is missing; a bundle of a catalog is named by catalog and package")
    query = parse_query({**selection, "installed": installed})
    with open_catalogs(selection["catalog"], options, package=query.package, of_cluster=of_cluster) as opened:
        found = resolve(query, opened.catalogs)
        warnings = (*opened.warnings, *deprecation_warnings(found.package, found.bundle))
    if not found.bundle.image:
        raise SourceError(f"source: the catalog has no image for {found.bundle.name}, only its manifests")
    return SCHEME + found.bundle.image.removeprefix(SCHEME), warnings
