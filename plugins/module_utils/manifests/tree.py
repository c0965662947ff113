# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests as a tree of files: one file an object, with a kustomization.yaml that lists them in the order to apply them.

Every file begins with a line that says whose it is. Files that begin with it are ours to replace and, when they no longer
belong, to remove; any other is never touched, and one that stands in the way is an error before anything is written.
A run that is cut off therefore leaves nothing that the next one would not mend.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..nested import at
from .files import difference, replace
from .yaml_writer import to_yaml

OURS = "# Rendered by fleet.olm; changes made here are overwritten.\n"
KUSTOMIZATION = "kustomization.yaml"


@dataclass(frozen=True)
class TreePlan:
    """What it takes to make a directory hold some manifests: text by file name, and names to remove."""

    directory: Path
    files: Mapping[str, str]
    before: Mapping[str, str]

    @property
    def written(self) -> list[str]:
        """New files, and those whose text changes."""
        return [name for name, text in self.files.items() if self.before.get(name) != text]

    @property
    def removed(self) -> list[str]:
        return sorted(name for name in self.before if name not in self.files)

    @property
    def changed(self) -> bool:
        return bool(self.written or self.removed)

    @property
    def diff(self) -> list[dict[str, str]]:
        """The changes, a file each."""
        names = sorted([*self.written, *self.removed])
        return [difference(str(self.directory / name), self.before.get(name), self.files.get(name)) for name in names]


def plan_tree(directory: Path, manifests: Iterable[Mapping[str, Any]]) -> TreePlan:
    """Compare manifests with what a directory holds; nothing is written."""
    return plan_files(directory, manifest_files(manifests), ("",))


def plan_files(directory: Path, files: Mapping[str, str], folders: Iterable[str]) -> TreePlan:
    """Compare files with what a directory holds; looked at are `folders` below it, and all that is in them, or only
    the directory itself where that is empty."""
    before: dict[str, str] = {}
    foreign = []
    try:
        if directory.exists() and not directory.is_dir():
            raise OptionError(f"dest {directory} is not a directory")
        for path in (path for folder in folders for path in _yaml_files(directory, folder)):
            name = path.relative_to(directory).as_posix()
            text = (
                path.read_text(encoding="utf-8", errors="replace") if path.is_file() and not path.is_symlink() else ""
            )
            if text.startswith(OURS):
                before[name] = text
            elif name in files:
                foreign.append(name)
    except OSError as error:
        raise OptionError(f"dest {directory} cannot be read: {error.strerror}") from error
    if foreign:
        raise OptionError(
            f"dest {directory} holds files that were not written here and would be replaced: {', '.join(foreign)}; "
            "move them away or choose another dest"
        )
    return TreePlan(directory, files, before)


def _yaml_files(directory: Path, folder: str) -> list[Path]:
    if not folder:
        return sorted(directory.glob("*.yaml"))
    # Not rglob, which before Python 3.13 follows links to directories.
    found = [
        Path(place) / name
        for place, _folders, names in os.walk(directory / folder)
        for name in names
        if name.endswith(".yaml")
    ]
    return sorted(found)


def write_tree(plan: TreePlan) -> None:
    """Carry a plan out. Each file is replaced at once, in order: the kustomization, which names the others, comes last."""
    try:
        plan.directory.mkdir(parents=True, exist_ok=True)
        for name in plan.written:
            path = plan.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            replace(path, plan.files[name])
        for name in plan.removed:
            (plan.directory / name).unlink(missing_ok=True)
            _remove_empty(plan.directory, (plan.directory / name).parent)
    except OSError as error:
        raise OptionError(f"dest {plan.directory} cannot be written: {error.strerror} ({error.filename})") from error


def _remove_empty(top: Path, folder: Path) -> None:
    """Folders that nothing is left in, up to the directory that was asked for."""
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def manifest_files(manifests: Iterable[Mapping[str, Any]], **more: Any) -> dict[str, str]:
    """Manifests by file name, and the kustomization that names them and says `more`."""
    files: dict[str, str] = {}
    for manifest in manifests:
        text = OURS + to_yaml(manifest)
        name = _file_name(manifest)
        number = 2
        while name in files and files[name] != text:
            name = f"{_file_name(manifest).removesuffix('.yaml')}-{number}.yaml"
            number += 1
        files[name] = text
    return {**files, KUSTOMIZATION: kustomization(files, **more)}


def kustomization(resources: Iterable[str], **more: Any) -> str:
    """The text of a kustomization.yaml."""
    kind = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    return OURS + to_yaml({**kind, "resources": list(resources), **more})


def _file_name(manifest: Mapping[str, Any]) -> str:
    parts = [str(manifest.get("kind") or "object"), str(at(manifest, "metadata", "name") or "unnamed")]
    # Names of RBAC objects may hold colons and the like, which not every file system takes.
    return re.sub(r"[^a-z0-9.-]+", "_", "-".join(parts).lower())[:200] + ".yaml"
