# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What RBAC rules allow, as a set of single grants that can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from itertools import product
from typing import Any

from ..nested import texts

# Scopes, the wider first.
EVERYWHERE = "all namespaces"
WATCHED = "the watched namespaces"
# Stands for the namespace that an operator is installed in, whichever that is.
INSTALLED = "the install namespace"


@dataclass(frozen=True, order=True)
class Grant:
    """One verb on one resource, or on one URL. `*` stands for any; an empty name for every object."""

    service_account: str
    scope: str
    group: str
    resource: str
    name: str
    verb: str
    url: str = ""


def grants_of(rules: Iterable[Mapping[str, Any]], scope: str, service_account: str = "") -> set[Grant]:
    """Every single thing that rules allow."""
    found: set[Grant] = set()
    for rule in rules:
        verbs = texts(rule.get("verbs"))
        names = texts(rule.get("resourceNames")) or [""]
        for group, resource, name, verb in product(
            texts(rule.get("apiGroups")), texts(rule.get("resources")), names, verbs
        ):
            found.add(Grant(service_account, scope, group, resource, name, verb))
        for url, verb in product(texts(rule.get("nonResourceURLs")), verbs):
            found.add(Grant(service_account, scope, "", "", "", verb, url))
    return found


def scope_in(namespace: str) -> str:
    """The scope of a namespace; an empty one stands for all."""
    if namespace == INSTALLED:
        return INSTALLED
    return f"namespace {namespace}" if namespace else EVERYWHERE


def covers(held: Grant, wanted: Grant) -> bool:
    """Whether who holds one grant needs no other to do what `wanted` says, as the RBAC authorizer decides."""
    return (
        held.service_account == wanted.service_account
        and held.scope in (wanted.scope, EVERYWHERE)
        and held.verb in ("*", wanted.verb)
        and (_covers_url(held.url, wanted.url) if wanted.url else _covers_resource(held, wanted))
    )


def gained(before: set[Grant], after: set[Grant]) -> set[Grant]:
    """What is allowed after, and was not before by any grant."""
    new = after - before
    by_account: dict[str, list[Grant]] = {}
    for grant in before:
        by_account.setdefault(grant.service_account, []).append(grant)
    return {
        grant for grant in new if not any(covers(held, grant) for held in by_account.get(grant.service_account, ()))
    }


def in_any_namespace(grant: Grant, install_namespace: str) -> Grant:
    """A grant in words that hold in whichever namespace the operator is installed."""
    own = grant.scope == scope_in(install_namespace)
    account = grant.service_account.removeprefix(f"{install_namespace}/")
    return replace(grant, service_account=account, scope=INSTALLED if own else grant.scope)


def digest(grants: Iterable[Grant]) -> str:
    """A short name for a set of grants; it changes with any of them."""
    text = json.dumps(sorted(astuple(grant) for grant in grants), separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _covers_resource(held: Grant, wanted: Grant) -> bool:
    if held.url or held.group not in ("*", wanted.group) or held.name not in ("", wanted.name):
        return False
    if held.resource in ("*", wanted.resource):
        return True
    _resource, slash, subresource = wanted.resource.partition("/")
    return bool(slash) and held.resource == f"*/{subresource}"


def _covers_url(held: str, wanted: str) -> bool:
    return held == wanted or (held.endswith("*") and wanted.startswith(held[:-1]))
