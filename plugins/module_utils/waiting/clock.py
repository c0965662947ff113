# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The time of one wait: how much is left, and when it is due to tell of it."""

from __future__ import annotations

import time
from collections.abc import Callable

# Short waits say nothing, long ones say every so often what is awaited.
TELL_EVERY = 10.0


class Clock:
    """Runs from when it is made."""

    def __init__(self, seconds: float, progress: Callable[[str], None]) -> None:
        self._start = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._told = self._start

    @property
    def passed(self) -> float:
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        return max(0.0, self._seconds - self.passed)

    @property
    def until_told(self) -> float:
        """Seconds until something is to be told, or until the end if that is sooner."""
        return max(0.0, min(self.left, self._told + TELL_EVERY - time.monotonic()))

    def tell(self, text: str) -> None:
        """Tell what is awaited, if it is time to."""
        now = time.monotonic()
        if now - self._told >= TELL_EVERY:
            self._told = now
            self._progress(text)
