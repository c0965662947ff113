# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opening what must be a regular file, and why that failed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import SourceError

CHUNK = 1 << 16


@contextmanager
def opened(path: Path, place: str) -> Iterator[BinaryIO]:
    """A regular file for reading; one that is something else never blocks."""
    try:
        # Without O_NONBLOCK a FIFO would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise SourceError(f"{place}: cannot be read: {reason(error)}") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SourceError(f"{place}: is no regular file")
        yield file


def reason(error: Exception) -> str:
    """Why the operating system refused, in its words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
