# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible asks of a module, and what it gets back; plain data, so that the core can do one module's work for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def _unheard(_text: str) -> None:
    """A module in a process of its own has nobody to tell of its progress."""


@dataclass(frozen=True)
class Call:
    """One call of a module: its checked options, how Ansible wants it run, and where to tell of progress."""

    options: Mapping[str, Any]
    check_mode: bool
    diff: bool
    progress: Callable[[str], None] = _unheard


@dataclass(frozen=True)
class Outcome:
    """What a call returns to the user."""

    result: Mapping[str, Any]
    changed: bool = False
    warnings: tuple[str, ...] = ()
