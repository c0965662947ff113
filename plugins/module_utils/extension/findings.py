# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What was found out about a ClusterExtension before it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import Problems
from .put import Rehearsed


@dataclass(frozen=True)
class Findings:
    """What speaks against it, what to know although nothing does, and what would be installed. `changes` are those from the installed bundle."""

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    resolved: Mapping[str, Any] | None = None
    why: tuple[Mapping[str, Any], ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As plain data for a user."""
        return {
            "resolved": dict(self.resolved) if self.resolved else None,
            "why": list(self.why),
            "changes": dict(self.changes),
        }


Check: TypeAlias = Callable[[Rehearsed], Findings]


class Refused(Problems):
    """OLM v1 would not install it."""

    def __init__(self, problems: Iterable[str], prefix: str, found: Findings) -> None:
        super().__init__(problems, prefix)
        self._found = found

    @property
    def details(self) -> Mapping[str, Any]:
        return {**super().details, **self._found.told()}
