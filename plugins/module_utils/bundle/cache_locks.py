# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""File locks that end with the process that holds them, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def lock(path: Path, *, create: bool = False, exclusive: bool = False, wait: bool = True) -> int | None:
    """Lock a file and return its descriptor; None where it is not there, or locked by others and `wait` is false.

    The file may be removed or replaced while its lock is waited for; then the one that is there now is locked.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if create else 0)
    kind = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
    while True:
        try:
            descriptor = os.open(path, flags, 0o600)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            fcntl.flock(descriptor, kind)
            if _is_at(descriptor, path):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return False
