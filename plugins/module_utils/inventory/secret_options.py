# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection options that the inventory file has itself: what of them is secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..errors import OptionError
from .kubeconfig_content import one_context
from .model import Settings


def with_secrets_apart(name: str, given: Mapping[str, Any], where: str, settings: Settings) -> dict[str, Any]:
    """Connection options as `options`, `credentials` and `inline` of a cluster."""
    inline = {key: value for key, value in given.items() if _is_secret(key, value)}
    options = {key: value for key, value in given.items() if key not in inline}
    credentials = None if settings.inline_credentials else _kubeconfig(name, options, inline, where)
    return {"options": options, "credentials": credentials, "inline": inline}


def _is_secret(key: str, value: Any) -> bool:
    if key == "proxy":
        try:
            return "@" in urlsplit(str(value)).netloc
        except ValueError:
            return False
    return key in ("api_key", "password", "proxy_headers") or (key == "kubeconfig" and isinstance(value, Mapping))


def _kubeconfig(
    name: str, options: Mapping[str, Any], secret: Mapping[str, Any], where: str
) -> Mapping[str, Any] | None:
    """What is secret as a kubeconfig."""
    if not secret:
        return None
    if set(secret) == {"kubeconfig"}:
        return dict(secret["kubeconfig"])
    for key in secret:
        if key == "proxy_headers" or "host" not in options or "kubeconfig" in {*options, *secret}:
            raise OptionError(
                f"{where}.{key}: cannot be put into a kubeconfig file for {name}, which takes a host with api_key, username, "
                "password or proxy and no other kubeconfig; set 'inline_credentials: true' to have it as a host variable"
            )
    user = {"token": secret.get("api_key"), "password": secret.get("password"), "username": options.get("username")}
    return one_context(name, {"server": options["host"], "proxy-url": secret.get("proxy")}, user)
