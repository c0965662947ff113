# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two schemas side by side, place by place: every rule whose keyword differs is asked.

What is equal is not gone into, so that two large schemas cost little more than comparing them. Places are
visited from an explicit stack: no schema is too deep for Python's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .pruning import place_of
from .rule import Finding, SchemaRule
from .rules.other_keyword import RULE as OTHER_KEYWORD
from .rules.too_deep import RULE as TOO_DEEP
from .schema import DEPTH_LIMIT, Into, Node, Step, same
from .schema_rules import SCHEMA_RULES

_ABSENT = object()
_STRUCTURE = ("properties", "items", "additionalProperties")
_RULES_OF: dict[str, list[SchemaRule]] = {}
for _rule in SCHEMA_RULES:
    for _keyword in _rule.keywords:
        _RULES_OF.setdefault(_keyword, []).append(_rule)
_POSITION = {rule.name: position for position, rule in enumerate(SCHEMA_RULES)}


@dataclass(frozen=True)
class Place:
    """What a rule found at one place."""

    steps: tuple[Step, ...]
    rule: SchemaRule
    finding: Finding
    old: Node
    new: Node


def walk(old: Node, new: Node) -> Iterator[Place]:
    """Every difference, from the top down, fields by name."""
    left: list[tuple[tuple[Step, ...], Node, Node]] = [((), old, new)]
    while left:
        steps, was, becomes = left.pop()
        differing = [
            keyword
            for keyword in {**was.schema, **becomes.schema}
            if not same(was.schema.get(keyword, _ABSENT), becomes.schema.get(keyword, _ABSENT))
        ]
        if not differing:
            continue
        if len(steps) >= DEPTH_LIMIT:
            yield from _ask(TOO_DEEP, steps, was, becomes)
            continue
        below = [] if _nothing_in_common(was, becomes) else list(_below(steps, was, becomes, differing))
        yield from _at(steps, was, becomes, differing, deeper=bool(below))
        left.extend(reversed(below))


def _at(steps: tuple[Step, ...], old: Node, new: Node, differing: list[str], *, deeper: bool) -> Iterator[Place]:
    rules = {rule.name: rule for keyword in differing for rule in _RULES_OF.get(keyword, ())}
    said: set[str] = set()
    for name in sorted(rules, key=_POSITION.__getitem__):
        for place in _ask(rules[name], steps, old, new):
            said.update(rules[name].keywords)
            yield place
    for keyword in differing:
        # Lists in another order, spellings of nothing: named as well, so that no difference goes without a word.
        if keyword in _RULES_OF and keyword not in said and not (deeper and keyword in _STRUCTURE):
            message = f"{keyword} is written differently and means the same here"
            yield Place(steps, _RULES_OF[keyword][0], Finding("harmless", message), old, new)
    unknown = [keyword for keyword in differing if keyword not in _RULES_OF]
    if unknown:
        only = [
            Node({keyword: node.get(keyword) for keyword in unknown if keyword in node.schema}) for node in (old, new)
        ]
        yield from _ask(OTHER_KEYWORD, steps, *only)


def _ask(rule: SchemaRule, steps: tuple[Step, ...], old: Node, new: Node) -> Iterator[Place]:
    try:
        found = list(rule.find(old, new))
    except RecursionError:
        rule, found = TOO_DEEP, list(TOO_DEEP.find(old, new))
    for finding in found:
        yield Place(steps, rule, finding, old, new)


def _nothing_in_common(old: Node, new: Node) -> bool:
    """Where no value can be of both types there is nothing to compare further down."""
    return old.types is not None and new.types is not None and not old.types & new.types


def _below(
    steps: tuple[Step, ...], old: Node, new: Node, differing: list[str]
) -> Iterator[tuple[tuple[Step, ...], Node, Node]]:
    if "properties" in differing:
        for name in sorted(old.properties.keys() & new.properties.keys(), key=str):
            was, becomes = old.properties[name], new.properties[name]
            if not same(was, becomes):
                yield (*steps, str(name)), old.below(was), new.below(becomes)
    for keyword, step in (("items", Into.ITEMS), ("additionalProperties", Into.VALUES)):
        was, becomes = old.get(keyword), new.get(keyword)
        if keyword in differing and isinstance(was, Mapping) and isinstance(becomes, Mapping):
            yield (*steps, step), old.below(was), new.below(becomes)


def knows_every_field(schema: Node, of: Node) -> bool:
    """Whether objects under one schema keep all their fields under another."""
    left: list[tuple[Node, Node, int]] = [(of, schema, 0)]
    while left:
        was, becomes, depth = left.pop()
        if not becomes.pruned or (same(was.schema, becomes.schema) and was.pruned == becomes.pruned):
            continue
        if depth > DEPTH_LIMIT or (was.keeps_unknown_fields and not becomes.keeps_unknown_fields):
            return False
        for name, node in was.properties.items():
            below = place_of(name, becomes)
            if below is None:
                return False
            left.append((was.below(node), below, depth + 1))
        if not _maps_kept(was, becomes):
            return False
        left.extend(
            (was.below(was.get(keyword)), becomes.below(becomes.get(keyword)), depth + 1)
            for keyword in ("items", "additionalProperties")
            if isinstance(was.get(keyword), Mapping)
        )
    return True


def _maps_kept(old: Node, new: Node) -> bool:
    """Where any name was allowed, any name has to be."""
    was: Any = old.get("additionalProperties")
    if not was and was != {}:
        return True
    return bool(new.get("additionalProperties")) or new.get("additionalProperties") == {} or new.keeps_unknown_fields
