# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook `report` on three clusters, one of which does not answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.rig import Rig

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
WANTED = [
    {"name": "greeter", "package": "greeter", "version": "1.1.x", "catalog": str(EXAMPLES / "catalog"), "channels": ["stable"]},
    {"name": "painter", "version": "1.x", "needs": ["greeter", "stamper"]},
]  # fmt: skip
# The first install goes well; the upgrade gains permissions that nobody accepted.
UPGRADE = """
- hosts: direct
  gather_facts: false
  module_defaults: &reach
    group/fleet.olm.cluster: {kubeconfig: "{{ kubeconfig }}"}
  tasks:
    - fleet.olm.bundle_install:
        name: greeter
        namespace: default
        source: EXAMPLES/bundles/greeter
        wait_for: applied
    - fleet.olm.bundle_install:
        name: greeter
        namespace: default
        source: EXAMPLES/bundles/greeter-1.1.0
      register: upgraded
      ignore_errors: true
- hosts: olm
  gather_facts: false
  module_defaults: *reach
  tasks:
    - fleet.olm.cluster_extension:
        name: stamper
        namespace: stamper-system
        create_namespace: true
        package: stamper
        catalog: EXAMPLES/catalog
        wait: false
- hosts: all
  gather_facts: false
  roles:
    - role: fleet.olm.report
      vars:
        report_runs: "{{ [upgraded | combine({'name': 'greeter'})] if upgraded is defined else [] }}"
        report_offers: false
        report_html_dest: ""
        report_json_dest: run.json
"""


@pytest.fixture(scope="module")
def inventory(rig: Rig, olm_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An inventory of three clusters; the API server of one has ended."""
    home = tmp_path_factory.mktemp("fleet")
    direct, gone = rig.add_clusters({"report-direct": False, "report-gone": False})
    gone.kill()
    hosts = {}
    for name, cluster in {"direct": direct, "olm": olm_cluster, "gone": gone}.items():
        kubeconfig = home / f"{name}.kubeconfig"
        kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
        kubeconfig.chmod(0o600)
        hosts[name] = {"kubeconfig": str(kubeconfig), "labels": {"cluster": name}}
    everything = {"ansible_connection": "local", "fleet_operators": WANTED}
    told = {"all": {"children": {"edge": {"hosts": hosts, "vars": everything}}}}
    (home / "inventory.yml").write_text(yaml.safe_dump(told), encoding="utf-8")
    yield home / "inventory.yml"
    gone_again = {"name": "stamper", "namespace": "stamper-system", "state": "absent"}
    with Controllers() as controllers:
        result = controllers.run("cluster_extension", {"kubeconfig": hosts["olm"]["kubeconfig"], **gone_again})
    assert not result.get("failed"), result


Play = Callable[..., str]


@pytest.fixture
def play(inventory: Path, tmp_path: Path) -> Play:
    """Runs a playbook in an empty folder; what it printed."""
    (tmp_path / "play.yml").write_text(UPGRADE.replace("EXAMPLES", str(EXAMPLES)), encoding="utf-8")

    def run(playbook: str, *options: str) -> str:
        ran = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(inventory), playbook, *options],
            cwd=tmp_path,
            env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(tmp_path / "ansible")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    return run


def read(path: Path) -> tuple[dict[str, Any], dict[tuple[str, str], dict[str, Any]]]:
    """A report, and its rows by cluster and extension."""
    report = json.loads(path.read_text(encoding="utf-8"))
    return report, {(one["name"], row["name"]): row for one in report["clusters"] for row in one["extensions"]}


def test_a_report_on_three_clusters_of_which_one_does_not_answer(play: Play, tmp_path: Path) -> None:
    play("play.yml")
    _report, rows = read(tmp_path / "run.json")
    held = rows["direct", "greeter"]
    assert (held["version"], held["as_wanted"]) == ("1.0.0", False)
    assert held["pending_approval"]["digest"].startswith("sha256:")
    assert held["pending_approval"]["gains"] == [
        "may read and list Secrets in all namespaces (service account greeter)"
    ]
    assert rows["direct", "painter"]["blocked_by"] == ["stamper"]

    first = play("fleet.olm.report", "-e", "report_junit_dest=report.xml", "-e", "report_schema_dest=schema.json")
    report, rows = read(tmp_path / "fleet-report.json")
    assert "failed=0" in first
    jsonschema.validate(report, json.loads((tmp_path / "schema.json").read_text(encoding="utf-8")))
    clusters = {cluster["name"]: cluster for cluster in report["clusters"]}
    assert {name: (one["reachable"], one["engine"]) for name, one in clusters.items()} == {
        "direct": (True, "direct"),
        "gone": (False, None),
        "olm": (True, "olm"),
    }
    assert "cannot reach cluster" in clusters["gone"]["error"]
    assert clusters["olm"]["labels"] == {"cluster": "olm"}
    assert clusters["olm"]["groups"] == ["edge"]
    assert {key: row["health"] for key, row in rows.items() if key[0] == "gone"} == {
        ("gone", "greeter"): "unknown",
        ("gone", "painter"): "unknown",
    }
    assert rows["direct", "greeter"]["upgrade"] == {"version": "1.1.0", "path": ["1.1.0"]}
    assert rows["olm", "stamper"]["engine"] == "olm"
    assert rows["olm", "greeter"]["health"] == "absent"
    assert 'type="unreachable"' in (tmp_path / "report.xml").read_text(encoding="utf-8")
    assert "<h1>Fleet report</h1>" in (tmp_path / "fleet-report.html").read_text(encoding="utf-8")


def test_a_second_report_changes_nothing(play: Play, tmp_path: Path) -> None:
    assert "changed=1" in play("fleet.olm.report")
    before = {path.name: path.read_bytes() for path in tmp_path.glob("fleet-report.*")}
    again = play("fleet.olm.report")
    assert "changed=1" not in again
    assert {path.name: path.read_bytes() for path in tmp_path.glob("fleet-report.*")} == before


def test_a_description_that_says_nothing_is_none(play: Play, tmp_path: Path) -> None:
    play("fleet.olm.report", "--limit", "direct", "-e", '{"fleet_operators": null}', "-e", "report_html_dest=")
    assert [cluster["name"] for cluster in read(tmp_path / "fleet-report.json")[0]["clusters"]] == ["direct"]


def test_check_mode_writes_nothing_and_says_so(play: Play, tmp_path: Path) -> None:
    assert "changed=1" in play("fleet.olm.report", "--check")
    assert list(tmp_path.glob("fleet-report.*")) == []
