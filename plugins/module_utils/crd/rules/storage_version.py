# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The version in which objects are written changed.

Stored objects stay as they are until they are next written. Without a conversion webhook, fields that the new
storage version does not know are dropped then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..pruning import has_unknown_fields
from ..rule import Answer, DefinitionRule, Finding
from ..schema_walk import knows_every_field
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    was, becomes = old.storage_version, new.storage_version
    if was is None or becomes is None or was.name == becomes.name:
        return
    message = from_to("storage version", was.name, becomes.name)
    if new.converts or becomes.schema is None or new.version(was.name) is None:
        # Where the former one is gone, the rule `stored_version_removed` has said it.
        yield Finding("harmless", message)
    elif was.schema is not None and knows_every_field(becomes.schema, was.schema):
        yield Finding("harmless", f"{message}; it knows all fields of the former one")
    else:
        yield Finding("losing", f"{message}, which does not know all fields of the former one", after=becomes.schema)


def _hurts(change: Change, custom_resource: Any, _stored_versions: Collection[str] | None) -> Answer:
    return change.after is None or has_unknown_fields(custom_resource, change.after)


RULE = DefinitionRule("storage_version", _find, _hurts)
