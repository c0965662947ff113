# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rig itself: it comes up, it goes away, and it leaves nothing behind however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.errors import Forbidden
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.wait import wait_for


def run_rig(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ansible_collections.fleet.olm.tests.rig", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def processes_of(directory: Path) -> list[str]:
    """Command lines that name the directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(directory) in line:
                found.append(line[:100])
    return found


def wait_until_gone(directory: Path) -> None:
    wait_for(lambda: not processes_of(directory))


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "rig"
    run_rig("down", "--dir", str(tmp_path / "rig"))


def test_up_and_down_leave_nothing_behind(directory: Path) -> None:
    first = run_rig("up", "--clusters", "one,two", "--registry", "--dir", str(directory))
    assert first.returncode == 0, first.stderr
    assert "one, two ready in" in first.stdout
    kubeconfig = yaml.safe_load((directory / "kubeconfig").read_text())
    assert [context["name"] for context in kubeconfig["contexts"]] == ["one", "two"]
    inventory = yaml.safe_load((directory / "inventory.yml").read_text())
    assert sorted(inventory["all"]["children"]["fleet"]["hosts"]) == ["one", "two"]
    assert len(processes_of(directory)) == 6  # supervisor, etcd, two API servers, two registries
    again = run_rig("up", "--clusters", "one,two", "--registry", "--dir", str(directory))
    assert (again.returncode, "already up" in again.stdout) == (0, True)
    other = run_rig("up", "--clusters", "5", "--dir", str(directory))
    assert (other.returncode, "another rig runs" in other.stderr) == (1, True)
    assert run_rig("down", "--dir", str(directory)).returncode == 0
    assert not directory.exists()
    assert processes_of(directory) == []
    assert run_rig("down", "--dir", str(directory)).returncode == 0


def test_a_killed_supervisor_takes_its_programs_along(directory: Path) -> None:
    assert run_rig("up", "--dir", str(directory)).returncode == 0
    os.kill(int((directory / "supervisor.pid").read_text()), signal.SIGKILL)
    wait_until_gone(directory)
    assert run_rig("up", "--dir", str(directory)).returncode == 0
    assert run_rig("down", "--dir", str(directory)).returncode == 0
    assert not directory.exists()


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_start_leaves_nothing_behind(directory: Path, interruption: signal.Signals) -> None:
    command = [sys.executable, "-m", "ansible_collections.fleet.olm.tests.rig", "up", "--dir", str(directory)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as starting:
        wait_for(lambda: any("kube-apiserver" in line for line in processes_of(directory)))
        starting.send_signal(interruption)
        assert starting.wait(timeout=30) == 130
    wait_until_gone(directory)
    assert not directory.exists()


def test_two_rigs_run_side_by_side(rig: Rig, cluster: Cluster, directory: Path) -> None:
    assert run_rig("up", "--dir", str(directory)).returncode == 0
    assert str(rig.directory) != str(directory)
    assert cluster.request("GET", "/version")["gitVersion"] == "v1.36.3"


def test_clusters_do_not_see_each_other(cluster: Cluster, fresh_cluster: Cluster) -> None:
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": "only-here"}})
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fresh_cluster.request("GET", "/api/v1/namespaces/only-here")


def test_a_full_cluster_rolls_out_deployments(full_cluster: Cluster) -> None:
    labels = {"app": "web"}
    container = {"name": "web", "image": "registry.example.com/web:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    deployment = {
        "metadata": {"name": "web"},
        "spec": {"replicas": 3, "selector": {"matchLabels": labels}, "template": template},
    }
    path = "/apis/apps/v1/namespaces/default/deployments"
    full_cluster.request("POST", path, deployment)
    wait_for(lambda: full_cluster.request("GET", f"{path}/web").get("status", {}).get("availableReplicas") == 3)
    full_cluster.request("DELETE", f"{path}/web")


def test_the_registries_ask_for_what_they_should(rig: Rig) -> None:
    registries = rig.registries or rig.start_registries()
    crane = str(rig.program("crane"))

    def catalog(*options: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        command = [crane, "catalog", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})

    nobody = {"DOCKER_CONFIG": str(rig.directory / "nowhere")}
    assert catalog(registries["open"].address, environment=nobody).returncode == 0
    closed = registries["closed"]
    trusted = {**nobody, "SSL_CERT_FILE": closed.ca_file}
    assert "certificate" in catalog(closed.address, environment=nobody).stderr
    assert "UNAUTHORIZED" in catalog(closed.address, environment=trusted).stderr
    login = [crane, "auth", "login", closed.address, "-u", closed.user, "-p", closed.password]
    known = {"DOCKER_CONFIG": str(rig.directory / "docker"), "SSL_CERT_FILE": closed.ca_file}
    subprocess.run(login, check=True, env={**os.environ, **known}, capture_output=True)
    assert catalog(closed.address, environment=known).returncode == 0


def test_the_limited_user_may_do_little(rig: Rig, cluster: Cluster) -> None:
    config = yaml.safe_load(rig.limited_kubeconfig.read_text())
    assert {user["name"] for user in config["users"]} >= {"shared-limited"}
    with Client(connection_to(cluster, "limited")) as client, pytest.raises(Forbidden, match='"limited" cannot list'):
        client.read("/api/v1/namespaces")


def test_programs_can_be_brought_along(tmp_path: Path, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "etcd").symlink_to(rig.program("etcd"))
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    assert rig.program("etcd") == tmp_path / "etcd"
    assert rig.program("kube-apiserver").parent != tmp_path
