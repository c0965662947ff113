# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many clusters at once from one controller: whatever the number of forks, what comes out and what the cache holds is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
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
        registry_plain_http: true
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
    """Sixty hosts that share two clusters."""

    def __init__(self, home: Path, inventory: dict[str, Any]) -> None:
        self.home = home
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

    def cache(self, forks: int) -> Path:
        return self.home / f"cache-{forks}" / "fleet.olm" / "bundles"


@pytest.fixture
def crowd(rig: Rig, example_registry: str, tmp_path: Path) -> Iterator[Crowd]:
    names = [f"crowd-{number}" for number in range(2)]
    rig.add_clusters(dict.fromkeys(names, False))
    inventory: dict[str, Any] = inventory_of(rig.kubeconfig, names)
    group = inventory["all"]["children"]["fleet"]
    group["hosts"] = {f"host-{number:02}": group["hosts"][names[number % len(names)]] for number in range(HOSTS)}
    # Nothing runs Deployments here.
    shared = {"wait_for": "applied", "certificate_provider": "none"}
    group["vars"] |= {
        "registry_plain_http": True,
        "fleet_operators": [
            {"name": name, "namespace": f"{name}-system", "source": f"docker://{example_registry}/{image}", **shared}
            for name, image in (("greeter", "greeter:1.0.0"), ("stamper", "stamper:2.0.0"))
        ],
    }
    yield Crowd(tmp_path, inventory)
    for name in names:
        rig.remove_cluster(name)


def test_neither_results_nor_the_cache_depend_on_forks(crowd: Crowd) -> None:
    installed = crowd.play(2, "--limit", "host-00,host-01")
    assert [done["changed"] for done in installed["done"]] == [True, True]
    results = {forks: crowd.play(forks) for forks in FORKS}
    for forks, told in results.items():
        assert [done["changed"] for done in told["done"]] == [False] * HOSTS
        assert told == results[FORKS[0]], forks
        entries = [path.name for path in crowd.cache(forks).iterdir()]
        assert len(entries) == 2, entries
        assert not [path for path in crowd.cache(forks).rglob("*") if path.name.startswith(".")]
