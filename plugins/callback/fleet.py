# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: fleet
type: stdout
short_description: Progress of a run over a fleet, in one line for each wave
version_added: 0.1.0
description:
  - Shows how many clusters of a wave are done, running and failed, and how long it will take. A wave is a play, or a batch of it where the play has C(serial).
  - On a terminal the line is brought up to date in place. Where the output goes to a file or a pipe, a line is written at most every ten seconds and at
    the end of each wave.
  - Failures are shown in full when they happen, what C(debug) prints too; with C(-v) the result of every task on every cluster is a line.
  - At the end it says how many clusters changed, and which failed.
requirements:
  - to be enabled as the callback for standard output, with C(stdout_callback = fleet.olm.fleet) in the section C(defaults) of ansible.cfg, or with
    E(ANSIBLE_STDOUT_CALLBACK)
options:
  interval:
    description: So many seconds are at least between two lines where the output is no terminal.
    type: float
    default: 10
    env:
      - name: FLEET_OLM_PROGRESS_INTERVAL
    ini:
      - section: callback_fleet
        key: interval
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

import json
import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase
from ansible_collections.fleet.olm.plugins.plugin_utils.progress import Wave, clock, fitted, wave_sizes

# How often a line on a terminal is brought up to date: faster than anybody reads, and slower than a thousand clusters report.
_REFRESH = 0.1
_NOT_PRINTED = ("changed", "failed", "item", "ansible_loop_var")


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Called by Ansible on everything that happens."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "fleet.olm.fleet"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._began = time.monotonic()
        self._terminal = sys.stdout.isatty()
        self._wave: Wave | None = None
        self._play: object = None
        self._before: tuple[int, int] | None = None
        self._steps = 0
        self._said = 0.0
        self._drawn = False

    # Waves

    def v2_playbook_on_play_start(self, play: Any) -> None:
        self._end_wave()
        known = play.get_variable_manager().get_vars(play=play, include_hostvars=False)
        every, batch = known["ansible_play_hosts_all"], known["ansible_play_batch"]
        if play._uuid == self._play and self._before is not None:
            number, begun = self._before
        else:
            self._play, self._steps, number, begun = play._uuid, 0, 0, 0
            self._say(f"{play.get_name()}:" if play.get_name() else "play:")
        sizes = wave_sizes(play.serial, len(every))
        number += 1
        begun += len(batch)
        self._before = (number, begun)
        steps = self._steps or sum(_tasks_in(block) for block in play.compile())
        self._wave = Wave(
            number, max(number, len(sizes)), tuple(batch), time.monotonic(), steps, later=max(0, len(every) - begun)
        )
        self._said = time.monotonic()

    def v2_playbook_on_no_hosts_matched(self) -> None:
        self._say("no cluster matches")

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        self._say("no cluster is left")

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._end_wave()
        hosts = sorted(stats.processed)
        told = {host: stats.summarize(host) for host in hosts}
        failed = [host for host in hosts if told[host]["failures"] or told[host]["unreachable"]]
        changed = [host for host in hosts if told[host]["changed"]]
        seconds = clock(time.monotonic() - self._began)
        self._say(f"{len(hosts)} clusters in {seconds}: {len(changed)} changed, {len(failed)} failed{_listed(failed)}")

    # Tasks

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        if self._wave is not None:
            self._wave.start(host.get_name(), task.get_name())
            self._show()

    def v2_runner_on_ok(self, result: Any) -> None:
        if result.task.action in constants._ACTION_DEBUG:
            for text in _printed(result.result):
                self._say(f"  {result.host.get_name()}: {text}")
        self._noted(result.host.get_name(), result.result.get("ansible_facts") or {})
        self._finished(result, "changed" if result.result.get("changed") else "ok")

    def v2_runner_on_skipped(self, result: Any) -> None:
        self._finished(result, "skipped")

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        said = "failed, which is ignored" if ignore_errors else "failed"
        self._say(_failure(result, said), color=constants.COLOR_SKIP if ignore_errors else constants.COLOR_ERROR)
        self._finished(result, said, failed=not ignore_errors)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._say(_failure(result, "could not be reached"), color=constants.COLOR_UNREACHABLE)
        self._finished(result, "unreachable", failed=True)

    def v2_runner_retry(self, _result: Any) -> None:
        self._show()

    def v2_on_file_diff(self, result: Any) -> None:
        diff = result.result.get("diff")
        if diff and result.result.get("changed"):
            self._say(self._get_diff(diff))

    # The line

    def _noted(self, cluster: str, facts: Mapping[str, Any]) -> None:
        """What the role `operators` notes of a cluster: that it failed, or was not begun."""
        if self._wave is not None and "operators_failure" in facts:
            self._wave.give_up(cluster)
        if self._wave is not None and "operators_left" in facts:
            self._wave.leave(cluster)

    def _finished(self, result: Any, said: str, *, failed: bool = False) -> None:
        if self._display.verbosity:
            self._say(f"  {result.host.get_name()}: {result.task.get_name()}: {said}")
        if self._wave is not None:
            self._wave.finish(result.host.get_name(), failed=failed)
            self._show()

    def _show(self) -> None:
        """Bring the line up to date, or write one where that was long ago."""
        now = time.monotonic()
        if self._wave is None or now - self._said < (_REFRESH if self._terminal else self.get_option("interval")):
            return
        self._said = now
        line = self._wave.line(now)
        if self._terminal:
            # The cursor goes back to the start, so that what others write lies over the line and not behind it.
            sys.stdout.write(f"\r\x1b[K{fitted(line, shutil.get_terminal_size().columns)}\r")
            sys.stdout.flush()
            self._drawn = True
        else:
            self._display.display(line)

    def _end_wave(self) -> None:
        if self._wave is not None:
            self._steps = round(self._wave.steps_a_cluster)
            self._say(self._wave.last_line(time.monotonic()))
            self._wave = None

    def _say(self, text: str, color: str | None = None) -> None:
        """Write something that stays."""
        if self._drawn:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()
            self._drawn = False
            self._said = 0.0
        self._display.display(text, color=color)


def _tasks_in(block: Any) -> int:
    """The tasks of a block that every cluster runs; what mends failures is not among them."""
    return sum(
        _tasks_in(item) if hasattr(item, "block") else int(item.action not in constants._ACTION_META)
        for item in (*block.block, *block.always)
    )


def _failure(result: Any, said: str) -> str:
    lines = [line for message in _messages(result.result) for line in message.splitlines()]
    head = f"  {result.host.get_name()}: {result.task.get_name()} {said}"
    return "\n".join([f"{head}: {lines[0]}" if lines else head, *(f"    {line}" for line in lines[1:])])


def _messages(result: Mapping[str, Any]) -> Iterable[str]:
    """What a task says of its failure; in a loop, what the items say that failed."""
    items = [item for item in result.get("results") or () if isinstance(item, Mapping) and item.get("failed")]
    return [str(one.get("msg") or one.get("censored") or "") for one in items or [result]]


def _printed(result: Mapping[str, Any]) -> Iterable[str]:
    """What debug prints: a message, or variables; in a loop, those of each item."""
    for one in result.get("results") or [result]:
        if one.get("skipped"):
            continue
        shown = {key: value for key, value in one.items() if not key.startswith("_ansible") and key not in _NOT_PRINTED}
        yield str(one["msg"]) if "msg" in one else json.dumps(shown, default=str, ensure_ascii=False)


def _listed(names: list[str], most: int = 20) -> str:
    if not names:
        return ""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f": {', '.join(names[:most])}{more}"
