# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials that were in Secrets, as kubeconfig files that only their owner can read."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import OptionError

SUFFIX = ".kubeconfig"


def directory_of(root: Path, inventory: str) -> Path:
    """The folder for the credentials of one inventory file."""
    return root / hashlib.sha256(inventory.encode()).hexdigest()[:16]


def _make_private(directory: Path) -> None:
    """Make the folder where it is not there; refuse it where others can look into it."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        raise OptionError(f"credentials_dir: cannot make {directory}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise OptionError(
            f"credentials_dir: {directory} must be a folder that belongs to you and that nobody else can read (mode 0700)"
        )


def keep(directory: Path, credentials: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Write the kubeconfigs of hosts; the path of each. Files of hosts that are no more are removed: they hold secrets."""
    if not credentials and not directory.exists():
        return {}
    _make_private(directory)
    paths = {host: directory / _file_name(host) for host in credentials}
    try:
        for host, path in paths.items():
            _write(path, json.dumps(credentials[host], indent=1).encode())
        _forget(directory, paths.values())
    except OSError as error:
        raise OptionError(f"credentials_dir: cannot write to {directory}: {error.strerror}") from error
    return {host: str(path) for host, path in paths.items()}


def _write(path: Path, content: bytes) -> None:
    if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
        path.chmod(0o600)
        return
    # Others may be reading the file at this moment, so it is replaced as a whole. mkstemp makes it for the owner alone.
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(scratch, path)
    except OSError:
        os.unlink(scratch)
        raise


def _forget(directory: Path, kept: Iterable[Path]) -> None:
    for path in set(directory.glob(f"*{SUFFIX}")) - set(kept):
        path.unlink(missing_ok=True)


def _file_name(host: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._@-]", "_", host)[:100]
    mark = "" if plain == host else "-" + hashlib.sha256(host.encode()).hexdigest()[:8]
    return f"{plain}{mark}{SUFFIX}"
