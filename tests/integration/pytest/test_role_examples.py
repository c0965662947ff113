# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in the pages of roles, run as they stand, twice: the second run changes nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)
GREETER = {"name": "greeter", "namespace": "greeter-system", "delete_crds": ["greetings.greeter.example.com"]}
KIALI = {
    "name": "kiali",
    "namespace": "kiali-operator",
    "needs": ["greeter"],
    "delete_crds": ["kialis.kiali.io", "monitoringdashboards.monitoring.kiali.io"],
}
# How what an example made is taken away again.
CLEANED_UP = {
    "extension": ("fleet_extensions", {"extensions": [GREETER]}),
    "operators": ("fleet_extensions", {"extensions": [GREETER, KIALI]}),
    "catalogs": ("cluster_catalog", {"name": "example"}),
}


@pytest.mark.parametrize("role", CLEANED_UP)
def test_the_example_of_a_role_runs(role: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    cluster: Cluster = request.getfixturevalue("olm_cluster" if role == "catalogs" else "full_cluster")
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
    (tmp_path / "kubeconfig").chmod(0o600)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    host: dict[str, Any] = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "kubeconfig": str(tmp_path / "kubeconfig"),
        "context": cluster.name,
    }
    plays: list[Any] = []
    for block in BLOCK.findall((ROOT / "roles" / role / "README.md").read_text(encoding="utf-8")):
        content = yaml.safe_load(block)
        if isinstance(content, list):
            plays += content
        else:
            host |= content
    assert plays
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": {"one": host}}}), encoding="utf-8")
    (tmp_path / "play.yml").write_text(yaml.safe_dump(plays), encoding="utf-8")
    module, options = CLEANED_UP[role]
    reach = {"kubeconfig": host["kubeconfig"], "context": host["context"]}
    clean_up = ("-m", f"fleet.olm.{module}", "-a", json.dumps({**options, **reach, "state": "absent"}))
    # Other tests of the cluster are about the same things.
    _run(tmp_path, "ansible", "one", *clean_up)
    try:
        assert "changed=0" not in _run(tmp_path, "ansible-playbook", "play.yml")
        assert "changed=0" in _run(tmp_path, "ansible-playbook", "play.yml")
    finally:
        _run(tmp_path, "ansible", "one", *clean_up)


def _run(home: Path, program: str, *arguments: str) -> str:
    ran = subprocess.run(
        [str(Path(sys.executable).parent / program), "-i", "hosts.yml", *arguments],
        cwd=home,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(home / "ansible")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout
