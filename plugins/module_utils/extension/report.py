# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How something is to be done with OLM v1, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..direct.plan import Plan
from ..errors import Told
from .conditions import conditions_told

# So long an error is let be retried that does not heal unless somebody acts: somebody may be about to.
RETRY_GRACE = 10


Validate = Literal["true", "warn", "false"]


def _silent(_text: str) -> None:
    """Nobody wants to hear of progress."""


@dataclass(frozen=True)
class Settings:
    """How to go about it. `rehearse_only` is check mode: look, and change nothing."""

    wait: bool = True
    wait_timeout: float = 300
    retry_grace: float = RETRY_GRACE
    force_conflicts: bool = False
    create_namespace: bool = False
    validate: Validate = "true"
    delete_crds: tuple[str, ...] = ()
    delete_custom_resources: tuple[str, ...] = ()
    backup_dest: str | None = None
    rehearse_only: bool = False
    progress: Callable[[str], None] = _silent


@dataclass(frozen=True)
class Report:
    """What was done, or would be; `content` is the object as it is now, None where there is none."""

    changed: bool
    plan: Plan
    content: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


class Unfinished(Told):
    """An object was applied and did not come to be what it should, or a removal was begun and not ended."""

    def __init__(
        self,
        message: str,
        *,
        changed: bool,
        plan: Plan,
        content: Mapping[str, Any] | None = None,
        objects: Iterable[Mapping[str, str]] = (),
    ) -> None:
        details = {
            "changed": changed,
            "plan": plan.told(),
            "conditions": conditions_told(content or {}),
            "not_ready": [dict(item) for item in objects],
        }
        super().__init__(message, details)


def shown(content: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """An object as a user wants to see it: without the API server's notes on who set which field."""
    if content is None:
        return None
    metadata = {key: value for key, value in (content.get("metadata") or {}).items() if key != "managedFields"}
    return {**content, "metadata": metadata}
