# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""spec.preserveUnknownFields: whether fields that no schema knows are kept in the whole CRD."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..pruning import has_unknown_fields
from ..rule import Answer, DefinitionRule, Finding


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    if old.pruned == new.pruned:
        return
    if new.pruned:
        yield Finding("losing", "fields that the schema does not know are dropped, where they were kept", after=new)
    else:
        yield Finding("harmless", "fields that the schema does not know are kept, where they were dropped")


def _hurts(change: Change, custom_resource: Any, _stored_versions: Collection[str] | None) -> Answer:
    """By the schema of the version that the object was read in."""
    version = change.after.version(str(custom_resource.get("apiVersion") or "").rpartition("/")[2])
    if version is None or version.schema is None:
        return None
    return has_unknown_fields(custom_resource, version.schema)


RULE = DefinitionRule("pruning_everywhere", _find, _hurts)
