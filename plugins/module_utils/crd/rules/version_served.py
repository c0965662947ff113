# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version is served no longer, or again. Objects stay, and are reached through the versions that are served."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..pruning import has_unknown_fields
from ..rule import Answer, DefinitionRule, Finding


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for version in new.versions:
        before = old.version(version.name)
        if before is None or before.served == version.served:
            continue
        if version.served:
            yield Finding("harmless", f"version {version.name} is served again", version=version.name)
        else:
            others = ", ".join(other.name for other in new.versions if other.served) or "none"
            message = f"version {version.name} is no longer served; those that are: {others}"
            yield Finding("tightening", message, version=version.name, after=new)


def _hurts(change: Change, custom_resource: Any, stored_versions: Collection[str] | None) -> Answer:
    """Hurt is an object stored in it that no version left shows in full: none is served, or none knows all its fields."""
    served = [version for version in change.after.versions if version.served]
    if not served:
        return True
    if change.after.converts or (stored_versions is not None and change.version not in stored_versions):
        return False
    return all(version.schema is not None and has_unknown_fields(custom_resource, version.schema) for version in served)


RULE = DefinitionRule("version_served", _find, _hurts)
