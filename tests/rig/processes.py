# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starting and stopping the rig's programs so that none outlives the rig."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .problem import RigError

# Below the range that the kernel takes ports of outgoing connections from.
_FIRST_PORT, _LAST_PORT = 21000, 31999
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Ports:
    """Free ports of the loopback interface that no other rig on this machine takes."""

    def __init__(self) -> None:
        self._claims: list[socket.socket] = []

    def take(self) -> int:
        """A port that is free, and reserved for this rig as long as its process lives."""
        for port in random.sample(range(_FIRST_PORT, _LAST_PORT), 200):
            claim = _claim(port)
            if claim is not None and _is_free(port):
                self._claims.append(claim)
                return port
        raise RigError(f"no free port between {_FIRST_PORT} and {_LAST_PORT}")


def _claim(port: int) -> socket.socket | None:
    """Claims are names in Linux's abstract socket namespace: exclusive, and gone with the process."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if sys.platform == "linux":
        try:
            claim.bind(f"\0fleet.olm.rig.port.{port}")
        except OSError:
            claim.close()
            return None
    return claim


def listens(host: str, port: int) -> bool:
    """Whether something accepts connections there."""
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Process:
    """One running program, with its log."""

    def __init__(
        self, name: str, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.log = log
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - started from the main thread only, which the signal needs too
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until(self, ready: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until `ready` holds; say what the program printed last where it never does."""
        deadline = time.monotonic() + seconds
        while not ready():
            if self._process.poll() is not None:
                raise RigError(f"{self.name} ended with {self._process.returncode}:\n{self._last_words()}")
            if time.monotonic() > deadline:
                raise RigError(f"{self.name} was not ready within {seconds:.0f} s:\n{self._last_words()}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once: its state goes away with it, so there is nothing to save."""
        self._process.kill()
        self._process.wait()

    def _last_words(self) -> str:
        return self.log.read_text(errors="replace")[-2000:]


def _die_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
