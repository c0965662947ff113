# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options by which every cluster module reaches its cluster.

Names, aliases and environment variables are those of kubernetes.core, but for `unreachable_reason`, which the filter `connection` gives; they are
documented in the doc fragment `fleet.olm.cluster`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import env_fallback


def _option(name: str, *aliases: str, **spec: Any) -> dict[str, Any]:
    variables = [f"K8S_AUTH_{word.upper()}" for word in (name, *aliases)]
    return {**spec, **({"aliases": list(aliases)} if aliases else {}), "fallback": (env_fallback, variables)}


CONNECTION_OPTIONS: Mapping[str, Any] = {
    "kubeconfig": _option("kubeconfig", type="raw"),
    "context": _option("context", type="str"),
    "host": _option("host", type="str"),
    "api_key": _option("api_key", type="str", no_log=True),
    "username": _option("username", type="str"),
    "password": _option("password", type="str", no_log=True),
    "ca_cert": _option("ca_cert", "ssl_ca_cert", type="path"),
    "client_cert": _option("client_cert", "cert_file", type="path"),
    "client_key": _option("client_key", "key_file", type="path", no_log=False),
    "validate_certs": _option("validate_certs", "verify_ssl", type="bool"),
    "tls_server_name": _option("tls_server_name", type="str"),
    "proxy": _option("proxy", type="str"),
    "no_proxy": _option("no_proxy", type="str"),
    "proxy_headers": {
        "type": "dict",
        "options": {
            "proxy_basic_auth": _option("proxy_headers_proxy_basic_auth", type="str", no_log=True),
            "basic_auth": _option("proxy_headers_basic_auth", type="str", no_log=True),
            "user_agent": _option("proxy_headers_user_agent", type="str"),
        },
        "apply_defaults": True,
    },
    "impersonate_user": _option("impersonate_user", type="str"),
    "impersonate_groups": _option("impersonate_groups", type="list", elements="str"),
    "persist_config": _option("persist_config", type="bool"),
    "unreachable_reason": {"type": "str"},
}
