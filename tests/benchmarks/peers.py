# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An environment with kubernetes.core, to measure it side by side: pinned, made once, kept in the cache."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from ansible_collections.fleet.olm.tests.rig.binaries import cache_directory

# PyPI's `ansible` carries kubernetes.core; the rest is what that asks for.
REQUIREMENTS = ("ansible==12.3.0", "kubernetes==37.0.2", "PyYAML==6.0.3", "jsonpatch==1.33")


def kubernetes_core() -> Path:
    """The directory of the programs of that environment."""
    key = hashlib.sha256("\n".join((sys.version, *REQUIREMENTS)).encode()).hexdigest()[:16]
    home = cache_directory().parent / f"venv-kubernetes-core-{key}"
    ready = home / ".ready"
    if not ready.exists():
        print(f"making an environment with {', '.join(REQUIREMENTS)}: once, about two minutes")
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(home / "bin" / "pip"), "install", "--quiet", *REQUIREMENTS], check=True)
        ready.touch()
    return home / "bin"
