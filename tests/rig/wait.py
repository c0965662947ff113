# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for an API server to catch up with itself, and doing something while it is waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition holds; fail where it never does."""
    pause, deadline = threading.Event(), time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never got there"
        pause.wait(0.05)


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Do something in a thread of its own, and fail where it failed."""
    problems: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            problems.append(error)
            raise

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
    assert not problems
