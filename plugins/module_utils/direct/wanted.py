# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user wants of an extension, how it is to be done, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..bundle.model import Bundle
from ..errors import FleetError, Problems
from .ownership import Extension
from .plan import Plan
from .text import ManifestText

CrdSafety = Literal["strict", "live", "warn", "off"]


def _silent(_text: str) -> None:
    """Nobody wants to hear of progress."""


@dataclass(frozen=True)
class Wanted:
    """An extension as it is to be: a rendering, and where it comes from. `texts` are those of its manifests, one by one.

    `certificate_provider` is None where the cluster was asked and has none. `bundle` is None where it comes from the
    ledger: what the bundle says beyond its manifests was checked when it was installed.
    """

    extension: Extension
    identity: Mapping[str, Any]
    config: Any
    certificate_provider: str | None
    manifests: tuple[dict[str, Any], ...]
    texts: tuple[ManifestText, ...]
    digest: str
    watched: tuple[str, ...] = ()
    bundle: Bundle | None = None
    rolled_back_to: int | None = None


@dataclass(frozen=True)
class Settings:
    """How to go about it. `rehearse_only` is check mode: plan, and change nothing."""

    create_namespace: bool = False
    wait: bool = True
    wait_timeout: float = 300
    wait_for: Literal["ready", "applied"] = "ready"
    adopt: bool = False
    force_conflicts: bool = False
    accept_permissions: str | None = None
    crd_safety: CrdSafety = "live"
    history_limit: int = 5
    delete_crds: tuple[str, ...] = ()
    delete_custom_resources: tuple[str, ...] = ()
    backup_dest: str | None = None
    rehearse_only: bool = False
    progress: Callable[[str], None] = _silent


@dataclass(frozen=True)
class Report:
    """What was done, or would be."""

    changed: bool
    revision: int | None
    plan: Plan
    conditions: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    permissions: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


class NotAllowed(Problems):
    """We may not do what a change takes; `roles` are the smallest with which we might."""

    def __init__(self, problems: Iterable[str], prefix: str, roles: Iterable[Mapping[str, Any]]) -> None:
        super().__init__(problems, prefix)
        self.roles = tuple(roles)

    @property
    def details(self) -> Mapping[str, Any]:
        return {**super().details, "permissions_needed": list(self.roles)}


class PermissionsHeld(Problems):
    """A change gains permissions that nobody accepted; `permissions` are the gain and the digest that accepts it."""

    def __init__(self, problems: Iterable[str], prefix: str, permissions: Mapping[str, Any]) -> None:
        super().__init__(problems, prefix)
        self.permissions = permissions

    @property
    def details(self) -> Mapping[str, Any]:
        return {**super().details, "permissions": dict(self.permissions)}


class Interrupted(FleetError):
    """A change that was begun and could not be finished; the ledger knows how far it got."""

    def __init__(self, message: str, revision: int, plan: Plan) -> None:
        super().__init__(message)
        self.revision = revision
        self.plan = plan

    @property
    def details(self) -> Mapping[str, Any]:
        return {"changed": True, "revision": self.revision, "plan": self.plan.told()}
