# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials for a registry: from options, or from the files that container tools keep them in."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..nested import at
from .registry_reference import Reference


@dataclass(frozen=True)
class Credentials:
    """A user and a password, or none; `origin` says where they come from or where they were looked for."""

    username: str = ""
    password: str = field(default="", repr=False)
    origin: str = ""

    @property
    def given(self) -> bool:
        return bool(self.username)


def find_credentials(
    reference: Reference, username: str | None, password: str | None, auth_file: str | None
) -> Credentials:
    """The credentials for an image: options first, then the first file that knows its registry."""
    if username or password:
        if not (username and password):
            raise OptionError("registry: username and password must be given together")
        return Credentials(username, password, "the registry options")
    chosen = auth_file or os.environ.get("REGISTRY_AUTH_FILE")
    looked, helpers = [], []
    for path in [Path(chosen).expanduser()] if chosen else default_files():
        content = _read(path, required=bool(chosen))
        if content is None:
            continue
        looked.append(str(path))
        found = _in_file(content, reference, path)
        if found:
            return found
        helpers += [str(path)] if _uses_helper(content, reference) else []
    if helpers:
        origin = (
            f"{helpers[0]} leaves them to a credential helper, and helpers are not run here: give username and password, "
            "or an auth file that holds them"
        )
    elif looked:
        origin = f"there are none for it in {', '.join(looked)}"
    else:
        origin = "no auth file was found"
    return Credentials(origin=origin)


def default_files() -> Iterator[Path]:
    """Where container tools look, in their order."""
    environment = os.environ
    runtime = environment.get("XDG_RUNTIME_DIR")
    yield Path(runtime, "containers", "auth.json") if runtime else Path(f"/run/containers/{os.getuid()}/auth.json")
    yield Path(environment.get("XDG_CONFIG_HOME") or "~/.config", "containers", "auth.json").expanduser()
    docker = environment.get("DOCKER_CONFIG")
    if docker:
        yield Path(docker, "config.json")
    yield Path("~/.docker/config.json").expanduser()


def _read(path: Path, *, required: bool) -> Mapping[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        if required:
            raise OptionError(f"the auth file {path} does not exist") from error
        return None
    except OSError as error:
        if required:
            raise OptionError(f"the auth file {path} cannot be read: {error.strerror}") from error
        return None
    except (ValueError, RecursionError) as error:
        # Not the parser's words: they may quote the file.
        raise OptionError(f"the auth file {path} is no JSON") from None if required else error
    if not isinstance(content, Mapping):
        raise OptionError(f"the auth file {path} holds no JSON object")
    return content


def _in_file(content: Mapping[str, Any], reference: Reference, path: Path) -> Credentials | None:
    known = content.get("auths")
    if not isinstance(known, Mapping):
        return None
    name = f"{reference.host}/{reference.repository}"
    while True:
        if name in known:
            return _credentials(known[name], name, path)
        if "/" not in name:
            break
        name = name.rpartition("/")[0]
    for key, entry in known.items():
        if _host_of_address(str(key)) == reference.host:
            return _credentials(entry, str(key), path)
    return None


def _host_of_address(key: str) -> str:
    """Docker used to write whole addresses as keys."""
    scheme, separator, rest = key.partition("://")
    return rest.partition("/")[0] if separator and scheme in ("http", "https") else ""


def _credentials(entry: Any, name: str, path: Path) -> Credentials | None:
    encoded = at(entry, "auth")
    if not encoded:
        username, password = at(entry, "username"), at(entry, "password")
        if at(entry, "identitytoken"):
            raise OptionError(f"{path}: the entry {name} holds an identity token; only user and password are supported")
        return Credentials(str(username), str(password), str(path)) if username and password else None
    try:
        username, colon, password = base64.b64decode(str(encoded), validate=True).decode().partition(":")
    except ValueError:
        username, colon, password = "", "", ""
    if not (username and colon):
        raise OptionError(f"{path}: the entry {name} has an 'auth' that is not user:password in base64")
    return Credentials(username, password.rstrip("\0"), str(path))


def _uses_helper(content: Mapping[str, Any], reference: Reference) -> bool:
    return bool(at(content, "credHelpers", reference.host) or content.get("credsStore"))
