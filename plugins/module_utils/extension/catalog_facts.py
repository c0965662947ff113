# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to know about a ClusterCatalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nested import at
from .conditions import conditions_told
from .verdict import Verdict


def served(content: Mapping[str, Any]) -> dict[str, Any]:
    """Which image a catalog serves, by digest, and where."""
    return {
        "image": at(content, "status", "resolvedSource", "image", "ref"),
        "url": at(content, "status", "urls", "base"),
    }


def catalog_facts(content: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """What a ClusterCatalog says of itself."""
    return {
        "name": at(content, "metadata", "name"),
        **served(content),
        "spec": at(content, "spec"),
        "labels": at(content, "metadata", "labels") or {},
        "last_unpacked": at(content, "status", "lastUnpacked"),
        "state": verdict.state,
        "says": str(verdict),
        "conditions": conditions_told(content),
    }
