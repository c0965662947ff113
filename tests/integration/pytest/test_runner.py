# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet in two slices, each in an ansible-runner worker of its own, as AWX runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.rig import Rig, inventory_of

SLICES = 2
PROGRAMS = Path(sys.executable).parent
# Day zero as a project of AWX has it: a playbook of its own, and the lock file under version control beside it.
PLAYBOOKS = {"site.yml": "fleet.olm.day_zero", "lock.yml": "fleet.olm.lock"}


class Fleet:
    """Three clusters, the project that describes them, and the slices of their inventory."""

    def __init__(self, home: Path, inventory: dict[str, Any], described: dict[str, Any]) -> None:
        self.home, self.inventory, self.described = home, inventory, described
        self.project = home / "project"
        self.project.mkdir()
        for name, imported in PLAYBOOKS.items():
            play = [{"name": "Use the fleet's playbook", "ansible.builtin.import_playbook": imported}]
            (self.project / name).write_text(yaml.safe_dump(play))
        self.environment = {**os.environ, "ANSIBLE_HOME": str(home / "ansible"), "ANSIBLE_NOCOLOR": "1"}
        self.hosts: list[str] = list(inventory["all"]["children"]["fleet"]["hosts"])

    @property
    def lock(self) -> Path:
        return self.project / "fleet.lock.yml"

    def write_inventory(self, directory: Path, hosts: list[str]) -> Path:
        """The inventory with these hosts only, and groups only where they have one of them."""
        directory.mkdir(parents=True)
        group = self.inventory["all"]["children"]["fleet"]
        children = {
            "fleet": {**group, "hosts": {name: group["hosts"][name] for name in hosts}},
            **{f"only_{name[-1]}": {"hosts": {name: {}}} for name in hosts},
        }
        (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"children": children}}))
        (directory / "group_vars").mkdir()
        (directory / "group_vars" / "all.yml").write_text(yaml.safe_dump(self.described))
        return directory

    def write_lock(self) -> None:
        inventory = self.write_inventory(self.home / "whole", self.hosts)
        command = [str(PROGRAMS / "ansible-playbook"), "-i", str(inventory), "lock.yml"]
        ran = subprocess.run(
            command, cwd=self.project, env=self.environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr

    def run(self, label: str, **variables: str) -> list[Slice]:
        """All slices side by side."""
        slices = [Slice(self, f"{label}-{number}", self.hosts[number::SLICES], variables) for number in range(SLICES)]
        for one in slices:
            one.start()
        for one in slices:
            one.wait()
        return slices


class Slice:
    """One slice: what is sent, the worker that it is sent to, and what came back."""

    def __init__(self, fleet: Fleet, name: str, hosts: list[str], variables: dict[str, str]) -> None:
        self.fleet, self.name, self.hosts = fleet, name, hosts
        self.sent, self.worker = fleet.home / f"{name}-sent", fleet.home / f"{name}-worker"
        self.received = fleet.home / f"{name}-received"
        fleet.write_inventory(self.sent / "inventory", hosts)
        shutil.copytree(fleet.project, self.sent / "project")
        (self.sent / "env").mkdir()
        (self.sent / "env" / "extravars").write_text(json.dumps({"fleet_sliced": True, **variables}))
        self.received.mkdir()

    def start(self) -> None:
        runner = str(PROGRAMS / "ansible-runner")
        self.processes: list[subprocess.Popen[bytes]] = []
        for arguments in (
            ["transmit", str(self.sent), "-p", "site.yml"],
            ["worker", "--private-data-dir", str(self.worker)],
            ["process", str(self.received)],
        ):
            source = self.processes[-1].stdout if self.processes else None
            process = subprocess.Popen(
                [runner, *arguments],
                env=self.fleet.environment,
                stdin=source or subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
            self.processes.append(process)
            if source is not None:
                # The one before must notice when the one that reads from it ends.
                source.close()

    def wait(self) -> None:
        self.printed = self.processes[-1].communicate()[0].decode()
        # Of the three only the worker ends as the playbook did.
        sent, self.code, processed = [process.wait() for process in self.processes]
        assert (sent, processed) == (0, 0), self.printed

    def changed(self) -> dict[str, int]:
        """What a slice that has to succeed changed on each of its clusters."""
        assert self.code == 0, self.printed
        events = [json.loads(path.read_text()) for path in self.received.glob("artifacts/**/job_events/*.json")]
        (stats,) = [event["event_data"] for event in events if event["event"] == "playbook_on_stats"]
        assert not stats["failures"], self.printed
        assert not stats["dark"], self.printed
        return {host: stats["changed"].get(host, 0) for host in stats["processed"] if host != "localhost"}


@pytest.fixture
def fleet(rig: Rig, example_registry: str, tmp_path: Path) -> Iterator[Fleet]:
    names = [f"slice-{number}" for number in range(3)]
    rig.add_clusters(dict.fromkeys(names, False))
    # Nothing runs Deployments here.
    shared = {"wait_for": "applied", "certificate_provider": "none"}
    described = {
        "registry_plain_http": True,
        "labels": {"number": "{{ inventory_hostname[-1] }}"},
        "fleet_catalog": f"docker://{example_registry}/catalog:v1",
        "fleet_lock_file": "fleet.lock.yml",
        # Neither group is in both slices.
        "fleet_waves": ["only_1", "only_2"],
        "fleet_operators": [
            {"name": "greeter", "namespace": "greeter-system", "package": "greeter", "version": "1.0.0", **shared},
            {
                "name": "stamper",
                "namespace": "stamper-system",
                "package": "stamper",
                "needs": ["greeter"],
                "when": {"number": "1"},
                **shared,
            },
        ],
    }
    yield Fleet(tmp_path, inventory_of(rig.kubeconfig, names), described)
    for name in names:
        rig.remove_cluster(name)


def test_a_sliced_fleet_is_made_by_two_workers_from_one_lock(fleet: Fleet) -> None:
    for refused in fleet.run("early"):
        assert refused.code != 0
        assert "is not there, and a part of the fleet cannot write it" in refused.printed
        assert not (refused.worker / "project" / "fleet.lock.yml").exists()

    fleet.write_lock()
    locked = fleet.lock.read_bytes()
    first, second = fleet.run("first")
    assert [first.hosts, second.hosts] == [fleet.hosts[0::2], fleet.hosts[1::2]]
    for one in (first, second):
        changed = one.changed()
        assert sorted(changed) == sorted(one.hosts)
        assert all(changed.values())
        assert (one.worker / "project" / "fleet.lock.yml").read_bytes() == locked

    for one in fleet.run("again"):
        assert one.changed() == dict.fromkeys(one.hosts, 0)
        assert (one.worker / "project" / "fleet.lock.yml").read_bytes() == locked

    # One wave for all slices: that none of its clusters is in a slice is no failure there.
    assert [one.changed() for one in fleet.run("wave", fleet="only_1")] == [{}, {fleet.hosts[1]: 0}]
