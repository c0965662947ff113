# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which fields an API server drops from a custom resource: those that its schema does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schema import EMBEDDED, Node

_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})


def has_unknown_fields(value: Any, node: Node) -> bool:
    """Whether any part of the value would be dropped."""
    if not node.pruned:
        return False
    left = [(value, node)]
    while left:
        part, place = left.pop()
        if not place.pruned:
            continue
        if isinstance(part, list):
            left.extend((item, place.below(place.get("items"))) for item in part)
        elif isinstance(part, Mapping):
            for name, item in part.items():
                below = place_of(name, place)
                if below is None:
                    return True
                left.append((item, below))
    return False


def unknown_names(value: Any, node: Node) -> list[str]:
    """The names of fields that are dropped at this very place."""
    if not isinstance(value, Mapping) or not node.pruned:
        return []
    return [str(name) for name in value if place_of(name, node) is None]


def place_of(name: Any, place: Node) -> Node | None:
    """The schema that a field is under; None where it is dropped."""
    properties = place.properties
    if (place.root or place.get(EMBEDDED) is True) and name in _OF_EVERY_OBJECT:
        return _ANYTHING
    if name in properties:
        return place.below(properties[name])
    additional = place.get("additionalProperties")
    # With `true` any value is kept, but of an object in it nothing: there is no schema that knows its fields.
    if additional is True or isinstance(additional, Mapping):
        return place.below(additional)
    # What is kept for being unknown is kept with all that is in it.
    return _ANYTHING if place.keeps_unknown_fields else None


_ANYTHING = Node({}, pruned=False)
