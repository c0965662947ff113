# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in the documentation of modules, run as they stand."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.olm_cluster import cluster_with_olm
from ansible_collections.fleet.olm.tests.rig.rig import Rig

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))
OF_OLM = ("cluster_catalog", "cluster_catalog_info", "cluster_extension", "cluster_extension_info")


@pytest.fixture(scope="module")
def own_cluster(rig: Rig) -> Iterator[Cluster]:
    """Examples leave behind what they show, so they have a cluster to themselves."""
    yield rig.add_cluster("examples", full=True)
    rig.remove_cluster("examples")


@pytest.fixture(scope="module")
def own_olm_cluster(rig: Rig) -> Iterator[Cluster]:
    with cluster_with_olm(rig, "olm-examples") as cluster:
        yield cluster


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_run(module: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    cluster: Cluster = request.getfixturevalue("own_olm_cluster" if module in OF_OLM else "own_cluster")
    documented = importlib.import_module(f"ansible_collections.fleet.olm.plugins.modules.{module}")
    tasks: list[dict[str, Any]] = yaml.safe_load(documented.EXAMPLES)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
    kubeconfig.chmod(0o600)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    playbook = tmp_path / "play.yml"
    host = {"kubeconfig": str(kubeconfig), "context": cluster.name}
    play = {"hosts": "localhost", "gather_facts": False, "vars": host, "tasks": tasks}
    play["module_defaults"] = {"group/fleet.olm.cluster": {"kubeconfig": str(kubeconfig)}}
    playbook.write_text(yaml.safe_dump([play]), encoding="utf-8")
    ran = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), str(playbook)],
        cwd=tmp_path,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(tmp_path / "ansible")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
