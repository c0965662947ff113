# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether we may do what an installation needs, and hand out what its RBAC hands out.

One SelfSubjectRulesReview a namespace, and one for what is cluster-wide. Where an authorizer cannot list its
rules, one request more for each thing that the list does not allow. One more for each role that is bound but not
brought, unless we may bind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..cluster.client import Client
from ..cluster.permissions import Action, Rules, may, rules_in
from ..errors import Forbidden, NotFound
from ..rbac.escalation import Granting, role_grants
from ..rbac.grants import Grant
from ..rbac.rules import rule_text, rules_of
from .needs import Need


@dataclass(frozen=True)
class Withheld:
    """Rights that an object hands out and that are not ours. None: those of a role that we may neither bind nor read."""

    granting: Granting
    grants: frozenset[Grant] | None


@dataclass(frozen=True)
class Missing:
    """What we may not do."""

    needs: tuple[Need, ...]
    withheld: tuple[Withheld, ...]

    @property
    def sentences(self) -> list[str]:
        """Each a problem; what is optional is none."""
        return [*_actions_in_words(need.action for need in self.needs if not need.optional), *_told(self.withheld)]


def permission_problems(client: Client, needs: Sequence[Need], grantings: Sequence[Granting]) -> list[str]:
    """Everything that is not allowed, in one list; nothing where all of it is."""
    return missing_permissions(client, needs, grantings).sentences


def missing_permissions(client: Client, needs: Sequence[Need], grantings: Sequence[Granting]) -> Missing:
    """The same as data."""
    namespaces = dict.fromkeys((*(need.action.namespace for need in needs), *(item.namespace for item in grantings)))
    rules = {namespace: rules_in(client, namespace) for namespace in namespaces}
    # Whether an optional right is there is not worth further requests.
    lacking = [need for need in needs if not _may(client, need, rules[need.action.namespace])]
    withheld = [_withheld(client, granting, rules[granting.namespace]) for granting in grantings]
    return Missing(tuple(lacking), tuple(item for item in withheld if item is not None))


def _may(client: Client, need: Need, rules: Rules) -> bool:
    return rules.held.allows(need.action.wanted) if need.optional else may(client, need.action, rules)


def _withheld(client: Client, granting: Granting, rules: Rules) -> Withheld | None:
    """The check on escalation knows no authorizer but RBAC, so its rules are all in the list; `escalate` and `bind` are asked for."""
    lacking = _not_held(granting.grants, rules)
    if lacking is not None and not lacking:
        return None
    excuse = granting.excuse
    action = Action(excuse.verb, excuse.resource, excuse.group, name=excuse.name, namespace=granting.namespace)
    if may(client, action, rules):
        return None
    if granting.grants is None:
        lacking = _not_held(_read_role(client, granting), rules)
        if lacking is not None and not lacking:
            return None
    return Withheld(granting, lacking)


def _not_held(grants: frozenset[Grant] | None, rules: Rules) -> frozenset[Grant] | None:
    return None if grants is None else frozenset(grant for grant in grants if not rules.held.allows(grant))


def _read_role(client: Client, granting: Granting) -> frozenset[Grant] | None:
    try:
        return role_grants(client.read(granting.role_path))
    except (Forbidden, NotFound):
        return None


def _actions_in_words(actions: Iterable[Action]) -> list[str]:
    found: dict[str, list[Grant]] = {}
    for action in actions:
        found.setdefault(action.namespace, []).append(action.wanted)
    return [
        f"not allowed {_where(namespace)}: {rule_text(rule)}"
        for namespace, grants in sorted(found.items())
        for rule in rules_of(grants)
    ]


def _told(withheld: Sequence[Withheld]) -> list[str]:
    """A role and its binding lack the same: they are told together."""
    together: dict[tuple[str, str, str, frozenset[Grant] | None], list[Granting]] = {}
    for item in withheld:
        granting = item.granting
        together.setdefault((granting.namespace, granting.role_kind, granting.role, item.grants), []).append(granting)
    sentences = []
    for (namespace, _role_kind, _role, grants), grantings in together.items():
        first, *others = dict.fromkeys(grantings)
        objects = " and ".join([str(first), *(_named_after(other, first) for other in others)])
        what = "what we cannot read" if grants is None else "what we do not hold"
        rules = "" if grants is None else f": {'; '.join(map(rule_text, rules_of(grants)))}"
        verbs = " and ".join(dict.fromkeys(item.verb for item in grantings))
        sentences.append(
            f"{objects} {'grant' if others else 'grants'} {_where(namespace)} {what}{rules}; "
            f"who grants rules has to hold them, or to have {verbs} on the role"
        )
    return sentences


def _named_after(granting: Granting, first: Granting) -> str:
    """Bindings often have the long name of their role."""
    same = (granting.name, granting.namespace) == (first.name, first.namespace)
    return f"its {granting.kind}" if same else str(granting)


def _where(namespace: str) -> str:
    return f"in namespace {namespace}" if namespace else "cluster-wide"
