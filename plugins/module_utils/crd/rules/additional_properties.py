# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which values an object takes under names that its schema does not list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node, holds_no_fields, mapping
from ..validity import violates, worst

KEYWORD = "additionalProperties"
NOTHING, ONE_SCHEMA = "no value", "values of one schema"
ANYTHING, ANYTHING_FLAT = "any value", "any value, but nothing of objects in it"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Two schemas are compared further down; here is about going from one of none, any and a schema to another."""
    was, becomes = _accepted(old), _accepted(new)
    if was == becomes:
        return
    message = f"names that the schema does not list take {becomes} where they took {was}"
    flat_before = was == ONE_SCHEMA and holds_no_fields(old.below(old.get(KEYWORD)))
    if was == NOTHING or becomes == ANYTHING or (becomes == ANYTHING_FLAT and flat_before):
        yield Finding("harmless", message)
    else:
        yield Finding("tightening" if becomes == ONE_SCHEMA else "losing", message)


def _accepted(node: Node) -> str:
    additional = node.get(KEYWORD)
    if isinstance(additional, Mapping):
        return ONE_SCHEMA
    if node.keeps_unknown_fields:
        return ANYTHING
    return ANYTHING_FLAT if additional is True else NOTHING


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, Mapping):
        return False
    new: Node = change.after
    unlisted = {name: item for name, item in value.items() if name not in new.properties}
    schema = mapping(new.get(KEYWORD))
    return worst((has_unknown_fields(unlisted, new), *(violates(item, schema) for item in unlisted.values())))


RULE = SchemaRule("additional_properties", (KEYWORD,), _find, _hurts)
