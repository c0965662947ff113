# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Grants written as the fewest RBAC rules, in an order for reading."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from .grants import Grant
from .held import Held

Part: TypeAlias = "frozenset[str]"
# Groups, resources, names and verbs of a rule.
Parts: TypeAlias = "tuple[Part, ...]"

_VERBS = ("*", "get", "list", "watch", "create", "update", "patch", "delete")


def rules_of(grants: Iterable[Grant]) -> list[dict[str, Any]]:
    """Rules that allow exactly what the grants do; scope and service account are the caller's affair.

    Rules are joined only where they differ in one part, so that a joined rule allows nothing more.
    """
    kept = without_covered(grants)
    verbs: dict[tuple[str, str, str], set[str]] = {}
    urls: dict[str, set[str]] = {}
    for grant in kept:
        if grant.url:
            urls.setdefault(grant.url, set()).add(grant.verb)
        else:
            verbs.setdefault((grant.group, grant.resource, grant.name), set()).add(grant.verb)
    rules: list[Parts] = [
        (frozenset({group}), frozenset({resource}), frozenset({name} if name else ()), frozenset(held))
        for (group, resource, name), held in verbs.items()
    ]
    for position in (2, 1, 0):
        rules = _joined(rules, position)
    url_rules = _joined([(frozenset({url}), frozenset(held)) for url, held in urls.items()], 0)
    return [
        *(_resource_rule(rule) for rule in sorted(rules, key=_order)),
        *({"nonResourceURLs": sorted(rule[0]), "verbs": _verbs(rule[1])} for rule in sorted(url_rules, key=_order)),
    ]


def without_covered(grants: Iterable[Grant], wider: Iterable[Grant] = ()) -> set[Grant]:
    """The grants that neither another one of them nor a wider one makes needless."""
    own, outer = Held(frozenset(grants)), Held(frozenset(wider))
    return {grant for grant in own.grants if not outer.allows(grant) and not own.has_wider(grant)}


def rule_text(rule: dict[str, Any]) -> str:
    """A rule in a few words: `get, list of secrets named a, b`."""
    verbs = ", ".join(rule["verbs"])
    if "nonResourceURLs" in rule:
        return f"{verbs} of {', '.join(rule['nonResourceURLs'])}"
    what = [_resource_text(resource, group) for group in rule["apiGroups"] for resource in rule["resources"]]
    names = f" named {', '.join(rule['resourceNames'])}" if rule.get("resourceNames") else ""
    return f"{verbs} of {', '.join(what)}{names}"


def _resource_text(resource: str, group: str) -> str:
    plural, slash, subresource = resource.partition("/")
    return f"{plural}.{group}{slash}{subresource}" if group else resource


def _joined(rules: list[Parts], position: int) -> list[Parts]:
    """Rules that differ in one part only, made one. Names are never joined with none, which means all."""
    found: dict[tuple[bool, Parts, Parts], Part] = {}
    for rule in rules:
        others = (bool(rule[position]), rule[:position], rule[position + 1 :])
        found[others] = found.get(others, frozenset()) | rule[position]
    return [(*before, merged, *after) for (_some, before, after), merged in found.items()]


def _resource_rule(parts: Parts) -> dict[str, Any]:
    groups, resources, names, verbs = parts
    rule: dict[str, Any] = {"apiGroups": sorted(groups), "resources": sorted(resources)}
    if names:
        rule["resourceNames"] = sorted(names)
    return {**rule, "verbs": _verbs(verbs)}


def _verbs(verbs: Part) -> list[str]:
    return sorted(verbs, key=lambda verb: (_VERBS.index(verb) if verb in _VERBS else len(_VERBS), verb))


def _order(rule: Parts) -> tuple[list[str], ...]:
    return tuple(sorted(part) for part in rule)
