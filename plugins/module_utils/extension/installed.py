# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is installed, as far as a ClusterExtension tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..catalog.query import Installed
from ..nested import at
from .conditions import conditions_of

_INSTALLED = re.compile(r"Installed bundle (\S+) successfully")


def installed_bundle(content: Mapping[str, Any]) -> Installed | None:
    """The installed bundle, its version with the release in it. OLM v1 tells a release apart where its gate BundleReleaseSupport is on."""
    bundle = at(content, "status", "install", "bundle")
    if not bundle:
        return None
    version, release = str(at(bundle, "version")), at(bundle, "release")
    return Installed(str(at(bundle, "name")), f"{version}+{release}" if release else version)


def installed_image(content: Mapping[str, Any]) -> str:
    """The image of the installed bundle; empty where no condition names it."""
    condition = conditions_of(content).get("Installed")
    found = _INSTALLED.fullmatch(condition.message) if condition is not None and condition.status == "True" else None
    return found[1] if found else ""
