# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What work costs: time of a function; time, CPU and memory of a command with all its processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, seconds of CPU, and the highest memory of all processes together in MiB."""

    wall: float
    cpu: float
    memory: float


def best(work: Callable[[], object], rounds: int = 10) -> float:
    """Seconds of the shortest of several runs: what the work takes when nothing disturbs it."""
    return best_in_turns(work, rounds=rounds)[0]


def best_in_turns(*works: Callable[[], object], rounds: int = 10) -> list[float]:
    """The same for works that are to be compared: they take turns, so that what slows the machine down slows all of them."""
    return [min(times) for times in zip(*([_seconds(work) for work in works] for _round in range(rounds)), strict=True)]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(command: Sequence[object], *, cwd: Path) -> Cost:
    """Run a command that must succeed, and measure it."""
    before, start = _cpu_of_children(), time.monotonic()
    with open(cwd / "output.log", "wb") as output:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdout=output, stderr=subprocess.STDOUT)
        highest = [0.0]
        ended = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, highest, ended))
        watcher.start()
        code = process.wait()
        ended.set()
        watcher.join()
    if code != 0:
        sys.exit(f"the run failed:\n{(cwd / 'output.log').read_text()[-3000:]}")
    return Cost(time.monotonic() - start, _cpu_of_children() - before, highest[0])


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(root: int, highest: list[float], ended: threading.Event) -> None:
    while not ended.wait(0.25):
        highest[0] = max(highest[0], sum(_proportional_memory(pid) for pid in _tree(root)))


def _tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def _proportional_memory(pid: int) -> float:
    """Memory in MiB, that shared with other processes divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
