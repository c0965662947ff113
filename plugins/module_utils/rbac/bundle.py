# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a bundle's service accounts may do, and others to whom it gives something."""

from __future__ import annotations

from ..bundle.model import Bundle
from ..nested import mappings
from .grants import EVERYWHERE, WATCHED, Grant, grants_of
from .shipped import shipped_roles


def bundle_grants(bundle: Bundle) -> set[Grant]:
    """Every grant that a bundle asks for. Those of `permissions` hold where the operator watches, those of a RoleBinding that it
    ships where it is installed."""
    found: set[Grant] = set()
    for scope, permissions in ((WATCHED, bundle.permissions), (EVERYWHERE, bundle.cluster_permissions)):
        for permission in permissions:
            account = str(permission.get("serviceAccountName") or "default")
            found |= grants_of(mappings(permission.get("rules")), scope, account)
    return found.union(*(bound.grants() for bound in shipped_roles(bundle)))
