# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that hurt no custom resource and that OLM v1's CRD upgrade safety refuses all the same: whatever it has no rule for, and more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..nested import texts
from .change import Change
from .schema import PRESERVE, Into, Node, Step, mapping
from .schema_rules import SCHEMA_RULES

_KEYWORDS = {rule.name: rule.keywords for rule in SCHEMA_RULES}
# It looks at no other documentation, and Go's types know none of the remaining keywords that say nothing.
_KNOWN_TO_GO = frozenset(
    {
        *("title", "example", "externalDocs"),
        *("$ref", "$schema", "id", "definitions", "dependencies", "patternProperties", "additionalItems"),
    }
)
_BOUNDS = frozenset(
    {
        *("minimum", "min_length", "min_items", "min_properties"),
        *("maximum", "max_length", "max_items", "max_properties"),
    }
)
# Go's types tell false and zero from nothing only here.
_POINTERS = frozenset(
    {
        *("default", "example", "additionalProperties", PRESERVE, "multipleOf", "minimum", "maximum"),
        *("minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties"),
    }
)


def refused_by_olm(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those of the harmless changes that OLM v1 refuses."""
    return tuple(change for change in changes if change.severity == "harmless" and _is_refused(change))


def _is_refused(change: Change) -> bool:
    if change.rule == "new_version_differs":
        return True
    if not isinstance(change.before, Node) or not isinstance(change.after, Node):
        return False
    return refused_at(change.rule, change.steps, change.subject, change.before, change.after)


def refused_at(rule: str, steps: tuple[Step, ...], subject: str, old: Node, new: Node) -> bool:
    """Whether OLM v1 refuses what a rule found harmless at one place of a schema."""
    differing = {keyword for keyword in _KEYWORDS[rule] if _typed(old, keyword) != _typed(new, keyword)}
    # It has no rules for anything below the values of a map.
    within_map = Into.VALUES in steps
    if rule in ("documentation", "leftover"):
        return subject in differing and (subject in _KNOWN_TO_GO or (within_map and subject == "description"))
    if within_map:
        return bool(differing)
    if rule == "required_field":
        return subject in texts(new.get("required"))
    if rule == "enum_values":
        return bool(differing) and not new.get("enum")
    if rule == "one_of":
        return _structure(old.get("oneOf")) != _structure(new.get("oneOf"))
    if rule in _BOUNDS:
        return any(keyword.startswith("exclusive") or old.get(keyword) is None for keyword in differing)
    return bool(differing) and rule != "property_added"


def _typed(node: Node, keyword: str) -> Any:
    value = node.get(keyword)
    return value if keyword in _POINTERS else value or None


def _structure(branches: Any) -> list[Any]:
    """The schemas of a list without their descriptions; it refuses another order, too."""
    if not isinstance(branches, list):
        return []
    return [
        {key: value for key, value in mapping(branch).items() if key != "description"}
        if isinstance(branch, Mapping)
        else branch
        for branch in branches
    ]
