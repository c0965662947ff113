# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles that a bundle hands out by bindings of its own, beside the permissions of its ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..bundle.model import Bundle
from ..nested import at
from .bindings import Bound, bound_roles
from .grants import INSTALLED
from .words import is_service_account


def shipped_roles(bundle: Bundle) -> Iterator[Bound]:
    """Each role that somebody gets by the manifests of a bundle. Its own service accounts go without a namespace."""
    own = _own_accounts(bundle)
    for bound in bound_roles(_placed(manifest) for manifest in bundle.others):
        yield replace(bound, subject=_plain(bound.subject, own))


def _placed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest where OLM v1 puts it: what has a namespace goes to the one that the operator is installed in."""
    metadata = manifest.get("metadata")
    return {**manifest, "metadata": {**(metadata if isinstance(metadata, Mapping) else {}), "namespace": INSTALLED}}


def _plain(subject: str, own: set[str]) -> str:
    place, _slash, name = subject.partition("/")
    own_account = is_service_account(subject) and (place in ("", INSTALLED) or name in own)
    return name if own_account else subject


def _own_accounts(bundle: Bundle) -> set[str]:
    """Service accounts by name: the namespace that a binding names for them is where its authors install the operator."""
    permitted = (item.get("serviceAccountName") for item in (*bundle.permissions, *bundle.cluster_permissions))
    running = (at(item, "spec", "template", "spec", "serviceAccountName") for item in bundle.deployments)
    shipped = (at(item, "metadata", "name") for item in bundle.others if item.get("kind") == "ServiceAccount")
    return {str(name) for name in (*permitted, *running, *shipped) if name}
