# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an installed bundle could be taken back to, and what that needs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .model import CatalogBundle
from .query import CATALOG_PROVIDED, SELF_CERTIFIED, Query
from .resolve import Answer, CatalogLike, answer, in_order
from .versions import parse_version_release


@dataclass(frozen=True)
class Candidate:
    """A bundle to go back to, and the policy under which OLM v1 does so."""

    bundle: CatalogBundle
    policy: str


def rollback_candidates(query: Query, catalog: CatalogLike) -> tuple[Candidate, ...]:
    """The bundles in the query's channels and range that are older than the installed one, the newest first."""
    if query.installed is None:
        return ()
    current = parse_version_release(query.installed.version).key
    allowed = _names(answer(replace(query, policy=CATALOG_PROVIDED), catalog))
    anything = answer(replace(query, policy=SELF_CERTIFIED), catalog)
    if anything is None:
        return ()
    older = [
        bundle
        for bundle in anything.candidates
        if bundle.version_release is not None and bundle.version_release.key < current and not bundle.dependency
    ]
    return tuple(
        Candidate(bundle, CATALOG_PROVIDED if bundle.name in allowed else SELF_CERTIFIED)
        for bundle in in_order(anything.package, older)
    )


def _names(found: Answer | None) -> set[str]:
    return {bundle.name for bundle in found.candidates} if found else set()
