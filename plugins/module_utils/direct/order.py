# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of work: what goes before what, and what can go at once.

Webhooks come last, so that an install that breaks off never leaves one that nobody serves. Bindings come after the roles they
name, because the API server looks at those to decide whether we may hand them out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..cluster.objects import ObjectKey

DEFINITIONS = "CustomResourceDefinition"
DEPLOYMENT = "Deployment"
WEBHOOKS = frozenset({"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"})

PHASES: tuple[frozenset[str], ...] = (
    frozenset({"Namespace", "PriorityClass", DEFINITIONS}),
    frozenset({"ServiceAccount"}),
    frozenset({"ClusterRole", "Role"}),
    frozenset({"ClusterRoleBinding", "RoleBinding"}),
    frozenset({"NetworkPolicy", "Secret", "ConfigMap"}),
    frozenset({"Service"}),
    frozenset({"Issuer", "Certificate"}),
    frozenset({DEPLOYMENT}),
    WEBHOOKS,
)
_PHASE = {kind: number for number, kinds in enumerate(PHASES) for kind in kinds}


def phase_of(key: ObjectKey) -> int:
    """Kinds that are not in the table go with the Deployments."""
    return _PHASE.get(key.kind, _PHASE[DEPLOYMENT])


def phases(keys: Iterable[ObjectKey], aggregating: Collection[ObjectKey] = ()) -> list[list[ObjectKey]]:
    """Objects in the order to apply them in; what stands in one list can be applied at once. The other way round they are deleted.

    ClusterRoles that gather the rules of others come after those. Deleted at once with them, the controller that gathers would
    make them again, empty.
    """
    found: dict[tuple[int, bool], list[ObjectKey]] = {}
    for key in keys:
        found.setdefault((phase_of(key), key in aggregating), []).append(key)
    return [found[number] for number in sorted(found)]
