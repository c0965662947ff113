# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the cluster is new enough for a bundle. One request."""

from __future__ import annotations

import re
from typing import TypeAlias

from ..cluster.client import Client

Release: TypeAlias = "tuple[int, int, int]"

_RELEASE = re.compile(r"\s*v?(0|[1-9]\d*)\.(\d+)(?:\.(\d+))?")
_MINIMUM = re.compile(_RELEASE.pattern + r"(?:[-+][0-9A-Za-z.+-]*)?\s*")


def version_problems(client: Client, minimum: str | None) -> list[str]:
    """`minimum` is the minKubeVersion of the ClusterServiceVersion; without one nothing is asked."""
    if not minimum:
        return []
    wanted = minimum_release(minimum)
    if wanted is None:
        # OLM v0 holds such a bundle back, too ("CSV version parsing error"): what it needs is not known.
        return [f"minKubeVersion '{minimum}' of the bundle is no version; accepted is one such as 1.27.0"]
    version = str(client.read("/version").get("gitVersion") or "")
    running = cluster_release(version)
    if running is None:
        return [f"the cluster calls its version '{version}', which cannot be compared with minKubeVersion {minimum}"]
    if running >= wanted:
        return []
    return [f"the bundle needs Kubernetes {minimum} or newer (minKubeVersion), and the cluster runs {version}"]


def minimum_release(text: str) -> Release | None:
    """A minKubeVersion; two numbers are taken for a release, too, although OLM v0 asks for three.

    A pre-release comes before its release and clusters count as releases, so it asks for no more than the three numbers.
    """
    return _numbers(_MINIMUM.fullmatch(text))


def cluster_release(text: str) -> Release | None:
    """The release of a cluster. What vendors append (1.29.3-gke.100, v1.27.4+abc) is still that release, as OLM v0 has it."""
    return _numbers(_RELEASE.match(text))


def _numbers(match: re.Match[str] | None) -> Release | None:
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None
