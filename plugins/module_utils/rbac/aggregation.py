# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""ClusterRoles that gather the rules of others by label: who has the one gets the rules of the other, and no binding says so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..kubernetes.label_selector import selects
from ..nested import at, mappings

# Stands for a subject: whoever has a ClusterRole that gathers a label. No kind of subjects has this name.
GATHERED = "ClusterRole"
# Labels by which roles ask to be gathered have this in their names, whatever stands before it.
_AGGREGATE_TO = "aggregate-to-"
_OF_KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"
# The roles that Kubernetes brings gather each other: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
_WIDER = {"view": ("edit", "admin"), "edit": ("admin",)}


def rules_with_gathered(role: Mapping[str, Any], roles: Collection[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rules of a role, and of those among other roles that it gathers, at once or by way of another."""
    reached: list[Mapping[str, Any]] = []
    waiting = [role]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.append(one)
            waiting += [other for other in roles if _gathers(one, other)]
    return [rule for one in reached for rule in mappings(one.get("rules"))]


def gathered_by(role: Mapping[str, Any]) -> list[str]:
    """The labels by which ClusterRoles of a cluster gather the rules of this one; none that follows from another."""
    if role.get("kind") != "ClusterRole":
        return []
    found = [str(key) for key, value in _labels(role).items() if value == "true" and _is_aggregation(str(key))]
    following = {
        f"{_OF_KUBERNETES}{wider}" for label in found for wider in _WIDER.get(label.removeprefix(_OF_KUBERNETES), ())
    }
    return [label for label in found if label not in following]


def who_gathers(label: str) -> str:
    """Whom the rules of roles with a label reach, in words."""
    if not label.startswith(_OF_KUBERNETES):
        return f"whoever has a ClusterRole that gathers {label}"
    name = label.removeprefix(_OF_KUBERNETES)
    return f"whoever has the ClusterRole {' or '.join((name, *_WIDER.get(name, ())))}"


def _is_aggregation(label: str) -> bool:
    return label.rpartition("/")[2].startswith(_AGGREGATE_TO)


def _gathers(role: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    selectors = mappings(at(role, "aggregationRule", "clusterRoleSelectors"))
    return other.get("kind") == "ClusterRole" and any(selects(selector, _labels(other)) for selector in selectors)


def _labels(role: Mapping[str, Any]) -> Mapping[str, Any]:
    found = at(role, "metadata", "labels")
    return found if isinstance(found, Mapping) else {}
