# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `sources`, looked at before anything is read: every mistake is told with its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from ..cluster.connection import Connection, is_content
from ..errors import OptionError
from ..similar import did_you_mean

Check = Callable[[Any, str], Any]


def text(value: Any, where: str) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise OptionError(f"{where}: must be a text that is not empty (got {shown(value)})")
    return value


def flag(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise OptionError(f"{where}: must be true or false (got {shown(value)})")
    return value


def texts(value: Any, where: str) -> list[str]:
    """One text, or a list of them."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not value:
        raise OptionError(f"{where}: must be a text or a list of texts (got {shown(value)})")
    return [text(item, f"{where}[{number}]") for number, item in enumerate(value)]


def labels(value: Any, where: str) -> dict[str, str]:
    """A mapping of labels; numbers and truth values become the text that YAML would write."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{where}: must be a mapping of labels (got {shown(value)})")
    for key, item in value.items():
        if not isinstance(item, str | int | float):
            raise OptionError(f"{where}.{key}: must be a text (got {shown(item)})")
    return {str(key): str(item).lower() if isinstance(item, bool) else str(item) for key, item in value.items()}


def mapping(value: Any, where: str) -> dict[str, Any]:
    """A mapping with any content."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{where}: must be a mapping (got {shown(value)})")
    return dict(value)


def kubeconfig(value: Any, where: str) -> str | dict[str, Any]:
    """The path of a kubeconfig, or its content."""
    if isinstance(value, str | Mapping) and value and not is_content(value):
        return value if isinstance(value, str) else dict(value)
    raise OptionError(
        f"{where}: must be the path of a kubeconfig file, or its content as a mapping (got {shown(value)})"
    )


def checked(value: Any, where: str, known: Mapping[str, Check]) -> dict[str, Any]:
    """The keys of a mapping, each checked; those that are set to nothing are left out."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{where}: must be a mapping with some of {', '.join(known)} (got {shown(value)})")
    for key in value:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"; known are {', '.join(known)}"
            raise OptionError(f"{where}: unknown key '{key}'{hint}")
    return {key: known[key](item, f"{where}.{key}") for key, item in value.items() if item is not None}


# Connection options that are something else than a text.
_SPECIAL: Mapping[str, Check] = {
    "kubeconfig": kubeconfig,
    "validate_certs": flag,
    "persist_config": flag,
    "proxy_headers": mapping,
    "impersonate_groups": texts,
}
CONNECTION: Mapping[str, Check] = {item.name: _SPECIAL.get(item.name, text) for item in fields(Connection)}
_PATHS = ("kubeconfig", "ca_cert", "client_cert", "client_key")


def connection_options(given: Mapping[str, Any], base: str) -> dict[str, Any]:
    """The connection options among checked ones; paths are made absolute."""
    return {
        name: absolute(value, base) if name in _PATHS and isinstance(value, str) else value
        for name, value in given.items()
        if name in CONNECTION
    }


def absolute(path: str, base: str) -> str:
    """A path of the inventory file: relative ones are below the folder that it lies in."""
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))


def shown(value: Any) -> str:
    """A value for a message. Texts may be secrets, so only their being texts is told."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list) else str(value)
