# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is secret in connection options; asked by every module before it shows anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from ..nested import at, mappings
from .connection import is_content

# Keys of a kubeconfig user whose values must never be shown; in the settings of an
# auth provider every key with such a word in it.
_SECRET_USER_KEYS = ("token", "password", "client-key-data")
_SECRET_WORDS = ("token", "password", "secret", "key")


def secrets_in_connection(options: Mapping[str, Any]) -> Iterator[str]:
    """Secret strings in connection options that are not secret as a whole: kubeconfig mappings, proxy addresses."""
    yield from _password_of_url(str(options.get("proxy") or ""))
    kubeconfig = options.get("kubeconfig")
    if is_content(kubeconfig):
        yield str(kubeconfig)
    if isinstance(kubeconfig, Mapping):
        for entry in mappings(kubeconfig.get("users")):
            yield from _secrets_of_user(entry.get("user"))
        for entry in mappings(kubeconfig.get("clusters")):
            yield from _password_of_url(str(at(entry, "cluster", "proxy-url") or ""))


def _secrets_of_user(user: Any) -> Iterator[str]:
    provider = at(user, "auth-provider", "config")
    named = [(key, at(user, key)) for key in _SECRET_USER_KEYS]
    named += provider.items() if isinstance(provider, Mapping) else []
    named += [("secret", variable.get("value")) for variable in mappings(at(user, "exec", "env"))]
    for key, value in named:
        if value and any(word in str(key) for word in _SECRET_WORDS):
            yield str(value)


def _password_of_url(url: str) -> Iterator[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return
    if password:
        yield password
        if unquote(password) != password:
            yield unquote(password)
