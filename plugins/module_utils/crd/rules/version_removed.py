# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version that is no longer there, but in which nothing is stored: its clients have to move, its objects need not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..rule import Answer, DefinitionRule, Finding


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for version in old.versions:
        if new.version(version.name) is not None or version.storage or version.name in old.stored_versions:
            continue
        was = "was served and" if version.served else "was not served and"
        message = f"version {version.name} {was} is removed"
        yield Finding("tightening" if version.served else "harmless", message, version=version.name)


def _hurts(change: Change, _custom_resource: Any, stored_versions: Collection[str] | None) -> Answer:
    return stored_versions is not None and change.version in stored_versions


RULE = DefinitionRule("version_removed", _find, _hurts)
