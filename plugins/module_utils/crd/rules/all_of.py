# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values have to fit every schema of a list."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..branches import branches_of
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import shown

KEYWORD = "allOf"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    was, becomes = branches_of(old, KEYWORD), branches_of(new, KEYWORD)
    added = [branch for branch in becomes if branch not in was]
    removed = [branch for branch in was if branch not in becomes]
    if added:
        yield Finding("tightening", f"{KEYWORD} asks for {shown(added)} too")
    if removed:
        yield Finding("harmless", f"{KEYWORD} no longer asks for {shown(removed)}")
    if not added and not removed:
        yield Finding("harmless", f"{KEYWORD} changed in documentation or order only")


RULE = SchemaRule("all_of", (KEYWORD,), _find, breaks(KEYWORD))
