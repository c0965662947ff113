# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that is checked before the first change, all of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..cluster.client import Client
from .ledger import Ledger
from .plan import Desired
from .record import Record
from .wanted import Settings, Wanted


@dataclass(frozen=True)
class Checked:
    """What speaks against a change, and what to know although nothing does."""

    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    permissions: Mapping[str, Any] = field(default_factory=dict)
    missing_namespaces: frozenset[str] = frozenset()


def check_before(
    client: Client,
    wanted: Wanted,
    settings: Settings,
    desired: tuple[Desired, ...],
    installed: Record | None,
    ledger: Ledger,
) -> Checked:
    ns = wanted.extension.namespace
    missing = frozenset({ns} if client.find(f"/api/v1/namespaces/{ns}") is None else ())
    return Checked(missing_namespaces=missing)
