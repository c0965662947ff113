# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to know about a ClusterCatalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nested import at


def served(content: Mapping[str, Any]) -> dict[str, Any]:
    """Which image a catalog serves, by digest, and where."""
    return {
        "image": at(content, "status", "resolvedSource", "image", "ref"),
        "url": at(content, "status", "urls", "base"),
    }
