# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The callback `fleet.olm.fleet` on a terminal and in a log."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

PLAY = """
- name: Roll out
  hosts: all
  gather_facts: false
  serial: [1, 2, "50%"]
  tasks:
    - name: Look
      ansible.builtin.assert: {that: true}
    - name: Install greeter
      ansible.builtin.fail: {msg: "no room for greeter\\nfree some"}
      when: inventory_hostname == 'edge-4'
    - name: Mend
      block:
        - name: Try
          ansible.builtin.fail: {msg: not at once}
          when: inventory_hostname == 'edge-5'
      rescue:
        - name: Tell
          ansible.builtin.debug: {msg: it was mended}
    - name: Take a wave
      when: inventory_hostname == 'edge-7'
      block:
        - name: Install stamper
          ansible.builtin.fail: {msg: no room for stamper}
      rescue:
        - name: Note that this cluster failed
          ansible.builtin.set_fact: {operators_failure: no room for stamper}
    - name: Print a variable
      ansible.builtin.debug: {var: inventory_hostname}
      when: inventory_hostname == 'edge-7'
    - name: Print several
      ansible.builtin.debug: {msg: "cup {{ item }}"}
      loop: [1, 2, 3]
      when: inventory_hostname == 'edge-7' and item < 3
    - name: Keep a secret
      ansible.builtin.fail: {msg: hunter2}
      no_log: true
      ignore_errors: true
      when: inventory_hostname == 'edge-6'
"""
LINES = [
    "Roll out:",
    "wave 1 of 4, 1 cluster: 1 done, 0 failed in TIME",
    "wave 2 of 4, 2 clusters: 2 done, 0 failed in TIME",
    "  edge-4: Install greeter failed: no room for greeter",
    "    free some",
    "  edge-5: Try failed: not at once",
    "  edge-5: it was mended",
    "  edge-6: Keep a secret failed, which is ignored: the output has been hidden due to the fact that 'no_log: true' was specified for this result",
    "wave 3 of 4, 3 clusters: 2 done, 1 failed in TIME",
    "  edge-7: Install stamper failed: no room for stamper",
    '  edge-7: {"inventory_hostname": "edge-7"}',
    "  edge-7: cup 1",
    "  edge-7: cup 2",
    "wave 4 of 4, 1 cluster: 0 done, 1 failed in TIME",
    "7 clusters in TIME: 0 changed, 1 failed: edge-4",
]


@pytest.fixture
def run(tmp_path: Path) -> tuple[list[str], dict[str, str]]:
    """A play with waves over clusters that are made up: the command, and its environment."""
    (tmp_path / "play.yml").write_text(PLAY, encoding="utf-8")
    (tmp_path / "hosts").write_text("edge-[1:7] ansible_connection=local\n", encoding="utf-8")
    command = [
        str(Path(sys.executable).parent / "ansible-playbook"),
        "-i",
        str(tmp_path / "hosts"),
        str(tmp_path / "play.yml"),
    ]
    environment = {
        **os.environ,
        "ANSIBLE_HOME": str(tmp_path / "ansible"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "fleet.olm.fleet",
        "COLUMNS": "100",
    }
    return command, environment


def timeless(text: str) -> list[str]:
    return re.sub(r"in [\d.:]+( s)?\b", "in TIME", text).splitlines()


def test_a_log_gets_a_line_a_wave_and_every_failure(run: tuple[list[str], dict[str, str]]) -> None:
    command, environment = run
    environment["FLEET_OLM_PROGRESS_INTERVAL"] = "600"
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 2, ran.stderr
    assert timeless(ran.stdout) == LINES


def test_a_log_gets_more_lines_where_a_wave_takes_long(run: tuple[list[str], dict[str, str]]) -> None:
    command, environment = run
    environment["FLEET_OLM_PROGRESS_INTERVAL"] = "0"
    told = timeless(subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout)
    assert [line for line in told if " running, " not in line] == LINES
    assert "wave 1 of 4, 1 cluster: 0 done, 1 running, 0 failed · Look" in told
    assert any(
        re.fullmatch(r"wave 3 of 4, 3 clusters: \d done, \d running, 1 failed, about \d+ s left · .*", line)
        for line in told
    )


def test_a_terminal_has_one_line_a_wave_that_is_brought_up_to_date(run: tuple[list[str], dict[str, str]]) -> None:
    command, environment = run
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        written = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    assert process.returncode == 2
    updates = re.findall(r"\r\x1b\[K([^\r\n]*)\r(?!\n)", written)
    assert len([line for line in updates if " running, " in line]) >= 4
    assert all(len(line) < 100 for line in updates)
    # What stays is what stood in a log.
    assert timeless(re.sub(r"\r\x1b\[K([^\r\n]*\r(?!\n))?", "", written).replace("\r\n", "\n")) == LINES


def _read(terminal: int) -> bytes:
    """What was written; a terminal that nobody writes to any more is an error to Linux."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
