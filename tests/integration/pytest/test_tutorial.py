# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The commands of the tutorial run as they stand, but for the address of the registry."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.rig import Rig

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "from-manifests.md"
REGISTRY = "registry.example.com"


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_the_commands_of_the_tutorial_run(rig: Rig, full_cluster: Cluster, tmp_path: Path) -> None:
    if not rig.registries:
        rig.start_registries()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(full_cluster.kubeconfig()), encoding="utf-8")
    kubeconfig.chmod(0o600)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_HOME": str(tmp_path / "ansible"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "K8S_AUTH_KUBECONFIG": str(kubeconfig),
    }
    listed = commands()
    assert len(listed) == 13
    for command in listed:
        words = shlex.split(command.replace(REGISTRY, rig.registries["open"].address))
        ran = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    assert (tmp_path / "rendered" / "kustomization.yaml").is_file()
    removal = "name=kiali namespace=kiali-operator state=absent delete_crds=kialis.kiali.io,monitoringdashboards.monitoring.kiali.io"
    undo = ["ansible", "localhost", "-m", "fleet.olm.bundle_install", "-a", removal]
    subprocess.run(undo, cwd=tmp_path, env=environment, capture_output=True, check=True)
