# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What several clusters have in common, told once."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_CLUSTERS = 3


class ToldOnce:
    """Lines about clusters, each with all that it is about, in the order in which they were first told."""

    def __init__(self) -> None:
        self._clusters: dict[str, dict[str, None]] = {}

    def add(self, text: str, clusters: Iterable[str], prefix: str = "") -> None:
        """Tell of some clusters every line of a text."""
        for line in text.splitlines():
            self._clusters.setdefault(prefix + line, {}).update(dict.fromkeys(clusters))

    @property
    def lines(self) -> list[str]:
        return [f"{_named(list(clusters))}: {line}" for line, clusters in self._clusters.items()]


def _named(clusters: list[str]) -> str:
    more = f" and {len(clusters) - _MOST_CLUSTERS} more" if len(clusters) > _MOST_CLUSTERS else ""
    return ", ".join(clusters[:_MOST_CLUSTERS]) + more
