# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle's directory as a whole: what lies in it is safe to read, and one digest stands for all of it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from ..errors import SourceError
from .regular_file import CHUNK, opened, reason
from .unpack_limits import Budget, Limits, shown

# A checkout's own bookkeeping is no part of a bundle that lies at its top.
_NO_CONTENT = ".git"
_CONTENT = {"bundle": "a bundle has the directories manifests and metadata"}


def examine_tree(root: Path, limits: Limits, place: str) -> str:
    """The digest of all files below a directory; links that lead out of it and what is no file are refused."""
    walk = _Walk(Path(os.path.realpath(root)), Budget(limits, place))
    try:
        walk.directory(walk.root, 0)
    except (OSError, ValueError) as error:
        raise SourceError(f"{place}: cannot be read: {reason(error)}") from error
    if not walk.lines:
        raise SourceError(f"{place}: is empty; {_CONTENT.get(limits.what, 'there must be files in it')}")
    return "sha256:" + hashlib.sha256(b"".join(sorted(walk.lines))).hexdigest()


def is_layout(directory: Path) -> bool:
    """Whether a directory is an OCI image layout."""
    return (directory / "oci-layout").is_file() and (directory / "index.json").is_file()


class _Walk:
    def __init__(self, root: Path, budget: Budget) -> None:
        self.root = root
        self.budget = budget
        self.lines: list[bytes] = []

    def directory(self, directory: Path, depth: int) -> None:
        if depth > self.budget.limits.depth:
            raise SourceError(f"{self.budget.place}: has directories deeper than {self.budget.limits.depth}")
        with os.scandir(directory) as entries:
            for entry in entries:
                if depth == 0 and entry.name == _NO_CONTENT:
                    continue
                self.budget.take_file()
                path = directory / entry.name
                if entry.is_symlink():
                    self.link(path)
                elif entry.is_dir():
                    self.directory(path, depth + 1)
                else:
                    self.file(path)

    def link(self, path: Path) -> None:
        target = os.readlink(path)
        try:
            real = Path(os.path.realpath(path, strict=True))
        except (FileNotFoundError, NotADirectoryError):
            real = Path(os.path.realpath(path))  # leads to nothing, but it may not do so outside either
        except OSError as error:
            raise SourceError(f"{self.budget.place}: {self.name(path)} is a link without end") from error
        if not real.is_relative_to(self.root):
            raise SourceError(
                f"{self.budget.place}: {self.name(path)} is a link to {shown(target)}, which leads out of it"
            )
        self.note(path, b"link", hashlib.sha256(os.fsencode(target)).hexdigest())

    def file(self, path: Path) -> None:
        content, name = hashlib.sha256(), self.name(path)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise SourceError(
                f"{self.budget.place}: {name} is a device file, FIFO or socket; accepted are files, "
                "directories and links"
            )
        count = 0
        with opened(path, f"{self.budget.place}: {name}") as file:
            while data := file.read(CHUNK):
                content.update(data)
                count += len(data)
                self.budget.take_bytes(len(data))
                self.budget.check_file(name, count)
        self.note(path, b"file", content.hexdigest())

    def note(self, path: Path, kind: bytes, digest: str) -> None:
        self.lines.append(b"%s\0%s %s\n" % (os.fsencode(path.relative_to(self.root)), kind, digest.encode()))

    def name(self, path: Path) -> str:
        return shown(str(path.relative_to(self.root)))
