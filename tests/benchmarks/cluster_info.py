# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_info over many inventory hosts, in-process and as a module, side by side.

    python -m ansible_collections.fleet.olm.tests.benchmarks.cluster_info [hosts]

`debug` is the floor of any action plugin, `ping` that of any module. The hosts point at three real API
servers; the same controller runs all, so the ratios are what counts.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.rig import elsewhere
from ansible_collections.fleet.olm.tests.rig.rig import Rig

FORKS = 10


def main() -> None:
    """Run and print a table."""
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as scratch, Rig(Path(scratch) / "rig", print) as rig:
        clusters = [cluster.name for cluster in rig.add_clusters({f"cluster-{number}": False for number in (1, 2, 3)})]
        connection = {"kubeconfig": "{{ kubeconfig }}", "context": "{{ context }}"}
        runs: dict[str, tuple[str, dict[str, Any]]] = {
            "ansible.builtin.debug": ("local", {"ansible.builtin.debug": {"msg": "{{ kubeconfig }} {{ context }}"}}),
            "ansible.builtin.ping": ("local", {"ansible.builtin.ping": {}}),
            "cluster_info as module": (elsewhere.NAME, {"fleet.olm.cluster_info": connection}),
            "cluster_info in-process": ("local", {"fleet.olm.cluster_info": connection}),
        }
        costs: dict[str, Cost] = {}
        for name, (kind, task) in runs.items():
            home = Path(scratch) / name.replace(" ", "-")
            write_play(home, task, kind, rig.kubeconfig, clusters, hosts)
            playbook = Path(sys.executable).parent / "ansible-playbook"
            costs[name] = measure([playbook, "-i", "hosts.yml", "-f", str(FORKS), "play.yml"], cwd=home)
    print(f"{hosts} hosts on {len(clusters)} API servers, {FORKS} forks; controller only")
    print(f"{'':<26}{'wall s':>9}{'CPU s':>9}{'CPU s a host':>14}{'memory MiB':>12}")
    for name, cost in costs.items():
        print(f"{name:<26}{cost.wall:>9.1f}{cost.cpu:>9.1f}{cost.cpu / hosts:>14.3f}{cost.memory:>12.0f}")
    module, action = costs["cluster_info as module"], costs["cluster_info in-process"]
    print(
        f"module to in-process: {module.cpu / action.cpu:.1f} times the CPU, {module.wall / action.wall:.1f} times the time, "
        f"{module.memory / action.memory:.1f} times the memory"
    )


def write_play(home: Path, task: dict[str, Any], kind: str, kubeconfig: Path, clusters: list[str], hosts: int) -> None:
    """A play of one task, and an inventory of hosts that share some clusters."""
    elsewhere.add_connection(home)
    play = [{"hosts": "all", "gather_facts": False, "tasks": [task]}]
    (home / "play.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    shared = {"ansible_connection": kind, "ansible_python_interpreter": sys.executable, "kubeconfig": str(kubeconfig)}
    named = {f"host-{number}": {"context": clusters[number % len(clusters)]} for number in range(hosts)}
    inventory = {"all": {"hosts": named, "vars": shared}}
    (home / "hosts.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")


if __name__ == "__main__":
    main()
