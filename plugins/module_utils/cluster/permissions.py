# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What we may do on a cluster, asked of its own authorizer."""

from __future__ import annotations

from dataclasses import dataclass

from ..nested import at, mappings
from ..rbac.grants import EVERYWHERE, Grant, grants_of
from ..rbac.held import Held
from .client import Client

_REVIEWS = "/apis/authorization.k8s.io/v1"

# Rules that hold in a namespace that cannot exist are those that hold in every namespace. A dot is
# not allowed in the name of a namespace, so nobody can have bound a Role there.
_NO_NAMESPACE = "fleet.olm"


@dataclass(frozen=True)
class Action:
    """Something one may or may not do. No namespace means in all of them, or a cluster-scoped resource."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str = ""

    @property
    def wanted(self) -> Grant:
        """The grant that allows it, within its namespace."""
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return Grant("", EVERYWHERE, self.group, resource, self.name, self.verb)


@dataclass(frozen=True)
class Verdict:
    """Whether an action is allowed."""

    action: Action
    allowed: bool


@dataclass(frozen=True)
class Rules:
    """What we may do in one namespace; not `complete` where an authorizer cannot list its rules."""

    held: Held
    complete: bool


def review(client: Client, actions: tuple[Action, ...]) -> tuple[Verdict, ...]:
    """Ask for each action whether we may do it: one request for a single action, else one a namespace."""
    if len(actions) == 1:
        return (Verdict(actions[0], _access_review(client, actions[0])),)
    namespaces = dict.fromkeys(action.namespace for action in actions)
    rules = {namespace: rules_in(client, namespace) for namespace in namespaces}
    return tuple(Verdict(action, may(client, action, rules[action.namespace])) for action in actions)


def may(client: Client, action: Action, rules: Rules) -> bool:
    """Whether the rules of its namespace allow an action; no request unless they are incomplete."""
    if rules.held.allows(action.wanted):
        return True
    # An authorizer that cannot list its rules (a webhook, the node authorizer) may still allow it.
    return not rules.complete and _access_review(client, action)


def requests_for(actions: tuple[Action, ...]) -> int:
    """How many requests `review` takes where the authorizers can list their rules."""
    return len({action.namespace for action in actions})


def _access_review(client: Client, action: Action) -> bool:
    attributes = {
        "verb": action.verb,
        "group": action.group,
        "resource": action.resource,
        "subresource": action.subresource,
        "name": action.name,
        "namespace": action.namespace,
    }
    answer = client.ask(
        f"{_REVIEWS}/selfsubjectaccessreviews",
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
        },
    )
    return at(answer, "status", "allowed") is True


def rules_in(client: Client, namespace: str) -> Rules:
    """What we may do in a namespace, or in all of them where it is empty: one request."""
    answer = client.ask(
        f"{_REVIEWS}/selfsubjectrulesreviews",
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": namespace or _NO_NAMESPACE},
        },
    )
    rules = [*mappings(at(answer, "status", "resourceRules")), *mappings(at(answer, "status", "nonResourceRules"))]
    complete = at(answer, "status", "incomplete") is False
    return Rules(Held(frozenset(grants_of(rules, EVERYWHERE))), complete)
