# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of a bundle on their way to a directory: compared first, and nothing of a person's is overwritten unasked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..csvless.files import FLAT_METADATA, METADATA
from ..csvless.olm_yaml import OLM_YAML
from ..errors import OptionError
from ..manifests.files import FilePlan, plan_file, write_file


@dataclass(frozen=True)
class WritingPlan:
    """What it takes to make a directory hold some files; `kept` are those that are there and stay as they are."""

    directory: Path
    plans: tuple[FilePlan, ...]
    kept: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(plan.changed for plan in self.plans)

    @property
    def diff(self) -> list[dict[str, str]]:
        return [plan.diff for plan in self.plans if plan.changed]

    @property
    def written(self) -> list[str]:
        """The files that are new or change, by their names below the directory."""
        return [str(plan.path.relative_to(self.directory)) for plan in self.plans if plan.changed]

    def carry_out(self) -> None:
        for plan in self.plans:
            if plan.changed:
                try:
                    plan.path.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise OptionError(f"dest {plan.path.parent} cannot be made: {error.strerror}") from error
                write_file(plan)


def plan_writing(directory: Path, files: Mapping[str, str], *, overwrite: bool) -> WritingPlan:
    """Compare files with what a directory holds; refuse to change what is there unless told to."""
    plans = tuple(plan_file(str(directory / name), text) for name, text in sorted(files.items()))
    standing = [str(plan.path.relative_to(directory)) for plan in plans if plan.changed and plan.before is not None]
    if standing and not overwrite:
        raise OptionError(
            f"dest {directory} has other content in {', '.join(standing)}; choose another dest, or set overwrite: true to replace it"
        )
    return WritingPlan(directory, plans)


def refuse_others(directory: Path, files: Mapping[str, str]) -> None:
    """Refuse a directory with files that would be read as parts of the bundle whose files are written there."""
    manifests = sorted(f"manifests/{path.name}" for path in (directory / "manifests").glob("*"))
    names = (OLM_YAML, *(f"{METADATA}/{name}" for name in FLAT_METADATA), *manifests)
    others = [name for name in names if name not in files and os.path.lexists(directory / name)]
    if others:
        raise OptionError(
            f"dest {directory} has {', '.join(others)}, which would become part of the bundle; choose another dest, or remove what is there"
        )


def plan_adding(directory: Path, files: Mapping[str, str], replaced: Mapping[str, str]) -> WritingPlan:
    """Files that are there stay as they are, but for those in `replaced`, which get that text."""
    plans, kept = [], []
    for name, text in sorted({**files, **replaced}.items()):
        plan = plan_file(str(directory / name), text)
        if plan.changed and plan.before is not None and name not in replaced:
            kept.append(name)
        else:
            plans.append(plan)
    return WritingPlan(directory, tuple(plans), tuple(kept))
