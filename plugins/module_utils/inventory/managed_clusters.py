# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters that a hub of Open Cluster Management manages.

A ManagedCluster has addresses with their certificate authorities, labels, a version and claims, but no credentials. Those are in a
Secret for each cluster (a kubeconfig, or the token of a ManagedServiceAccount), or are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import FleetError, OptionError
from ..nested import at, mappings
from .hub import in_parallel, listed, metadata_labels, name_of, open_hub, read_secret
from .kubeconfig_content import adopted, by_kubeconfig, one_context
from .model import Cluster, Reading, Settings
from .options import CONNECTION, checked, connection_options, text
from .secret_options import with_secrets_apart

GROUP = "cluster.open-cluster-management.io"
_CREDENTIALS = {name: CONNECTION[name] for name in ("api_key", "username", "password", "ca_cert", "validate_certs")}


def _credentials(value: Any, where: str) -> dict[str, Any]:
    return checked(value, where, _CREDENTIALS)


OPTIONS = {
    **CONNECTION,
    "label_selector": text,
    "secret": text,
    "secret_namespace": text,
    "proxy_url": text,
    "credentials": _credentials,
}


def read_managed_clusters(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """A cluster for each ManagedCluster."""
    with open_hub(given, where, settings) as client:
        found = listed(client, where, GROUP, "managedclusters", selector=given.get("label_selector"))

        def secret_of(item: Mapping[str, Any]) -> dict[str, str] | FleetError:
            pattern = given.get("secret")
            if pattern is None or _is_hub(item):
                return {}
            namespace = _filled(given.get("secret_namespace", "{name}"), name_of(item))
            try:
                return read_secret(client, namespace, _filled(pattern, name_of(item)))
            except FleetError as error:
                return error

        secrets = in_parallel(secret_of, found, settings.threads)
    return Reading(
        tuple(
            managed_cluster(item, secret, given, where, settings) for item, secret in zip(found, secrets, strict=True)
        )
    )


def managed_cluster(
    item: Mapping[str, Any],
    secret: dict[str, str] | FleetError,
    given: Mapping[str, Any],
    where: str,
    settings: Settings,
) -> Cluster:
    """One ManagedCluster; `secret` is the content of its Secret, empty where none was asked for."""
    name, labels, claims = name_of(item), metadata_labels(item), _claims(item)
    reached: dict[str, Any] = {}
    problem = _unavailable(item)
    try:
        if _is_hub(item):
            reached = with_secrets_apart(name, connection_options(given, settings.base), where, settings)
        else:
            reached = _reached(item, secret, given, settings)
    except FleetError as error:
        problem = str(error)
    return Cluster(
        name=name,
        source="managed_clusters",
        place="managed",
        **reached,
        labels=labels,
        region=claims.get("region.open-cluster-management.io", ""),
        provider=claims.get("platform.open-cluster-management.io", "").lower(),
        version=str(at(item, "status", "version", "kubernetes") or "").removeprefix("v"),
        claims=claims,
        problem=problem,
    )


def _reached(
    item: Mapping[str, Any], secret: dict[str, str] | FleetError, given: Mapping[str, Any], settings: Settings
) -> dict[str, Any]:
    """How to reach it: a kubeconfig, and options beside it."""
    name = name_of(item)
    if isinstance(secret, FleetError):
        raise secret
    same = given.get("credentials") or {}
    options = connection_options(
        {key: same[key] for key in ("ca_cert", "validate_certs") if key in same}, settings.base
    )
    proxy = _filled(given.get("proxy_url", ""), name)
    text_of_secret = secret.get("kubeconfig") or secret.get("value")
    if text_of_secret:
        config = adopted(
            text_of_secret, name, f"the kubeconfig of {name}", allow_exec=settings.allow_exec, server=proxy
        )
        return {**by_kubeconfig(config), "options": options}
    direct = next(iter(mappings(at(item, "spec", "managedClusterClientConfigs"))), {})
    server = proxy or str(direct.get("url") or "")
    if not server:
        raise OptionError(
            f"ManagedCluster {name} has no address in spec.managedClusterClientConfigs; set 'proxy_url' or 'secret'"
        )
    token = secret.get("token") or same.get("api_key")
    if secret and not token:
        raise OptionError(f"the Secret of {name} holds none of kubeconfig, value and token")
    if not token and not same.get("password"):
        raise OptionError(f"there are no credentials for {name}; set 'secret' or 'credentials'")
    user = {"token": token, "username": same.get("username"), "password": same.get("password")}
    authority = None if proxy or "ca_cert" in same else direct.get("caBundle")
    config = one_context(name, {"server": server, "certificate-authority-data": authority}, user)
    return {**by_kubeconfig(config), "options": options}


def _filled(pattern: str, name: str) -> str:
    return pattern.replace("{name}", name)


def _is_hub(item: Mapping[str, Any]) -> bool:
    return metadata_labels(item).get("local-cluster") == "true"


def _claims(item: Mapping[str, Any]) -> dict[str, str]:
    return {str(claim.get("name")): str(claim.get("value")) for claim in mappings(at(item, "status", "clusterClaims"))}


def _unavailable(item: Mapping[str, Any]) -> str:
    for condition in mappings(at(item, "status", "conditions")):
        if condition.get("type") == "ManagedClusterConditionAvailable" and condition.get("status") != "True":
            return "the hub says that it is not available: " + " ".join(
                str(condition.get("message") or "no reason given").split()
            )
    return ""
