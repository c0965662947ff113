# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The line that tells how far a wave is."""

from __future__ import annotations

import pytest
from ansible_collections.fleet.olm.plugins.plugin_utils.progress import Wave, about, clock, fitted, wave_sizes


def wave(clusters: int = 4, *, steps: int = 2, later: int = 0) -> Wave:
    return Wave(1, 2, tuple(f"edge-{place}" for place in range(clusters)), began=100.0, steps=steps, later=later)


def test_a_wave_from_its_beginning_to_its_end() -> None:
    now = wave(3)
    for place in range(3):
        now.start(f"edge-{place}", "Install greeter")
    assert now.line(100.0) == "wave 1 of 2, 3 clusters: 0 done, 3 running, 0 failed · Install greeter"
    now.finish("edge-0")
    now.finish("edge-1", failed=True)
    # A third of what is left to do for two clusters took 10 s.
    assert now.line(110.0) == "wave 1 of 2, 3 clusters: 1 done, 1 running, 1 failed, about 10 s left · Install greeter"
    now.finish("edge-2")
    assert now.last_line(165.0) == "wave 1 of 2, 3 clusters: 2 done, 1 failed in 1:05"


def test_who_goes_on_after_a_failure_was_rescued() -> None:
    now = wave(1)
    now.start("edge-0", "Install greeter")
    now.finish("edge-0", failed=True)
    now.start("edge-0", "Mend it")
    assert (now.failed, now.running) == (set(), {"edge-0"})


def test_who_was_given_up_has_failed_whatever_comes_after() -> None:
    now = wave(1)
    now.start("edge-0", "Note that this cluster failed")
    now.give_up("edge-0")
    now.finish("edge-0")
    now.start("edge-0", "Something else")
    now.finish("edge-0")
    assert now.last_line(101.0) == "wave 1 of 2, 1 cluster: 0 done, 1 failed in 1.0 s"


def test_clusters_that_were_never_begun_are_told() -> None:
    now = wave(2)
    now.start("edge-0", "Install greeter")
    now.finish("edge-0", failed=True)
    assert now.last_line(101.0) == "wave 1 of 2, 2 clusters: 0 done, 1 failed, 1 not begun in 1.0 s"


def test_clusters_that_were_left_as_they_are_are_not_done() -> None:
    now = wave(2)
    for place in range(2):
        now.start(f"edge-{place}", "Note that this cluster stays as it is")
        now.leave(f"edge-{place}")
        now.finish(f"edge-{place}")
    assert now.last_line(101.0) == "wave 1 of 2, 2 clusters: 0 done, 0 failed, 2 not begun in 1.0 s"


def test_later_waves_count_for_the_time_left() -> None:
    now, long = wave(2, steps=2), wave(2, steps=2, later=4)
    for one in (now, long):
        for place in range(2):
            one.start(f"edge-{place}", "Install greeter")
            one.finish(f"edge-{place}")
    assert now.seconds_left(110.0) == pytest.approx(10)
    assert long.seconds_left(110.0) == pytest.approx(10 + 40)


def test_tasks_that_were_not_known_beforehand_count() -> None:
    now = wave(1, steps=1)
    for _step in range(4):
        now.start("edge-0", "Included")
        now.finish("edge-0")
    assert now.steps_a_cluster == 4


@pytest.mark.parametrize(
    ("serial", "clusters", "sizes"),
    [
        ([], 5, [5]),
        ([0], 5, [5]),
        ([2], 5, [2, 2, 1]),
        ([1, 3, "50%"], 12, [1, 3, 6, 2]),
        (["1%"], 3, [1, 1, 1]),
        ([10], 3, [3]),
        ([1], 0, []),
    ],
)
def test_waves_are_as_large_as_ansible_makes_them(serial: list[int | str], clusters: int, sizes: list[int]) -> None:
    assert wave_sizes(serial, clusters) == sizes


@pytest.mark.parametrize(("seconds", "words"), [(4.21, "4.2 s"), (65, "1:05"), (7209, "2:00:09")])
def test_measured_times(seconds: float, words: str) -> None:
    assert clock(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "about 5 s"), (33, "about 35 s"), (57, "about 1 min"), (3500, "about 58 min"), (5400, "about 1.5 h")],
)
def test_guessed_times_are_no_more_exact_than_they_deserve(seconds: float, words: str) -> None:
    assert about(seconds) == words


def test_a_line_stays_a_line() -> None:
    assert fitted("wave 1 of 2", 80) == "wave 1 of 2"
    assert fitted("wave 1 of 2", 8) == "wave 1…"
