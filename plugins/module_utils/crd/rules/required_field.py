# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A field that may be left out, or may no longer be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...nested import texts
from ..change import Change
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node, mapping
from ..validity import lacks


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """A field that has a default is never missing: API servers fill it in before they validate."""
    was, becomes = texts(old.get("required")), texts(new.get("required"))
    for name in sorted(set(becomes) - set(was)):
        if mapping(new.properties.get(name)).get("default") is not None:
            yield Finding("harmless", "the field is required now, and its default is filled in", name, name)
        else:
            yield Finding("tightening", "the field is required now", name, name)
    for name in sorted(set(was) - set(becomes)):
        yield Finding("harmless", "the field is no longer required", name, name)


def _hurts(change: Change, value: Any) -> Answer:
    return isinstance(value, Mapping) and lacks(value, change.subject, change.after.schema)


RULE = SchemaRule("required_field", ("required",), _find, _hurts)
