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
    return _cut(_text(value))


def from_to(what: str, old: Any, new: Any) -> str:
    """One sentence on what was added, removed or changed."""
    if old is None:
        return f"{what} {shown(new)} was added"
    if new is None:
        return f"{what} {shown(old)} was removed"
    before, after = _text(old), _text(new)
    if _cut(before) == _cut(after):
        # Long, and equal as far as shown: from a little before they part.
        parting = next(
            (place for place, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0
        )
        before, after = ("…" + text[max(parting - 20, 0) :] for text in (before, after))
    return f"{what} changed from {_cut(before)} to {_cut(after)}"


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    try:
        return json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
