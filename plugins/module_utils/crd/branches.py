# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the rules on anyOf, oneOf, allOf and not share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rules.documentation import KEYWORDS as DOCUMENTATION
from .schema import Node, mapping
from .validity import identity


def undocumented(schema: Any, depth: int = 0) -> Any:
    """A schema without what is only there to be read. A property may well be named `description` or `title`."""
    if not isinstance(schema, Mapping) or depth > 100:
        return schema
    plain: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in DOCUMENTATION:
            continue
        if keyword == "properties":
            plain[keyword] = {name: undocumented(item, depth + 1) for name, item in mapping(value).items()}
        elif keyword in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
            plain[keyword] = [undocumented(item, depth + 1) for item in value]
        elif keyword in ("items", "additionalProperties", "not"):
            plain[keyword] = undocumented(value, depth + 1)
        else:
            plain[keyword] = value
    return plain


def branches_of(node: Node, keyword: str) -> list[Any]:
    """The schemas of a list, without documentation and in one order: it means nothing."""
    branches = node.get(keyword)
    return sorted(map(undocumented, branches), key=identity) if isinstance(branches, list) else []


def on_type_alone(branches: list[Any]) -> frozenset[str]:
    """The types of which every value fits a branch, whatever else it is."""
    types: set[str] = set()
    for branch in branches:
        if isinstance(branch, Mapping) and set(branch) == {"type"}:
            types |= Node(branch).types or frozenset()
    return frozenset(types)
