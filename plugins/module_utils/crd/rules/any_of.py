# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values have to fit one schema of a list at least."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..branches import branches_of, on_type_alone
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import shown

KEYWORD = "anyOf"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """More schemas take more; the first ones take less, unless all that was accepted fits one by its type."""
    was, becomes = branches_of(old, KEYWORD), branches_of(new, KEYWORD)
    removed = [branch for branch in was if branch not in becomes]
    types = old.types
    takes_all = types is not None and types <= on_type_alone(becomes)
    if becomes and not takes_all and (removed or not was):
        what = f"no longer offers {shown(removed)}" if removed else f"{shown(becomes)} was added"
        yield Finding("tightening", f"{KEYWORD} {what}")
    elif was == becomes:
        yield Finding("harmless", f"{KEYWORD} changed in documentation or order only")
    else:
        yield Finding("harmless", f"{KEYWORD} accepts what it accepted, and changed to {shown(becomes)}")


RULE = SchemaRule("any_of", (KEYWORD,), _find, breaks(KEYWORD))
