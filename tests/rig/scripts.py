# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Python code in a process of its own, with the collection importable as it is here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_COLLECTIONS = Path(__file__).parents[5]


def start_python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start it with pipes to talk to it; `arguments` are its sys.argv[1:]."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_COLLECTIONS), *sys.path])},
    )
