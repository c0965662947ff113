# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that tell the items of a list of type map from each other."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORD = "x-kubernetes-list-map-keys"
LIST_TYPE = "x-kubernetes-list-type"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Where the list was no map before, the rule `list_type` has said it."""
    message = from_to(KEYWORD, old.get(KEYWORD), new.get(KEYWORD))
    was, becomes = ({str(key) for key in _keys(node)} for node in (old, new))
    both_maps = old.get(LIST_TYPE) == "map" and new.get(LIST_TYPE) == "map"
    # More keys tell more items apart.
    if both_maps and not was <= becomes:
        yield Finding("tightening", f"{message}; items with equal keys are refused")
    else:
        yield Finding("harmless", f"{message}; server-side apply merges items by them")


def _keys(node: Node) -> list[object]:
    keys = node.get(KEYWORD)
    return keys if isinstance(keys, list) else []


RULE = SchemaRule("list_map_keys", (KEYWORD,), _find, breaks(LIST_TYPE))
