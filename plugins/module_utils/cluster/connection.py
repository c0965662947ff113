# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How to reach a cluster: the connection options as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import OptionError, Unreachable


def is_content(kubeconfig: Any) -> bool:
    """Whether a text in place of a path is the kubeconfig itself, with all its secrets."""
    return isinstance(kubeconfig, str) and ("\n" in kubeconfig or kubeconfig.lstrip().startswith("{"))


@dataclass(frozen=True)
class Connection:
    """The connection options, under the names that kubernetes.core gives them."""

    kubeconfig: str | Mapping[str, Any] | None = field(default=None, repr=False)
    context: str | None = None
    host: str | None = None
    api_key: str | None = field(default=None, repr=False)
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca_cert: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    validate_certs: bool | None = None
    tls_server_name: str | None = None
    proxy: str | None = field(default=None, repr=False)
    no_proxy: str | None = None
    proxy_headers: Mapping[str, str] | None = field(default=None, repr=False)
    impersonate_user: str | None = None
    impersonate_groups: tuple[str, ...] = ()
    persist_config: bool = False

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Connection:
        """The connection among a module's options; options of other meaning are left alone.

        Refused where there is no way to the cluster: without any option it would be one to the user's own current cluster.
        """
        if options.get("unreachable_reason"):
            raise Unreachable(f"there is no way to this cluster: {options['unreachable_reason']}")
        if is_content(options.get("kubeconfig")):
            raise OptionError(
                "kubeconfig: must be a path, and is the content of a kubeconfig; give that as a mapping, as by the filter from_yaml"
            )
        given = {
            name: options[name] for name in (item.name for item in fields(cls)) if options.get(name) not in (None, "")
        }
        given["impersonate_groups"] = tuple(given.get("impersonate_groups", ()))
        return cls(**given)
