# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One place in a schema, and the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

PRESERVE = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"

# Further down is not looked at. Published CRDs stay below 40; Python's own stack would end at about 300.
DEPTH_LIMIT = 200


class Into(Enum):
    """A step that has no name: into every item of a list, or every value of a map."""

    ITEMS = "[]"
    VALUES = "{}"


Step: TypeAlias = "str | Into"


def path_text(steps: Iterable[Step]) -> str:
    """A path as users write it: `spec.items[].name`, `spec.labels{}`, `data['tls.crt']`."""
    text = ""
    for step in steps:
        if isinstance(step, Into):
            text += step.value
        elif re.fullmatch(r"[^.\[\]{}'\s]+", step):
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]"
    return text


def mapping(value: Any) -> Mapping[str, Any]:
    """The value, or an empty mapping in place of anything that is none."""
    return value if isinstance(value, Mapping) else {}


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of data are equal; False where they are nested too deep for Python to tell."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


@dataclass(frozen=True)
class Node:
    """The schema at one place. `pruned` is False where the whole CRD keeps fields that its schema does not know."""

    schema: Mapping[str, Any]
    pruned: bool = True
    root: bool = False

    def get(self, keyword: str) -> Any:
        return self.schema.get(keyword)

    def below(self, schema: Any) -> Node:
        return Node(mapping(schema), self.pruned)

    @property
    def keeps_unknown_fields(self) -> bool:
        return not self.pruned or self.schema.get(PRESERVE) is True

    @property
    def properties(self) -> Mapping[str, Any]:
        return mapping(self.schema.get("properties"))

    @property
    def types(self) -> frozenset[str] | None:
        """The JSON types that values may have; None where any will do."""
        if self.schema.get(INT_OR_STRING) is True:
            return frozenset({"integer", "string"})
        name = self.schema.get("type")
        names = {str(item) for item in name} if isinstance(name, (list, tuple)) else {str(name)} if name else set()
        return frozenset(names | {"integer"} if "number" in names else names) or None


SCALARS = frozenset({"string", "integer", "number", "boolean"})


def holds_no_fields(node: Node) -> bool:
    """Whether values are sure to be neither objects nor lists that may hold some."""
    types = node.types
    return types is not None and types <= SCALARS


def accepts_types(node: Node, types: frozenset[str] | None) -> bool:
    """Whether a value of any of these types (None: of any type at all) has a type that the node takes."""
    accepted = node.types
    return accepted is None or (types is not None and types <= accepted)
