# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A field that was not there before.

Where unknown fields were kept, or every name was allowed, custom resources may have it already, with a value
of another shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, SchemaRule
from ..schema import PRESERVE, Node, mapping
from ..validity import violates, worst
from ..words import shown
from .documentation import KEYWORDS as DOCUMENTATION


def _find(old: Node, new: Node) -> Iterator[Finding]:
    additional = old.get("additionalProperties")
    anything_before = old.keeps_unknown_fields or additional is True or isinstance(additional, Mapping)
    for name in sorted(new.properties.keys() - old.properties.keys(), key=str):
        schema = mapping(new.properties[name])
        kind = f"the field ({shown(schema.get('type') or 'any type')}) was added"
        limits = set(schema) - {PRESERVE, "default", *DOCUMENTATION}
        if anything_before and limits:
            yield Finding("tightening", f"{kind} where any value was accepted under its name", str(name), str(name))
        else:
            yield Finding("harmless", kind, str(name), str(name))


def _hurts(change: Change, value: Any) -> Answer:
    if not isinstance(value, Mapping) or value.get(change.subject) is None:
        return False
    node = change.after.below(change.after.properties.get(change.subject))
    item = value[change.subject]
    return worst((violates(item, node.schema), has_unknown_fields(item, node)))


RULE = SchemaRule("property_added", ("properties",), _find, _hurts)
