# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hints for words that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(key: str, known: Iterable[str]) -> str:
    """A hint where a known key is spelled nearly so."""
    import difflib

    by_case = {name.lower(): name for name in known}
    close = difflib.get_close_matches(key.lower(), by_case, n=1, cutoff=0.75)
    return f", did you mean '{by_case[close[0]]}'?" if close else ""
