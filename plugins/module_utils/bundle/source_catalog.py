# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle named by catalog, package, version and channels. The one place that reading catalogs fills in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ..errors import OptionError

KEYS = ("catalog", "package", "version", "channels")


def source_in_catalog(selection: Mapping[str, Any]) -> NoReturn:
    """The source of the bundle that a selection in a catalog leads to."""
    unknown = [str(key) for key in selection if key not in KEYS]
    if unknown:
        raise OptionError(f"source: {', '.join(unknown)} is unknown; a mapping has {', '.join(KEYS)}")
    raise OptionError(
        "source: bundles cannot be taken from catalogs yet; give a directory, a tar, an OCI layout, or "
        "docker://host/repository:tag"
    )
