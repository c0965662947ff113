# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether CRDs are served, asked of discovery: an API server lists a resource there once its CRD is established.

CRDs themselves say so as well, but only as a whole: a list and a watch of them bring megabytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from ..cluster.client import Client
from ..errors import ApiError, NotKubernetes
from ..nested import at, mappings

# It takes an API server some tens of milliseconds when nothing is in the way, and seconds when it is busy.
PAUSES = (*(min(0.02 * 1.5**number, 0.06) for number in range(40)), *(0.15 for _number in range(20)))


def served_soon(client: Client, definitions: Iterable[Mapping[str, Any]], pauses: Iterable[float] = PAUSES) -> bool:
    """Whether all CRDs are served, now or after one of the pauses, which take five seconds in all. One request for each group and
    version, and again for those that lack something. Where it is False one has to look at the CRDs for the reason."""
    missing: dict[str, set[str]] = {}
    for definition in definitions:
        for version in mappings(at(definition, "spec", "versions")):
            if version.get("served"):
                path = f"/apis/{at(definition, 'spec', 'group')}/{version.get('name')}"
                missing.setdefault(path, set()).add(str(at(definition, "spec", "names", "plural")))
    for pause in (*pauses, None):
        missing = {path: left for path, plurals in missing.items() if (left := plurals - _listed(client, path))}
        if not missing:
            return True
        if pause is not None:
            time.sleep(pause)
    return False


def _listed(client: Client, path: str) -> set[str]:
    try:
        found = client.read(path)
    except (ApiError, NotKubernetes):
        # Not there yet, which an API server says in plain text where nothing of the group is there; or not for us to read.
        return set()
    return {str(item.get("name")) for item in mappings(found.get("resources"))}
