# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet of three clusters, its description, and the playbooks that make it so."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy, Then
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot

ROOT = Path(__file__).resolve().parents[3]
BUNDLES = ROOT / "examples" / "bundles"
ENVIRONMENTS = {"edge-1": "edge", "edge-2": "edge", "prod-1": "prod"}
RECAP = re.compile(r"^(\S+)\s+: ok=\d+\s+changed=(\d+)\s+unreachable=\d+\s+failed=(\d+)", re.MULTILINE)
# Written only where something is really done: a dry run keeps no record.
RECORD = "/api/v1/namespaces/greeter-system/secrets[?].*"


class Ran:
    """What a playbook printed, and what it counted for each cluster."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.code, self.text = process.returncode, process.stdout + process.stderr
        found = RECAP.findall(process.stdout)
        self.changed = {host: int(changed) for host, changed, _failed in found}
        self.failed = [host for host, _changed, failed in found if int(failed)]


class Fleet:
    """Three clusters, each behind a proxy, with an inventory that tests write the description of."""

    def __init__(self, home: Path, clusters: dict[str, Cluster], proxies: dict[str, FaultProxy], catalog: str) -> None:
        self.home, self.clusters, self.proxies, self.catalog = home, clusters, proxies, catalog
        hosts = {
            name: {
                "host": proxies[name].url,
                "ca_cert": str(proxies[name].ca_file),
                "api_key": cluster.tokens[ADMIN],
                "labels": {"env": ENVIRONMENTS[name]},
            }
            for name, cluster in clusters.items()
        }
        local = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "registry_plain_http": True,
        }
        groups = {
            env: {"hosts": {name: {} for name, of in ENVIRONMENTS.items() if of == env}} for env in ("edge", "prod")
        }
        inventory = {"all": {"hosts": hosts, "vars": local, "children": groups}}
        (home / "inventory.yml").write_text(yaml.safe_dump(inventory))

    def describe(self, entries: list[Any], **more: Any) -> None:
        described = {"fleet_operators": entries, "fleet_waves": ["edge", "prod"], "fleet_catalog": self.catalog, **more}
        (self.home / "group_vars").mkdir(exist_ok=True)
        (self.home / "group_vars" / "all.yml").write_text(yaml.safe_dump(described))

    @property
    def lock(self) -> Path:
        return self.home / "fleet.lock.yml"

    def command(self, playbook: str, *more: str) -> dict[str, Any]:
        program = str(Path(sys.executable).parent / "ansible-playbook")
        return {
            "args": [program, "-i", "inventory.yml", f"fleet.olm.{playbook}", *more],
            "cwd": self.home,
            "env": {**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(self.home / "ansible")},
            "text": True,
        }

    def play(self, playbook: str, *more: str) -> Ran:
        ran = Ran(subprocess.run(**self.command(playbook, *more), capture_output=True, check=False))
        assert "Traceback" not in ran.text
        return ran

    def done(self, playbook: str, *more: str) -> dict[str, int]:
        """A run that has to succeed; what it changed."""
        ran = self.play(playbook, *more)
        assert ran.code == 0, ran.text
        return ran.changed

    def refused(self, playbook: str, *more: str) -> str:
        """A run that has to fail without a change of any cluster; what it said."""
        before = self.snapshot()
        ran = self.play(playbook, *more)
        assert ran.code != 0, ran.text
        assert self.snapshot() == before
        return ran.text

    def snapshot(self) -> dict[str, Any]:
        return {
            name: snapshot(cluster, "greeter-system", "stamper-system", "default")
            for name, cluster in self.clusters.items()
        }

    def images(self) -> dict[str, str]:
        """The version of greeter that each cluster runs, by the image of its Deployment."""
        path = "/apis/apps/v1/namespaces/greeter-system/deployments"
        found = {name: cluster.request("GET", path)["items"] for name, cluster in self.clusters.items()}
        return {
            name: items[0]["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2] if items else ""
            for name, items in found.items()
        }


@pytest.fixture
def fleet(rig: Rig, example_registry: str, tmp_path: Path) -> Iterator[Fleet]:
    started = rig.add_clusters(dict.fromkeys(ENVIRONMENTS, False))
    clusters = dict(zip(ENVIRONMENTS, started, strict=True))
    for cluster in clusters.values():
        # Nobody ends namespaces here, so they are not to be made for the extensions.
        for name in ("greeter-system", "stamper-system"):
            cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    with ExitStack() as stack:
        proxies = {
            name: stack.enter_context(FaultProxy(cluster.url, cluster.ca_file)) for name, cluster in clusters.items()
        }
        stack.callback(lambda: [rig.remove_cluster(cluster.name) for cluster in started])
        yield Fleet(tmp_path, clusters, proxies, f"docker://{example_registry}/catalog:v1")


def greeter(**more: Any) -> dict[str, Any]:
    # Nothing runs Deployments here.
    return {"name": "greeter", "namespace": "greeter-system", "package": "greeter", "wait_for": "applied", **more}


def stamper(**more: Any) -> dict[str, Any]:
    return {
        "name": "stamper",
        "namespace": "stamper-system",
        "source": str(BUNDLES / "stamper"),
        "needs": ["greeter"],
        "wait_for": "applied",
        "certificate_provider": "none",
        **more,
    }


def test_the_life_of_a_fleet(fleet: Fleet) -> None:
    # A mistake is found for the whole fleet before any cluster is touched.
    fleet.describe([greeter(version="1.0.0", config={"watchNamespaces": "x"}), stamper()])
    text = fleet.refused("day_zero")
    assert (
        "edge-1, edge-2, prod-1: greeter: invalid bundle configuration: unknown key 'watchNamespaces', did you mean"
        in text
    )
    assert not fleet.lock.exists()

    fleet.describe([stamper(when={"env": "prod"}), greeter(version="1.0.0")])
    assert "3 clusters, 4 extensions on them: no problems" in fleet.play("preflight").text
    assert not fleet.lock.exists()
    assert all(fleet.done("day_zero", "-e", "soak_seconds=1", "-e", "max_failures=1").values())
    assert set(fleet.images().values()) == {"1.0.0"}
    locked = yaml.safe_load(fleet.lock.read_text())
    assert [item["bundle"]["version"] for item in locked["extensions"]] == ["1.0.0", "2.0.0"]
    assert "@sha256:" in locked["extensions"][0]["bundle"]["source"]
    assert fleet.done("day_zero") == dict.fromkeys(ENVIRONMENTS, 0)
    assert not [path for path in fleet.snapshot()["edge-1"] if "Deployment" in path and "stamper" in path]

    # The same as files: no cluster is asked, and a second run writes nothing.
    assert sum(fleet.done("render", "-e", "dest=tree").values()) == 1
    assert (fleet.home / "tree" / "clusters" / "prod-1" / "stamper" / "kustomization.yaml").is_file()
    assert fleet.done("render", "-e", "dest=tree") == dict.fromkeys(ENVIRONMENTS, 0)
    # Clusters that a run leaves out stay in the tree.
    assert fleet.done("render", "-e", "dest=tree", "--limit", "edge-1") == {"edge-1": 0}
    assert "run render unsliced" in fleet.refused("render", "-e", "dest=tree", "-e", "fleet_sliced=true")

    # The catalog offers more, and nothing moves until the description and the lock say so.
    fleet.describe([stamper(when={"env": "prod"}), greeter(version="1.x")])
    assert "the lock holds it for greeter 1.0.0; run with update_lock=true" in fleet.refused("upgrade")
    held = fleet.refused("upgrade", "-e", "update_lock=true")
    assert (
        "edge-1, edge-2, prod-1: greeter: it gains permissions; held until accepted: may read and list Secrets" in held
    )
    digest = re.search(r"accept_permissions: (sha256:\w+)", held)
    assert digest is not None
    accepted = ["-e", "update_lock=true", "-e", f"accept_permissions={digest[1]}", "-e", "canary=edge-2"]

    # One cluster fails: the waves after it stay as they are, and the next run goes on there.
    fleet.proxies["edge-2"].on("POST", RECORD, Answer(500, b"broken"), times=1000)
    ran = fleet.play("upgrade", *accepted)
    assert ran.code != 0
    assert ran.failed == ["edge-2"]
    assert "edge-2 failed, and max_failures is 0" in ran.text
    assert fleet.images() == {"edge-1": "1.0.0", "edge-2": "1.0.0", "prod-1": "1.0.0"}
    fleet.proxies["edge-2"].clear()
    assert fleet.done("upgrade", *accepted[2:])["edge-2"]
    assert set(fleet.images().values()) == {"1.1.0"}
    assert fleet.done("upgrade") == dict.fromkeys(ENVIRONMENTS, 0)

    assert all(fleet.done("rollback", "-e", "extensions=greeter").values())
    assert set(fleet.images().values()) == {"1.0.0"}
    # What needs another goes first, however they are written, and keeps it where it stays.
    fleet.proxies["prod-1"].on("DELETE", ".*/deployments/stamper.*", Answer(500, b"broken"), times=1000)
    assert fleet.play("remove", "-e", "extensions=greeter,stamper", "--limit", "prod-1").failed == ["prod-1"]
    assert fleet.images()["prod-1"] == "1.0.0"
    fleet.proxies["prod-1"].clear()
    assert all(fleet.done("remove", "-e", "extensions=greeter,stamper").values())
    assert set(fleet.images().values()) == {""}
    crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/greetings.greeter.example.com"
    assert all(cluster.request("GET", crd) for cluster in fleet.clusters.values())
    assert not any(fleet.done("remove", "-e", "extensions=greeter,stamper").values())
    assert "greter: not in fleet_operators of any of these clusters" in fleet.refused(
        "remove", "-e", "extensions=greter"
    )
    # Clusters of another slice may have it.
    assert not any(fleet.done("remove", "-e", "extensions=greter", "-e", "fleet_sliced=true").values())


def test_what_is_mistyped(fleet: Fleet) -> None:
    fleet.describe([greeter(version="1.0.0")])
    said = "max_failures is 10%, soak_seconds is 5m: it must be a whole number; nothing was changed."
    assert said in fleet.refused("day_zero", "-e", "soak_seconds=5m", "-e", "max_failures=10%")
    assert not fleet.lock.exists()
    # An entry that cannot be read keeps none of the others from being removed.
    fleet.describe(["stamper", {"nme": "x"}, greeter(version="1.0.0")])
    assert not any(fleet.done("remove", "-e", "extensions=greeter").values())


def test_what_is_no_cluster_of_the_fleet_is_not_in_the_tree(fleet: Fleet) -> None:
    fleet.describe([])
    (fleet.home / "group_vars" / "all.yml").unlink()
    inventory = yaml.safe_load((fleet.home / "inventory.yml").read_text())
    for group in ("edge", "prod"):
        inventory["all"]["children"][group]["vars"] = {
            "fleet_operators": [greeter(version="1.0.0")],
            "fleet_catalog": fleet.catalog,
        }
    inventory["all"]["children"]["hubs"] = {"hosts": {"bastion": {}}}
    (fleet.home / "inventory.yml").write_text(yaml.safe_dump(inventory))
    fleet.done("render", "-e", "dest=tree", "-e", "fleet=edge")
    assert {path.name for path in (fleet.home / "tree" / "clusters").iterdir()} == set(ENVIRONMENTS)


def test_a_cluster_that_is_down_is_one_line_of_the_preflight(fleet: Fleet) -> None:
    fleet.describe([greeter(version="1.0.0")])
    fleet.proxies["edge-2"].on("*", ".*", Answer(401, b"{}"), times=1000)
    text = fleet.refused("preflight")
    assert "3 clusters, 2 extensions on them: 1 problem" in text
    assert "edge-2: " in text
    assert text.count("greeter 1.0.0 (direct)") == 1


def test_a_cluster_without_a_way_to_it_is_never_taken_for_the_one_of_the_user(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = fleet.home / "own.yaml"
    own.write_text(yaml.safe_dump(fleet.clusters["edge-1"].kubeconfig()))
    inventory = yaml.safe_load((fleet.home / "inventory.yml").read_text())
    inventory["all"]["hosts"]["edge-2"] = {"unreachable_reason": "Secret edge-2-kubeconfig is not there"}
    (fleet.home / "inventory.yml").write_text(yaml.safe_dump(inventory))
    fleet.describe([greeter(version="1.0.0")])
    for variable in ("KUBECONFIG", "K8S_AUTH_KUBECONFIG"):
        monkeypatch.setenv(variable, str(own))
        text = fleet.refused("preflight")
        assert "edge-2: there is no way to this cluster: Secret edge-2-kubeconfig is not there" in text
        assert "3 clusters, 2 extensions on them: 1 problem" in text
        assert fleet.play("remove", "-e", "extensions=greeter").failed == ["edge-2"]
        monkeypatch.delenv(variable)


@pytest.mark.parametrize("at", [1, 6])
def test_a_controller_that_is_killed_in_the_middle_of_a_wave_leaves_nothing_that_the_next_run_does_not_finish(
    fleet: Fleet, at: int
) -> None:
    fleet.describe([greeter(version="1.0.0")])
    started: list[subprocess.Popen[str]] = []
    kill = Then(lambda: os.killpg(started[0].pid, signal.SIGKILL))
    fleet.proxies["edge-2"].on("PATCH", "(?!.*dryRun).*", kill, nth=at)
    command = fleet.command("day_zero", "-f", "5")
    process = subprocess.Popen(**command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started.append(process)
    assert process.wait() == -signal.SIGKILL
    assert fleet.images()["prod-1"] == ""
    fleet.proxies["edge-2"].clear()
    assert fleet.done("day_zero")["prod-1"]
    assert set(fleet.images().values()) == {"1.0.0"}
    assert fleet.done("day_zero") == dict.fromkeys(ENVIRONMENTS, 0)
