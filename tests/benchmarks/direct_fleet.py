# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""bundle_install over 1, 10, 100 and 1,000 inventory hosts.

    python -m ansible_collections.fleet.olm.tests.benchmarks.direct_fleet [--hosts 1,10,100] [--plot FILE.svg]

The hosts share three API servers, where a fleet has one each: the controller's costs are the same, and are what is measured. *Nothing to do*: all
hosts have the same extension, the bundle of 14 objects with 1.2 MB of CRDs, installed before on each server. *First install*: each host
has a bundle, an extension and a namespace of its own, 8 objects without CRDs. With six CRDs a host the three servers would hold hundreds of them, and
what grows would be their time for each further one. `debug` is what Ansible itself costs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.tests.benchmarks.large_bundle import write_bundle
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.benchmarks.plot import Line, Panel, drawn
from ansible_collections.fleet.olm.tests.rig.rig import Rig

FORKS = 10
CLUSTERS = 3
# More first installs would measure how three API servers cope with the objects of a thousand.
MOST_FIRST = 100
LARGE = "depot-system"
NOTHING, FIRST, DEBUG = "nothing to do", "first install", "ansible.builtin.debug"


@dataclass(frozen=True)
class Fleet:
    """Where playbooks are run, and with what."""

    home: Path
    kubeconfig: Path
    clusters: Sequence[str]

    def run(self, hosts: Mapping[str, Mapping[str, Any]], task: Mapping[str, Any]) -> Cost:
        """One task on all hosts."""
        shared = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "kubeconfig": str(self.kubeconfig),
        }
        inventory = {"all": {"hosts": {name: dict(values) for name, values in hosts.items()}, "vars": shared}}
        (self.home / "hosts.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        play = [{"hosts": "all", "gather_facts": False, "tasks": [dict(task)]}]
        (self.home / "play.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
        playbook = Path(sys.executable).parent / "ansible-playbook"
        command = [playbook, "-i", "hosts.yml", "-f", FORKS, "play.yml"]
        return measure(command, cwd=self.home, env={"XDG_CACHE_HOME": str(self.home)})

    def context(self, number: int) -> str:
        return self.clusters[number % len(self.clusters)]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default="1,10,100,1000")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    sizes = [int(size) for size in options.hosts.split(",")]
    with tempfile.TemporaryDirectory() as scratch, Rig(Path(scratch) / "rig", print) as rig:
        clusters = rig.add_clusters({f"cluster-{number + 1}": False for number in range(CLUSTERS)})
        for cluster in clusters:
            cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": LARGE}})
        fleet = Fleet(Path(scratch), rig.kubeconfig, [cluster.name for cluster in clusters])
        costs = measured(fleet, sizes)
    for line in table(costs):
        print(line)
    if options.plot:
        options.plot.write_text(drawn(_panels(costs)), encoding="utf-8")
        print(f"plotted to {options.plot}")


def measured(fleet: Fleet, sizes: Sequence[int]) -> dict[str, dict[int, Cost]]:
    """All runs, by what is done and the number of hosts."""
    costs: dict[str, dict[int, Cost]] = {DEBUG: {}, NOTHING: {}, FIRST: {}}
    large = _task(write_bundle(fleet.home / "large"), "depot", LARGE)
    debug = {"ansible.builtin.debug": {"msg": "{{ kubeconfig }} {{ context }}"}}
    fleet.run(_hosts(fleet, CLUSTERS), large)
    for size in sizes:
        hosts = _hosts(fleet, size)
        costs[DEBUG][size] = fleet.run(hosts, debug)
        costs[NOTHING][size] = fleet.run(hosts, large)
        changed = sum(f"changed: [{name}]" in _printed(fleet) for name in hosts)
        assert changed == 0, f"{changed} hosts report a change"
        if size <= MOST_FIRST:
            for number in range(size):
                write_bundle(fleet.home / f"small-{size}-{number}", name=f"depot-{size}-{number}", kinds=())
            name = f"depot-{size}-" + "{{ number }}"
            task = _task(Path(f"{fleet.home}/small-{size}-" + "{{ number }}"), name, name, create_namespace=True)
            costs[FIRST][size] = fleet.run(hosts, task)
            changed = sum(f"changed: [{name}]" in _printed(fleet) for name in hosts)
            assert changed == size, f"{changed} of {size} hosts report a change"
    return costs


def _hosts(fleet: Fleet, size: int) -> dict[str, dict[str, Any]]:
    return {f"host-{number}": {"context": fleet.context(number), "number": number} for number in range(size)}


def _task(bundle: Path, name: str, namespace: str, **more: Any) -> dict[str, Any]:
    options = {"name": name, "namespace": namespace, "source": str(bundle), "wait_for": "applied", **more}
    connection = {"kubeconfig": "{{ kubeconfig }}", "context": "{{ context }}"}
    return {"fleet.olm.bundle_install": {**options, **connection, "config": {"watchNamespace": namespace}}}


def _printed(fleet: Fleet) -> str:
    return (fleet.home / "output.log").read_text(encoding="utf-8")


def table(costs: Mapping[str, Mapping[int, Cost]]) -> list[str]:
    """In Markdown."""
    lines = [
        f"| {FORKS} forks | hosts | wall s | CPU s | wall s a host | CPU s a host | peak memory MiB |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, by_size in costs.items():
        for size, cost in by_size.items():
            each = f"{cost.wall / size:.3f} | {cost.cpu / size:.3f}"
            lines.append(f"| {name} | {size:,} | {cost.wall:.1f} | {cost.cpu:.1f} | {each} | {cost.memory:.0f} |")
    return lines


def _panels(costs: Mapping[str, Mapping[int, Cost]]) -> list[Panel]:
    def lines(what: str) -> list[Line]:
        return [
            Line(name, [(size, getattr(cost, what)) for size, cost in by_size.items()])
            for name, by_size in costs.items()
        ]

    return [
        Panel("CPU seconds", "hosts", lines("cpu")),
        Panel("seconds", "hosts", lines("wall")),
        Panel("peak memory, MiB", "hosts", lines("memory")),
    ]


if __name__ == "__main__":
    main()
