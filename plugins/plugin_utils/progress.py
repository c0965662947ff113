# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far a run over a fleet is, in one line. A wave is a play, or one of its batches where it has `serial`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

# Before so much of a wave is over, nothing sensible can be said about the rest.
_SAYS_SOMETHING = 0.04


@dataclass
class Wave:
    """One wave. A cluster is done while nothing runs on it that this wave began; one that goes on after a failure was rescued."""

    number: int
    waves: int
    clusters: Collection[str]
    began: float
    steps: int  # tasks for each cluster, as far as known beforehand
    later: int = 0  # clusters in the waves to come
    task: str = ""
    running: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    given_up: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    steps_done: int = 0

    def start(self, cluster: str, task: str) -> None:
        """A task begins on a cluster."""
        self.task = task
        self.running.add(cluster)
        self.seen.add(cluster)
        if cluster not in self.given_up:
            self.failed.discard(cluster)

    def finish(self, cluster: str, *, failed: bool = False) -> None:
        """A task ended on a cluster. What fails is not run any further."""
        self.running.discard(cluster)
        self.steps_done += 1
        if failed:
            self.failed.add(cluster)

    def give_up(self, cluster: str) -> None:
        """A failure of a cluster was rescued only so that others go on."""
        self.given_up.add(cluster)
        self.failed.add(cluster)

    def leave(self, cluster: str) -> None:
        """A cluster stays as it is."""
        self.left.add(cluster)

    @property
    def done(self) -> int:
        """Clusters on which everything that was begun is over, and nothing failed."""
        return len(self.seen - self.running - self.failed - self.left)

    @property
    def steps_a_cluster(self) -> float:
        """Tasks that a cluster really had: more than known beforehand where some were included."""
        return max(self.steps, self.steps_done / max(1, len(self.seen)))

    def seconds_left(self, now: float) -> float | None:
        """What is left of this wave and the later ones, if they go on as this one; None as long as that is a guess."""
        going = len(self.clusters) - len(self.failed)
        if not going:
            return None
        all_steps = max(1.0, self.steps_a_cluster * going)
        share = min(1.0, self.steps_done / all_steps)
        if share < _SAYS_SOMETHING:
            return None
        whole = (now - self.began) / share
        return whole - (now - self.began) + whole * self.later / len(self.clusters)

    def line(self, now: float) -> str:
        """How it is now."""
        parts = [f"{self.done} done", f"{len(self.running)} running", f"{len(self.failed)} failed"]
        left = self.seconds_left(now)
        told = f", {about(left)} left" if left is not None else ""
        return f"{self._head()}: {', '.join(parts)}{told} · {self.task}"

    def last_line(self, now: float) -> str:
        """How it went."""
        done = len(self.seen - self.failed - self.left)
        rest = len((set(self.clusters) - self.seen) | self.left)
        parts = [f"{done} done", f"{len(self.failed)} failed", *([f"{rest} not begun"] if rest else [])]
        return f"{self._head()}: {', '.join(parts)} in {clock(now - self.began)}"

    def _head(self) -> str:
        count = len(self.clusters)
        return f"wave {self.number} of {self.waves}, {count} cluster{'' if count == 1 else 's'}"


def wave_sizes(serial: Sequence[int | str], clusters: int) -> list[int]:
    """How many clusters each wave of a play has, from its `serial`: numbers and percentages, the last of which goes on."""
    sizes: list[int] = []
    left = clusters
    while left > 0:
        wanted = serial[min(len(sizes), len(serial) - 1)] if serial else 0
        text = str(wanted)
        size = max(1, int(clusters * float(text[:-1]) / 100)) if text.endswith("%") else int(text)
        size = min(left, size) if size > 0 else left
        sizes.append(size)
        left -= size
    return sizes


def clock(seconds: float) -> str:
    """A time that was measured: 4.2 s, 1:05, 2:00:09."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def about(seconds: float) -> str:
    """A time that was guessed, no more exact than it deserves."""
    if seconds < 55:
        return f"about {max(5, round(seconds / 5) * 5)} s"
    if seconds < 3570:
        return f"about {max(1, round(seconds / 60))} min"
    return f"about {seconds / 3600:.1f} h"


def fitted(text: str, width: int) -> str:
    """A text that stays in one line of a terminal."""
    return text if len(text) < width else text[: max(0, width - 2)] + "…"
