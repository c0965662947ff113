# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_extension with nothing to do, over many inventory hosts, in-process.

    python -m ansible_collections.fleet.olm.tests.benchmarks.cluster_extension [hosts]

`debug` is the floor of any action plugin. The hosts point at three real API servers with the part of OLM v1 played.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.tests.benchmarks.cluster_info import FORKS, write_play
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, measure
from ansible_collections.fleet.olm.tests.rig.olm_samples import example_shelf
from ansible_collections.fleet.olm.tests.rig.rig import Rig


def main() -> None:
    """Run and print a table."""
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    catalog = next(iter(example_shelf().catalogs.values()))
    with tempfile.TemporaryDirectory() as scratch, Rig(Path(scratch) / "rig", print) as rig:
        clusters = [cluster.name for cluster in rig.add_clusters({f"cluster-{number}": False for number in (1, 2, 3)})]
        for name in clusters:
            rig.add_olm(name)
        connection = {"kubeconfig": "{{ kubeconfig }}", "context": "{{ context }}"}
        greeter = {"name": "greeter", "namespace": "default", "package": "greeter", "version": "1.0.0", **connection}
        served = {"name": "example", "image": "registry.example.com/catalog:v1", **connection}
        playbook = Path(sys.executable).parent / "ansible-playbook"
        runs: dict[str, tuple[int, dict[str, Any]]] = {
            "serve the catalog": (len(clusters), {"fleet.olm.cluster_catalog": served}),
            "install": (len(clusters), {"fleet.olm.cluster_extension": {**greeter, "validate": False}}),
            "debug": (hosts, {"ansible.builtin.debug": {"msg": "{{ kubeconfig }} {{ context }}"}}),
            "nothing to do": (hosts, {"fleet.olm.cluster_extension": {**greeter, "validate": False}}),
            "and validated": (hosts, {"fleet.olm.cluster_extension": {**greeter, "catalog": catalog}}),
        }
        costs: dict[str, Cost] = {}
        for name, (count, task) in runs.items():
            home = Path(scratch) / name.replace(" ", "-")
            write_play(home, task, "local", rig.kubeconfig, clusters, count)
            costs[name] = measure([playbook, "-i", "hosts.yml", "-f", str(FORKS), "play.yml"], cwd=home)
    print(f"{hosts} hosts on {len(clusters)} API servers, {FORKS} forks; controller only")
    print(f"{'':<26}{'wall s':>9}{'CPU s':>9}{'CPU s a host':>14}{'memory MiB':>12}")
    for name, cost in list(costs.items())[2:]:
        print(f"{name:<26}{cost.wall:>9.1f}{cost.cpu:>9.1f}{cost.cpu / hosts:>14.3f}{cost.memory:>12.0f}")


if __name__ == "__main__":
    main()
