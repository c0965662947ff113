# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether fields that the schema does not know are kept at one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, SchemaRule
from ..schema import PRESERVE, Node


def _find(old: Node, new: Node) -> Iterator[Finding]:
    types = new.types
    if new.keeps_unknown_fields:
        yield Finding("harmless", "fields that the schema does not know are kept")
    elif not old.keeps_unknown_fields:
        yield Finding("harmless", "fields that the schema does not know are dropped, as before")
    elif isinstance(new.get("additionalProperties"), Mapping):
        yield Finding("harmless", "fields that the schema does not know are values of a map now")
    elif types is not None and "object" not in types:
        yield Finding("harmless", "there are no unknown fields to be kept in a value that is no object")
    else:
        yield Finding("losing", "fields that the schema does not know are no longer kept")


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, Mapping):
        return False
    unlisted = {name: item for name, item in value.items() if name not in change.after.properties}
    return has_unknown_fields(unlisted, change.after)


RULE = SchemaRule("preserve_unknown_fields", (PRESERVE,), _find, _hurts)
