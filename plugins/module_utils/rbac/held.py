# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rights that somebody holds, arranged so that thousands of questions are answered quickly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .grants import Grant, covers


@dataclass(frozen=True)
class Held:
    """Rights, and whether one of them is enough for another."""

    grants: frozenset[Grant]

    @cached_property
    def _by_resource(self) -> Mapping[tuple[str, str], list[Grant]]:
        found: dict[tuple[str, str], list[Grant]] = {}
        for grant in self.grants:
            found.setdefault((grant.group, grant.resource), []).append(grant)
        return found

    def allows(self, wanted: Grant) -> bool:
        """Whether a single grant covers what is wanted; the RBAC authorizer does not add grants up either."""
        return wanted in self.grants or any(covers(grant, wanted) for grant in self._candidates(wanted))

    def has_wider(self, wanted: Grant) -> bool:
        """Whether another grant covers this one."""
        return any(grant != wanted and covers(grant, wanted) for grant in self._candidates(wanted))

    def _candidates(self, wanted: Grant) -> list[Grant]:
        if wanted.url:
            return self._by_resource.get(("", ""), [])
        _resource, slash, subresource = wanted.resource.partition("/")
        # Doubles do no harm.
        resources = (wanted.resource, "*", *([f"*/{subresource}"] if slash else []))
        return [
            grant
            for group in (wanted.group, "*")
            for resource in resources
            for grant in self._by_resource.get((group, resource), ())
        ]
