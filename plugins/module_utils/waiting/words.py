# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What others said, as a part of one sentence."""

from __future__ import annotations

from typing import Any

_LONGEST = 400


def one_line(text: Any, longest: int = _LONGEST) -> str:
    """A text of somebody else without line breaks and a full stop at its end, and cut where it goes on and on."""
    line = " ".join(str(text).split()).rstrip(".")
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def listed(words: list[str], most: int = 5) -> str:
    """`a, b and c`; of many only the first, and how many more."""
    shown = words[:most] + ([f"{len(words) - most} more"] if len(words) > most else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""
