# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A field that is no longer there: API servers drop it from custom resources that have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node, holds_no_fields, mapping
from ..validity import violates, worst
from ..words import shown


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Harmless where unknown fields are kept; where a map takes its place, values have to fit the map."""
    additional = new.get("additionalProperties")
    for name in sorted(old.properties.keys() - new.properties.keys(), key=str):
        kind = shown(mapping(old.properties[name]).get("type") or "any type")
        if isinstance(additional, Mapping):
            message = f"the field ({kind}) was removed; what it has becomes a value of the map beside it"
            yield Finding("tightening", message, str(name), str(name))
        elif new.keeps_unknown_fields or (additional is True and holds_no_fields(old.below(old.properties[name]))):
            yield Finding("harmless", f"the field ({kind}) was removed; what it has is kept", str(name), str(name))
        else:
            yield Finding("losing", f"the field ({kind}) was removed; what it has is dropped", str(name), str(name))


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, Mapping) or value.get(change.subject) is None:
        return False
    additional = change.after.get("additionalProperties")
    if additional is not True and not isinstance(additional, Mapping):
        return True
    item, node = value[change.subject], change.after.below(additional)
    return worst((violates(item, node.schema), has_unknown_fields(item, node)))


RULE = SchemaRule("property_removed", ("properties",), _find, _hurts)
