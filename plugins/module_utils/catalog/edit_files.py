# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writing what was planned for a catalog's files."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..bundle.regular_file import reason
from ..errors import OptionError
from ..manifests.files import difference, replace
from .edit import FileChange


def differences(changes: Iterable[FileChange]) -> list[dict[str, str]]:
    """The changes as Ansible shows them in diff mode."""
    return [difference(change.name, change.before, change.after) for change in changes]


def write_changes(directory: Path, changes: Iterable[FileChange]) -> None:
    """Write and remove files; none is ever seen half written."""
    for change in changes:
        path = directory.joinpath(*change.name.split("/"))
        try:
            if change.after is None:
                path.unlink(missing_ok=True)
                with suppress(OSError):  # others lie beside it
                    path.parent.rmdir()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                replace(path, change.after)
        except OSError as error:
            raise OptionError(f"catalog: {path} cannot be written: {reason(error)}") from error
