# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a list is merged: as a whole (atomic), as a set, or by keys. The items of the latter two must not repeat."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORD = "x-kubernetes-list-type"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    message = from_to(KEYWORD, old.get(KEYWORD), new.get(KEYWORD))
    if new.get(KEYWORD) in ("set", "map"):
        yield Finding("tightening", f"{message}; items that repeat are refused")
    else:
        yield Finding("harmless", f"{message}; server-side apply merges it as one value")


RULE = SchemaRule("list_type", (KEYWORD,), _find, breaks(KEYWORD))
