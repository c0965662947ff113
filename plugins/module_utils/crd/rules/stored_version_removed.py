# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version is removed in which objects are stored, as status.storedVersions says, or as being the storage version does."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..rule import Answer, DefinitionRule, Finding


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    storage = old.storage_version
    stored = dict.fromkeys((*old.stored_versions, *([storage.name] if storage else [])))
    for name in stored:
        if old.version(name) is not None and new.version(name) is None:
            message = f"version {name}, in which objects are stored, is removed; they could not be read any longer"
            yield Finding("losing", message, version=name, refused=True)


def _hurts(change: Change, _custom_resource: Any, stored_versions: Collection[str] | None) -> Answer:
    return stored_versions is None or change.version in stored_versions


RULE = DefinitionRule("stored_version_removed", _find, _hurts)
