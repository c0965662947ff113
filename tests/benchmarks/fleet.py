# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook day_zero over 10, 100 and 1,000 inventory hosts that are what is described already.

    python -m ansible_collections.fleet.olm.tests.benchmarks.fleet [--hosts 10,100] [--forks 10]

The hosts share three API servers, where a fleet has one each: the controller's costs are the same, and are what is measured. Each has two extensions. The lock
is checked, every extension is held against its cluster, and no wave has anything to do. `debug` is what Ansible itself costs for one task.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.tests.benchmarks.direct_fleet import CLUSTERS, DEBUG, FORKS, table
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.rig.rig import Rig

BUNDLES = Path(__file__).resolve().parents[2] / "examples" / "bundles"
NOTHING = "day_zero, nothing to do"
OPERATORS = [
    {"name": "greeter", "namespace": "greeter-system", "source": str(BUNDLES / "greeter"), "wait_for": "applied"},
    {
        "name": "stamper",
        "namespace": "stamper-system",
        "source": str(BUNDLES / "stamper"),
        "needs": ["greeter"],
        "certificate_provider": "none",
        "wait_for": "applied",
    },
]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", default="10,100,1000")
    parser.add_argument("--forks", type=int, default=FORKS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Rig(Path(scratch) / "rig", print) as rig:
        rig.add_clusters({f"cluster-{number + 1}": False for number in range(CLUSTERS)})
        home = Path(scratch)
        (home / "debug.yml").write_text(
            yaml.safe_dump(
                [{"hosts": "all", "gather_facts": False, "tasks": [{"ansible.builtin.debug": {"msg": "x"}}]}]
            )
        )
        _write_inventory(home, rig, CLUSTERS)
        _play(home, "fleet.olm.day_zero", options.forks)
        costs: dict[str, dict[int, Cost]] = {DEBUG: {}, NOTHING: {}}
        for size in map(int, options.hosts.split(",")):
            _write_inventory(home, rig, size)
            costs[DEBUG][size] = _play(home, "debug.yml", options.forks)
            costs[NOTHING][size] = _play(home, "fleet.olm.day_zero", options.forks)
            printed = (home / "output.log").read_text(encoding="utf-8")
            assert printed.count("changed=0") == size, "a host reports a change"
    for line in table(costs):
        print(line)


def _write_inventory(home: Path, rig: Rig, size: int) -> None:
    hosts: dict[str, Mapping[str, Any]] = {
        f"host-{number}": {"context": f"cluster-{number % CLUSTERS + 1}"} for number in range(size)
    }
    shared = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "kubeconfig": str(rig.kubeconfig),
        "fleet_operators": OPERATORS,
    }
    (home / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": shared}}), encoding="utf-8")


def _play(home: Path, playbook: str, forks: int) -> Cost:
    command = [Path(sys.executable).parent / "ansible-playbook", "-i", "hosts.yml", "-f", forks, playbook]
    return measure(command, cwd=home, env={"XDG_CACHE_HOME": str(home)})


if __name__ == "__main__":
    main()
