# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values in messages."""

from __future__ import annotations

import json
from typing import Any

LONGEST = 80


def shown(value: Any) -> str:
    """A value as JSON in at most LONGEST characters; `nothing` in place of None."""
    if value is None:
        return "nothing"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def from_to(what: str, old: Any, new: Any) -> str:
    """One sentence on what was added, removed or changed."""
    if old is None:
        return f"{what} {shown(new)} was added"
    if new is None:
        return f"{what} {shown(old)} was removed"
    return f"{what} changed from {shown(old)} to {shown(new)}"
