# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""In which order clusters are changed, and how many at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import OptionError
from ..similar import did_you_mean


def wave_list(
    clusters: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    waves: Any = None,
    canary: Any = None,
    *,
    partial: bool = False,
) -> list[list[str]]:
    """The clusters in waves: canaries first, then one wave for each of `waves`, then all that is left.

    A wave is the name of a group or a cluster, several of them, or a number of clusters that are taken in their order. Waves without clusters are left out.
    In a `partial` inventory a name that is not known is one of another part.
    """
    left = list(dict.fromkeys(clusters))
    found = []
    for wave in [*([canary] if canary else []), *_listed(waves)]:
        number = _number(wave, groups)
        if number is not None:
            if number < 1:
                raise OptionError(f"waves: {number} is no number of clusters")
            taken = left[:number]
        else:
            names = {name for part in _listed(wave) for name in _members(str(part), groups, partial)}
            taken = [cluster for cluster in left if cluster in names]
        left = [cluster for cluster in left if cluster not in taken]
        found.append(taken)
    return [wave for wave in [*found, left] if wave]


def _listed(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _number(wave: Any, groups: Mapping[str, Sequence[str]]) -> int | None:
    """How many clusters a wave is to have, where it is a number: on the command line that is a text, and so could be a name."""
    if isinstance(wave, int) and not isinstance(wave, bool):
        return wave
    if isinstance(wave, str) and wave.isdecimal() and wave not in groups and wave not in groups.get("all", ()):
        return int(wave)
    return None


def _members(name: str, groups: Mapping[str, Sequence[str]], partial: bool) -> list[str]:
    if name in groups:
        return list(groups[name])
    hosts = groups.get("all", ())
    if name in hosts:
        return [name]
    if partial:
        return []
    raise OptionError(
        f"waves: {name} is neither a group nor a cluster of the inventory{did_you_mean(name, [*groups, *hosts])}"
    )
