# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The smallest roles that suffice to install a bundle. No request.

Rights that a bundle hands out are held rather than handed out by `escalate` and `bind`: who has those two can give
itself any right. Only a role that is bound but not brought, whose rules are not known here, is bound by name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..rbac.escalation import RBAC_GROUP, Granting
from ..rbac.grants import Grant
from ..rbac.rules import rules_of, without_covered
from .needs import Need


def smallest_roles(
    needs: Sequence[Need],
    grantings: Sequence[Granting],
    *,
    name: str,
    absent: Collection[str] = (),
    optional: bool = False,
) -> tuple[dict[str, Any], ...]:
    """A ClusterRole for what is cluster-wide and a Role a namespace, each only where it has rules.

    Nobody can bind a Role in a namespace that is not there: what is needed in those that are `absent` has to be
    held everywhere. `optional` adds what an installation can do without.
    """
    wanted: dict[str, set[Grant]] = {"": set()}
    for need in needs:
        if optional or not need.optional:
            _rights_in(need.action.namespace, wanted, absent).add(need.action.wanted)
    for granting in grantings:
        rights = {granting.excuse} if granting.grants is None else granting.grants
        _rights_in(granting.namespace, wanted, absent).update(rights)
    everywhere = wanted.pop("")
    roles = [_role("ClusterRole", {"name": name}, everywhere)]
    roles += [
        _role("Role", {"name": name, "namespace": namespace}, without_covered(rights, everywhere))
        for namespace, rights in sorted(wanted.items())
    ]
    return tuple(role for role in roles if role["rules"])


def _rights_in(namespace: str, wanted: dict[str, set[Grant]], absent: Collection[str]) -> set[Grant]:
    return wanted.setdefault("" if namespace in absent else namespace, set())


def _role(kind: str, metadata: dict[str, str], rights: set[Grant]) -> dict[str, Any]:
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": kind, "metadata": metadata, "rules": rules_of(rights)}
