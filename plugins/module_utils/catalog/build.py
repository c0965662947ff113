# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The image of a catalog, as catalogd unpacks it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..bundle.image_build import BuiltImage, build_image
from ..errors import Problems
from .catalog import Catalog
from .files import catalog_files
from .limits import CATALOG_LIMITS
from .report import problems_of
from .sources import CONFIGS_LABEL
from .validate import ERROR

CONFIGS = "configs"


def build_catalog_image(catalog: Catalog, directory: Path, labels: Mapping[str, str], work: Path) -> BuiltImage:
    """Make the image of a catalog; refused where opm would refuse the catalog."""
    errors = [str(problem) for _catalog, problem in problems_of([catalog]) if problem.severity == ERROR]
    if errors:
        raise Problems(errors, f"{catalog.place}: ")
    files = ((f"{CONFIGS}/{name}", path) for name, path in catalog_files(directory, CATALOG_LIMITS, catalog.place))
    return build_image(files, {**labels, CONFIGS_LABEL: f"/{CONFIGS}"}, work)
