# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The list of accepted values changed."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..validity import identity
from ..words import from_to, shown


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """New values are harmless; a list where there was none, or values taken from it, are not."""
    was, becomes = old.get("enum"), new.get("enum")
    if not isinstance(becomes, list):
        yield Finding("harmless", from_to("enum", was, becomes))
        return
    if not isinstance(was, list):
        yield Finding("tightening", from_to("enum", None, becomes))
        return
    before, after = {identity(item) for item in was}, {identity(item) for item in becomes}
    removed = [item for item in was if identity(item) not in after]
    added = [item for item in becomes if identity(item) not in before]
    if removed:
        yield Finding("tightening", f"enum values {shown(removed)} were removed; {shown(becomes)} are left")
    if added:
        yield Finding("harmless", f"enum values {shown(added)} were added")


RULE = SchemaRule("enum_values", ("enum",), _find, breaks("enum"))
