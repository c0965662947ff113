# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What one task costs: bundle_render of a small bundle, in-process and as a module, beside ansible.builtin.ping.

    python -m ansible_collections.fleet.olm.tests.benchmarks.module_start

Playbooks with many tasks less those with a single one, so that the start of Ansible itself does not count; the best of several rounds, in
which the candidates take turns. One of them finds the cache of bundles empty for each task, as where a bundle is new. Also prints what importing the module
takes, the slowest parts first, since that is what a small bundle pays for.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.rig import elsewhere

TASKS = 10
ROUNDS = 4
GREETER = Path(__file__).resolve().parents[2] / "examples" / "bundles" / "greeter"
# The environment is a template in all of them, since that has its price, too.
KEPT, FRESH = (
    {"environment": {"XDG_CACHE_HOME": f"{{{{ playbook_dir }}}}/cache/{{{{ {many} | random }}}}"}}
    for many in (1, 999999999)
)
PING: dict[str, Any] = {"ansible.builtin.ping": {}, **KEPT}
RENDER: dict[str, Any] = {"fleet.olm.bundle_render": {"source": str(GREETER), "namespace": "greeter-system"}, **KEPT}
NEW: dict[str, Any] = {**RENDER, **FRESH}
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "ansible.builtin.ping": ("local", PING),
    "bundle_render as module": (elsewhere.NAME, RENDER),
    "… of a new bundle": (elsewhere.NAME, NEW),
    "bundle_render in-process": ("local", RENDER),
}


def main() -> None:
    """Run and print."""
    with tempfile.TemporaryDirectory() as scratch:
        elsewhere.add_connection(Path(scratch))
        rounds = [
            {(name, count): _run(Path(scratch), *RUNS[name], count) for name in RUNS for count in (1, 1 + TASKS)}
            for _round in range(ROUNDS)
        ]
    ping = _one_task(rounds, "ansible.builtin.ping", "wall")
    print(f"{'one task':<26}{'wall s':>9}{'CPU s':>9}{'x ping':>9}")
    for name in RUNS:
        wall, cpu = (_one_task(rounds, name, what) for what in ("wall", "cpu"))
        print(f"{name:<26}{wall:>9.3f}{cpu:>9.3f}{wall / ping:>9.2f}")
    _print_imports()


def _one_task(rounds: list[dict[tuple[str, int], Cost]], name: str, what: str) -> float:
    one, many = (min(getattr(costs[name, count], what) for costs in rounds) for count in (1, 1 + TASKS))
    return float(many - one) / TASKS


def _run(home: Path, connection: str, task: dict[str, Any], count: int) -> Cost:
    play = [{"hosts": "all", "gather_facts": False, "tasks": [task] * count}]
    (home / "play.yml").write_text(json.dumps(play), encoding="utf-8")
    host = {"ansible_connection": connection, "ansible_python_interpreter": sys.executable}
    (home / "hosts.yml").write_text(json.dumps({"all": {"hosts": {"one": host}}}), encoding="utf-8")
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
