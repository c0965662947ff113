# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order in which the extensions of a cluster are worked on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..errors import OptionError


@dataclass(frozen=True)
class Place:
    """What the order of an extension hangs on. All that it needs must be there, too."""

    name: str
    wave: int
    needs: Collection[str]


def in_order(places: Sequence[Place]) -> list[int]:
    """The indices of extensions by wave, and within a wave every one after those that it needs; else as they stand."""
    waiting = sorted(range(len(places)), key=lambda index: places[index].wave)
    ordered: list[int] = []
    there: set[str] = set()
    while waiting:
        following = next((index for index in waiting if there.issuperset(places[index].needs)), None)
        if following is None:
            needs = {place.name: place.needs for place in places}
            raise OptionError(f"needs go in a circle: {' needs '.join(_circle(places[waiting[0]].name, needs, there))}")
        waiting.remove(following)
        ordered.append(following)
        there.add(places[following].name)
    return ordered


def _circle(name: str, needs: Mapping[str, Collection[str]], there: set[str]) -> list[str]:
    way = [name]
    while True:
        name = next(need for need in needs[name] if need not in there)
        if name in way:
            return [*way[way.index(name) :], name]
        way.append(name)
