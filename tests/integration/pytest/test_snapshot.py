# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The frozen Kubernetes types are what a real API server of that version tells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.snapshot import KUBERNETES_VERSION
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.rig import Rig

SCRIPT = Path(__file__).resolve().parents[3] / "dev" / "snapshot_types.py"


def test_made_again_the_snapshot_is_the_same(rig: Rig, cluster: Cluster) -> None:
    version = cluster.request("GET", "/version")["gitVersion"].removeprefix("v")
    if version != KUBERNETES_VERSION:
        pytest.skip(f"the API server is {version}, the snapshot is of {KUBERNETES_VERSION}")
    check = subprocess.run(
        [sys.executable, str(SCRIPT), str(rig.kubeconfig), "--check"], capture_output=True, text=True, check=False
    )

    assert (check.returncode, check.stdout) == (0, "up to date\n"), check.stderr
