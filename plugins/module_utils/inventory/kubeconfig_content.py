# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""kubeconfigs for one cluster, made of what a hub says.

What comes from a hub is used on this machine with the rights of who runs Ansible. So it has to be complete in itself: a path
in it would have local files sent to an address that the hub names, and a program in it would be run here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.authentication import checked_context, kubeconfig_entry, parse_kubeconfig
from ..errors import OptionError
from ..nested import mappings

_CLUSTER_KEYS = (
    "server",
    "certificate-authority-data",
    "insecure-skip-tls-verify",
    "tls-server-name",
    "proxy-url",
    "disable-compression",
)
_USER_KEYS = ("token", "username", "password", "client-certificate-data", "client-key-data")
# They change nothing of what is read or run here.
_PASSED_OVER = ("extensions",)


def one_context(name: str, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> dict[str, Any]:
    """A kubeconfig with a single context; settings without a value are left out."""
    context = {"cluster": name, **({"user": name} if user else {})}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": _set(cluster)}],
        "users": [{"name": name, "user": _set(user)}] if user else [],
        "contexts": [{"name": name, "context": context}],
    }


def adopted(text: str, name: str, where: str, *, allow_exec: bool, server: str = "") -> dict[str, Any]:
    """The current context of a kubeconfig that a Secret holds, as a kubeconfig of its own. `server` replaces its address."""
    config = parse_kubeconfig(text, where)
    contexts = mappings(config.get("contexts")) if isinstance(config, Mapping) else []
    only = str(contexts[0].get("name")) if len(contexts) == 1 else None
    context = kubeconfig_entry(config, "contexts", checked_context(config, where, only), "context", where)
    cluster = kubeconfig_entry(config, "clusters", context.get("cluster"), "cluster", where)
    user = kubeconfig_entry(config, "users", context["user"], "user", where) if context.get("user") else {}
    kept = _kept(cluster, _CLUSTER_KEYS, "cluster", where)
    if server:
        # The certificate authority of the cluster itself did not sign the proxy's certificate.
        kept = {"server": server}
    return one_context(name, kept, _kept(user, (*_USER_KEYS, "exec"), "user", where, allow_exec=allow_exec))


def refuse_program(where: str, *, allow_exec: bool) -> None:
    """Say that credentials want to run a program here, unless that is allowed."""
    if not allow_exec:
        raise OptionError(
            f"{where} gets its credentials from a program that would run on this machine; set 'allow_exec: true' if you trust "
            "whoever writes it"
        )


def by_kubeconfig(config: Mapping[str, Any]) -> dict[str, Any]:
    """How a cluster is reached with a kubeconfig of one context: the fields of a Cluster."""
    address = str(config["clusters"][0]["cluster"].get("server", ""))
    return {"address": address, "credentials": config, "inline": {"kubeconfig": config}}


def _kept(
    settings: Mapping[str, Any], known: tuple[str, ...], kind: str, where: str, *, allow_exec: bool = False
) -> dict[str, Any]:
    for key in settings:
        if key not in known and key not in _PASSED_OVER:
            raise OptionError(
                f"{where}: '{key}' of its {kind} is not used when it comes from a hub; it must hold all it needs"
            )
        if key == "exec":
            refuse_program(where, allow_exec=allow_exec)
    return {key: settings[key] for key in known if key in settings}


def _set(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if value not in (None, "", False)}
