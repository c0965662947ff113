# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What one task costs: bundle_render of a small bundle, in-process and as a module, beside ansible.builtin.ping.

    python -m ansible_collections.fleet.olm.tests.benchmarks.module_start

A playbook with many tasks less one with a single task, so that the start of Ansible itself does not count. Also prints what importing
the module takes, the slowest parts first, since that is what a small bundle pays for.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.rig import elsewhere

TASKS = 20
GREETER = Path(__file__).resolve().parents[2] / "examples" / "bundles" / "greeter"
RENDER: dict[str, Any] = {"fleet.olm.bundle_render": {"source": str(GREETER), "namespace": "greeter-system"}}
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "ansible.builtin.ping": ("local", {"ansible.builtin.ping": {}}),
    "bundle_render as module": (elsewhere.NAME, RENDER),
    "bundle_render in-process": ("local", RENDER),
}


def main() -> None:
    """Run and print."""
    with tempfile.TemporaryDirectory() as scratch:
        elsewhere.add_connection(Path(scratch))
        costs = {name: _of_one_task(Path(scratch), connection, task) for name, (connection, task) in RUNS.items()}
    ping = costs["ansible.builtin.ping"]
    print(f"{'one task':<26}{'wall s':>9}{'CPU s':>9}{'x ping':>9}")
    for name, cost in costs.items():
        print(f"{name:<26}{cost.wall:>9.3f}{cost.cpu:>9.3f}{cost.wall / ping.wall:>9.2f}")
    _print_imports()


def _of_one_task(home: Path, connection: str, task: dict[str, Any]) -> Cost:
    many, one = (_run(home, connection, [task] * count) for count in (TASKS + 1, 1))
    return Cost((many.wall - one.wall) / TASKS, (many.cpu - one.cpu) / TASKS, many.memory)


def _run(home: Path, connection: str, tasks: list[dict[str, Any]]) -> Cost:
    play = [{"hosts": "all", "gather_facts": False, "tasks": tasks}]
    (home / "play.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    host = {"ansible_connection": connection, "ansible_python_interpreter": sys.executable}
    (home / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"one": host}}}), encoding="utf-8")
    return measure([Path(sys.executable).parent / "ansible-playbook", "-i", "hosts.yml", "play.yml"], cwd=home)


def _print_imports() -> None:
    module = "ansible_collections.fleet.olm.plugins.modules.bundle_render"
    command = [sys.executable, "-B", "-X", "importtime", "-c", f"import {module}"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    rows = [line.removeprefix("import time:").split("|") for line in printed.splitlines()[1:]]
    slowest = sorted(((int(own), name.strip()) for own, _total, name in rows), reverse=True)[:12]
    print(f"importing it: {sum(int(own) for own, *_rest in rows) / 1000:.0f} ms, of which on their own")
    for own, name in slowest:
        print(f"  {own / 1000:6.1f} ms  {name}")


if __name__ == "__main__":
    main()
