# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade gate: which permissions a new revision gains over the installed one, and whether somebody accepted that.

No request: both revisions are manifests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .bindings import bound_roles
from .grants import Grant, digest, gained, in_any_namespace
from .words import in_words, is_service_account, sentences

ACCEPT_ALL = "all"


@dataclass(frozen=True)
class GateResult:
    """What is gained, in sentences, and the digest that accepts just that; `problem` is None where the gate is open."""

    gained: tuple[str, ...] = ()
    digest: str | None = None
    problem: str | None = None


def permission_gate(
    before_manifests: Sequence[Mapping[str, Any]] | None,
    after_manifests: Sequence[Mapping[str, Any]],
    accepted: str | None,
    install_namespace: str,
) -> GateResult:
    """Closed where something is gained that nobody accepted. On a first install (`before_manifests` is None) all is
    gained and the gate is open: to install is to accept. A gain has the same digest in whichever namespace it is installed."""
    new = gained(grants_of_manifests(before_manifests or ()), grants_of_manifests(after_manifests))
    if not new:
        return GateResult()
    words, name = tuple(gain_sentences(new)), digest({in_any_namespace(grant, install_namespace) for grant in new})
    if before_manifests is None or accepted in (name, ACCEPT_ALL):
        return GateResult(words, name)
    other = f" (not {accepted}, which is another gain)" if accepted else ""
    problem = (
        f"it gains permissions; held until accepted: {'; '.join(words)}; accept with accept_permissions: {name}{other}"
    )
    return GateResult(words, name, problem)


def grants_of_manifests(manifests: Iterable[Mapping[str, Any]]) -> set[Grant]:
    """What the subjects of bindings may do, and those who have a role of the cluster that gathers rules of ours."""
    found: set[Grant] = set()
    return found.union(*(bound.grants() for bound in bound_roles(manifests)))


def gain_sentences(grants: Iterable[Grant]) -> list[str]:
    """Service accounts go without their namespace where there is only one."""
    listed = list(grants)
    accounts = {grant.service_account for grant in listed if is_service_account(grant.service_account)}
    places = {account.partition("/")[0] for account in accounts}

    def words(subject: str) -> str:
        place, _slash, name = subject.partition("/")
        return in_words(name if places == {place} else subject)

    return sentences(listed, words)
