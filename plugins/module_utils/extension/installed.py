# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is installed, as far as a ClusterExtension tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from ..catalog.query import Installed
from ..nested import at
from .conditions import conditions_of

_INSTALLED = re.compile(r"Installed bundle (\S+) successfully")


def installed_bundle(content: Mapping[str, Any], listed: Collection[str] = ()) -> Installed | None:
    """The installed bundle. Where its gate BundleReleaseSupport is on, OLM v1 tells the release apart from the version.

    `listed` are the versions that catalogs have of a bundle of this name: most hold the release, some tell it apart, too.
    """
    bundle = at(content, "status", "install", "bundle")
    if not bundle:
        return None
    version, release = str(at(bundle, "version")), at(bundle, "release")
    apart = not release or (version in listed and f"{version}+{release}" not in listed)
    return Installed(str(at(bundle, "name")), version if apart else f"{version}+{release}")


def installed_image(content: Mapping[str, Any]) -> str:
    """The image of the installed bundle; empty where no condition names it."""
    condition = conditions_of(content).get("Installed")
    found = _INSTALLED.fullmatch(condition.message) if condition is not None and condition.status == "True" else None
    return found[1] if found else ""
