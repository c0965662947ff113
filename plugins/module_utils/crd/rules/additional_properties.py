# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which values an object takes under names that its schema does not list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields, unknown_names
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node
from ..validity import violates, worst

KEYWORD = "additionalProperties"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Two schemas are compared further down; here is about going from one of none, any and a schema to another."""
    was, becomes = _accepted(old), _accepted(new)
    if was == becomes:
        return
    message = f"names that the schema does not list take {becomes} where they took {was}"
    if becomes == "no value" and was != "no value":
        yield Finding("losing", message)
    elif becomes == "values of one schema" and was == "any value":
        yield Finding("tightening", message)
    else:
        yield Finding("harmless", message)


def _accepted(node: Node) -> str:
    additional = node.get(KEYWORD)
    if isinstance(additional, Mapping):
        return "values of one schema"
    return "any value" if additional is True or node.keeps_unknown_fields else "no value"


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, Mapping):
        return False
    new: Node = change.after
    if not isinstance(new.get(KEYWORD), Mapping):
        return bool(unknown_names(value, new))
    node = new.below(new.get(KEYWORD))
    others = [item for name, item in value.items() if name not in new.properties]
    return worst(answer for item in others for answer in (violates(item, node.schema), has_unknown_fields(item, node)))


RULE = SchemaRule("additional_properties", (KEYWORD,), _find, _hurts)
