# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The digest of a catalog's directory, without reading all of it again where nothing was written to it since."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..bundle.noted import Noted, noted_digest, noted_of
from ..bundle.source_options import SourceOptions
from ..bundle.source_tree import examine_tree


def directory_digest(path: Path, options: SourceOptions, place: str) -> str:
    """The digest of all files below a directory, which are safe to read."""
    return noted_digest(path, options, lambda: _noted(path), lambda: examine_tree(path, options.limits, place))


def _noted(root: Path) -> Noted | None:
    """What is noted now; None where it cannot be told, which reading will tell better."""
    try:
        return noted_of(sorted(_walk(str(root), "")))
    except (OSError, ValueError, RecursionError):
        return None


def _walk(directory: str, below: str) -> Iterator[tuple[str, os.stat_result, str]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            name = f"{below}{entry.name}"
            yield name, entry.stat(follow_symlinks=False), os.readlink(entry.path) if entry.is_symlink() else ""
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{name}/")
