# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many clusters at once from one controller: whatever the number of forks, what comes out and what the cache holds is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, Then
from ansible_collections.fleet.olm.tests.rig.rig import Rig, inventory_of

HOSTS = 60
FORKS = (5, 20, 50)
# The lock is one task for all clusters and leaves the cache warm, so the first read comes before it: on every cluster at once.
PLAY = """
- hosts: all
  gather_facts: false
  tasks:
    - fleet.olm.bundle_validate:
        source: "{{ item.source }}"
        registry_ca_cert: "{{ registry_ca_cert }}"
      loop: "{{ fleet_operators }}"
      register: found
    - ansible.builtin.import_role:
        name: fleet.olm.operators
    - ansible.builtin.copy:
        content: "{{ {'found': told | map(attribute='found'), 'done': told | map(attribute='operators_result')} | to_json }}"
        dest: "{{ results }}"
      vars:
        told: "{{ ansible_play_hosts | map('extract', hostvars) }}"
      run_once: true
      changed_when: false
"""


class Crowd:
    """Sixty hosts that share two clusters, and a proxy in front of the registry of their bundles."""

    def __init__(self, home: Path, inventory: dict[str, Any], registry: FaultProxy) -> None:
        self.home, self.registry = home, registry
        (home / "hosts.yml").write_text(yaml.safe_dump(inventory))
        (home / "play.yml").write_text(PLAY)

    def play(self, forks: int, *more: str) -> dict[str, list[Any]]:
        """Run it with an empty cache; what was found and done on each host."""
        results = self.home / f"results-{forks}.json"
        ran = subprocess.run(
            [
                *(str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.yml", "-f", str(forks)),
                *("-e", f"results={results}", *more, "play.yml"),
            ],
            cwd=self.home,
            env={
                **os.environ,
                "ANSIBLE_HOME": str(self.home / "ansible"),
                "XDG_CACHE_HOME": str(self.cache(forks).parents[1]),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        told: dict[str, list[Any]] = json.loads(results.read_text())
        return told

    def gather(self, forks: int) -> None:
        """Let nobody have the answer to which bundle a tag means before so many asked: then all of them want to be the first to pull it."""
        self.registry.clear()
        barrier = threading.Barrier(forks, timeout=120)
        self.registry.on("*", "/v2/greeter/manifests/1.0.0", Then(barrier.wait), times=forks)

    def pulled(self) -> Counter[str]:
        """How often each blob of a bundle was asked for."""
        return Counter(request.path for request in self.registry.seen if "/blobs/" in request.path)

    def cache(self, forks: int) -> Path:
        return self.home / f"cache-{forks}" / "fleet.olm" / "bundles"


@pytest.fixture
def crowd(rig: Rig, example_registry: str, tmp_path: Path) -> Iterator[Crowd]:
    names = [f"crowd-{number}" for number in range(2)]
    rig.add_clusters(dict.fromkeys(names, False))
    inventory: dict[str, Any] = inventory_of(rig.kubeconfig, names)
    group = inventory["all"]["children"]["fleet"]
    group["hosts"] = {f"host-{number:02}": group["hosts"][names[number % len(names)]] for number in range(HOSTS)}
    with FaultProxy(f"http://{example_registry}") as registry:
        address = registry.url.removeprefix("https://")
        # Nothing runs Deployments here.
        shared = {"wait_for": "applied", "certificate_provider": "none"}
        group["vars"] |= {
            "registry_ca_cert": str(registry.ca_file),
            "fleet_operators": [
                {"name": name, "namespace": f"{name}-system", "source": f"docker://{address}/{image}", **shared}
                for name, image in (("greeter", "greeter:1.0.0"), ("stamper", "stamper:2.0.0"))
            ],
        }
        yield Crowd(tmp_path, inventory, registry)
    for name in names:
        rig.remove_cluster(name)


def test_neither_results_nor_the_cache_depend_on_forks(crowd: Crowd) -> None:
    installed = crowd.play(2, "--limit", "host-00,host-01")
    assert [done["changed"] for done in installed["done"]] == [True, True]
    results = {}
    for forks in FORKS:
        crowd.gather(forks)
        told = results[forks] = crowd.play(forks)
        assert [done["changed"] for done in told["done"]] == [False] * HOSTS
        assert told == results[FORKS[0]]
        assert set(crowd.pulled().values()) == {1}
        assert len(list(crowd.cache(forks).iterdir())) == 2
        assert not [path for path in crowd.cache(forks).rglob("*") if path.name.startswith(".")]
