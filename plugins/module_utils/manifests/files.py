# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that modules write: compared first, replaced at once."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..errors import OptionError


@dataclass(frozen=True)
class FilePlan:
    """The text that a file is to have, and the one that it has; None where there is no file."""

    path: Path
    before: str | None
    after: str

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def diff(self) -> dict[str, str]:
        return difference(str(self.path), self.before, self.after)


def plan_file(path: str, text: str) -> FilePlan:
    """Compare a text with what a file holds; nothing is written."""
    target = Path(path)
    try:
        before = target.read_text(encoding="utf-8", errors="replace") if target.exists() else None
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}") from error
    return FilePlan(target, before, text)


def write_file(plan: FilePlan) -> None:
    """Make the file hold the text. It is never seen half written."""
    try:
        replace(plan.path, plan.after)
    except OSError as error:
        raise OptionError(f"{plan.path} cannot be written: {error.strerror}") from error


def replace(path: Path, text: str) -> None:
    """Put a new file in the place of an old one."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(scratch).chmod(0o644)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def difference(name: str, before: str | None, after: str | None) -> dict[str, str]:
    """A change in the form in which Ansible shows it in diff mode."""
    return {
        "before_header": name if before is not None else f"{name} (not there)",
        "after_header": name if after is not None else f"{name} (removed)",
        "before": before or "",
        "after": after or "",
    }
