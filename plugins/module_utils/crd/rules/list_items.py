# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the items of a list look like: a schema where there was none, or none where there was one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node
from ..validity import violates, worst


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Two schemas are compared further down."""
    was, becomes = old.get("items"), new.get("items")
    if isinstance(was, Mapping) and isinstance(becomes, Mapping):
        return
    if isinstance(becomes, Mapping):
        yield Finding("tightening", "items of the list have a schema where any item was accepted")
    elif isinstance(becomes, list):
        yield Finding("tightening", "items of the list have a schema for each position, which API servers refuse")
    elif new.keeps_unknown_fields or not isinstance(was, Mapping):
        yield Finding("harmless", "any item is accepted in the list")
    else:
        yield Finding("losing", "items of the list have no schema any longer; fields in them are dropped")


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, list):
        return False
    if isinstance(change.after.get("items"), list):
        return None
    node = change.after.below(change.after.get("items"))
    return worst(answer for item in value for answer in (violates(item, node.schema), has_unknown_fields(item, node)))


RULE = SchemaRule("list_items", ("items",), _find, _hurts)
