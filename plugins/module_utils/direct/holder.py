# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who is changing an extension right now, and whether they still are."""

from __future__ import annotations

import getpass
import json
import os
import socket
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

# A holder renews its claim well within this time for as long as it works. After it, others may take over.
STALE_SECONDS = 120
RENEW_SECONDS = 30


def now() -> str:
    """The time, as records hold it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def age(moment: Any) -> float:
    """Seconds since a time in a record; endless where it is none."""
    try:
        return (
            datetime.now(UTC) - datetime.strptime(str(moment), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        ).total_seconds()
    except ValueError:
        return float("inf")


def claim() -> dict[str, str]:
    """Our own claim: who we are, since when, and what tells on this machine whether we still live."""
    moment = now()
    return {
        "id": uuid.uuid4().hex,
        "who": who(),
        "machine": _machine(),
        "process": _process(os.getpid()),
        "since": moment,
        "renewed": moment,
    }


def who() -> str:
    """The user and the machine that this runs as and on, for people."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def read_claim(text: Any) -> dict[str, Any] | None:
    """A claim as it is written on a record. What cannot be read is none: whoever wrote it, it was not one of us at work."""
    try:
        claimed = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return claimed if isinstance(claimed, dict) else None


def is_live(holder: Mapping[str, Any] | None) -> bool:
    """Whether somebody else may still be at work: known to be gone, or silent for too long, they are not."""
    if not holder or age(holder.get("renewed")) > STALE_SECONDS:
        return False
    if holder.get("machine") != _machine():
        return True
    process = str(holder.get("process") or "")
    if process == _process(os.getpid()):
        # An earlier try of this very process, whose connection was lost before it could say that it is over.
        return False
    number = process.partition(":")[0]
    return not number.isdecimal() or _process(int(number)) == process


@cache
def _machine() -> str:
    """This boot of this machine, and the process namespace: within it process numbers can be compared."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return f"unknown/{uuid.uuid4().hex}"


def _process(number: int) -> str:
    """A process by its number and start, so that a later one with the same number is not taken for it; empty where there is none."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else f"{number}:{fields[19]}"
