# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Service accounts, roles and their bindings, from the permissions of the ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.model import K8S_V1, Bundle
from ..nested import at
from .names import permission_name
from .options import Options

RBAC_GROUP = "rbac.authorization.k8s.io"
RBAC_VERSION = f"{RBAC_GROUP}/v1"
DEFAULT_SERVICE_ACCOUNT = "default"
# What a permission gains when it is lifted to the cluster: OLM v0 gave it, operators came to rely on it.
READ_NAMESPACES = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}


def service_accounts(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """Each service account that permissions name; every namespace has the default one already."""
    names = {service_account(permission) for permission in (*bundle.permissions, *bundle.cluster_permissions)}
    if bundle.format == K8S_V1:
        # OLM v1 would apply both; plain manifests mean one object where they name one.
        names -= {
            str(at(shipped, "metadata", "name")) for shipped in bundle.others if shipped["kind"] == "ServiceAccount"
        }
    return [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": options.install_namespace},
        }
        for name in sorted(names - {DEFAULT_SERVICE_ACCOUNT})
    ]


def roles(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """Roles in each watched namespace; where all are watched, `cluster_roles` takes their place."""
    if options.watches_everything:
        return []
    return [
        manifest
        for namespace in options.targets
        for permission in bundle.permissions
        for manifest in role_and_binding("Role", bundle, permission, options, {"namespace": namespace})
    ]


def cluster_roles(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """Roles for the whole cluster, lifted permissions among them where all namespaces are watched."""
    namespaced = bundle.permissions if options.watches_everything else ()
    return [
        manifest
        for permission in (*bundle.cluster_permissions, *map(lifted, namespaced))
        for manifest in role_and_binding("ClusterRole", bundle, permission, options, {})
    ]


def lifted(permission: Mapping[str, Any]) -> dict[str, Any]:
    """A permission for the watched namespaces, where those are all of them."""
    return {**permission, "rules": [*(permission.get("rules") or ()), READ_NAMESPACES]}


def role_and_binding(
    kind: str, bundle: Bundle, permission: Mapping[str, Any], options: Options, place: Mapping[str, str]
) -> list[dict[str, Any]]:
    """A role with the rules of a permission, bound to its service account."""
    account = service_account(permission)
    name = permission_name(bundle.name, account, permission)
    return [
        {
            "apiVersion": RBAC_VERSION,
            "kind": kind,
            "metadata": {"name": name, **place},
            "rules": permission.get("rules") or [],
        },
        {
            "apiVersion": RBAC_VERSION,
            "kind": f"{kind}Binding",
            "metadata": {"name": name, **place},
            "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": options.install_namespace}],
        },
    ]


def service_account(permission: Mapping[str, Any]) -> str:
    """The service account that a permission is for."""
    return permission.get("serviceAccountName") or DEFAULT_SERVICE_ACCOUNT
