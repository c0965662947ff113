# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules in CEL. A rule with other words for its refusal is the same rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...nested import mappings
from ..change import Change
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node
from ..words import shown

KEYWORD = "x-kubernetes-validations"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    was, becomes = _by_text(old), _by_text(new)
    for text, rule in becomes.items():
        if text not in was:
            only = "; it only compares an object with its former state" if _looks_back(rule) else ""
            yield Finding("tightening", f"the rule {shown(text)} was added{only}", text, after=rule)
        elif _looks_back(was[text]) and not _looks_back(rule):
            yield Finding("tightening", f"the rule {shown(text)} applies to new objects too", text, after=rule)
        elif was[text] != rule:
            yield Finding("harmless", f"what the rule {shown(text)} says on a refusal was changed", text)
    for text in was:
        if text not in becomes:
            yield Finding("harmless", f"the rule {shown(text)} was removed", text)


def _by_text(node: Node) -> dict[str, Mapping[str, Any]]:
    return {str(rule.get("rule")): rule for rule in mappings(node.get(KEYWORD))}


def _looks_back(rule: Mapping[str, Any]) -> bool:
    """A rule that names oldSelf is evaluated on changes of an object only, so that none breaks it as it stands."""
    return bool(re.search(r"\boldSelf\b", str(rule.get("rule")))) and rule.get("optionalOldSelf") is not True


def _hurts(change: Change, _value: Any) -> Answer:
    """What else a rule asks for, only an API server can tell."""
    rules = _by_text(change.after)
    return False if _looks_back(rules.get(change.subject, {})) else None


RULE = SchemaRule("validation_rules", (KEYWORD,), _find, _hurts)
