# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two registries: an open one, and one with TLS and a password."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import bcrypt
import trustme
import yaml

from .processes import Ports, Process, listens


@dataclass(frozen=True)
class Registry:
    """A running registry; user, password and ca_file are empty for the open one."""

    address: str
    user: str
    password: str
    ca_file: str
    process: Process


def start_open_registry(directory: Path, program: Path, ports: Ports) -> Registry:
    """Plain HTTP, anybody may push and delete."""
    address = f"127.0.0.1:{ports.take()}"
    process = _start("open registry", directory, program, {"addr": address}, {})
    return Registry(address, "", "", "", process)


def start_closed_registry(directory: Path, program: Path, ports: Ports) -> Registry:
    """TLS with an authority of its own, and a password."""
    address = f"127.0.0.1:{ports.take()}"
    user, password = "puller", secrets.token_urlsafe(12)
    http = {"addr": address, "tls": _certificate(directory, trustme.CA())}
    hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
    (directory / "htpasswd").write_text(f"{user}:{hashed}\n", encoding="utf-8")
    auth = {"htpasswd": {"realm": "rig", "path": str(directory / "htpasswd")}}
    process = _start("closed registry", directory, program, http, {"auth": auth})
    return Registry(address, user, password, str(directory / "ca.crt"), process)


def start_token_registry(
    directory: Path, program: Path, ports: Ports, authority: trustme.CA, auth: Mapping[str, str]
) -> Registry:
    """TLS, and tokens from another server: `auth` says which, as the registry's configuration does."""
    address = f"127.0.0.1:{ports.take()}"
    http = {"addr": address, "tls": _certificate(directory, authority)}
    process = _start("token registry", directory, program, http, {"auth": {"token": dict(auth)}})
    return Registry(address, "", "", str(directory / "ca.crt"), process)


def _certificate(directory: Path, authority: trustme.CA) -> dict[str, str]:
    directory.mkdir(parents=True)
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(directory / "ca.crt")
    certificate.cert_chain_pems[0].write_to_path(directory / "tls.crt")
    certificate.private_key_pem.write_to_path(directory / "tls.key")
    return {"certificate": str(directory / "tls.crt"), "key": str(directory / "tls.key")}


def _start(
    name: str, directory: Path, program: Path, http: Mapping[str, object], more: Mapping[str, object]
) -> Process:
    directory.mkdir(parents=True, exist_ok=True)
    storage = {"filesystem": {"rootdirectory": str(directory / "data")}, "delete": {"enabled": True}}
    configuration = {"version": 0.1, "log": {"level": "warn"}, "storage": storage, "http": dict(http), **more}
    path = directory / "config.yml"
    path.write_text(yaml.safe_dump(configuration), encoding="utf-8")
    process = Process(
        name, [str(program), "serve", str(path)], directory / "registry.log", {"OTEL_TRACES_EXPORTER": "none"}
    )
    host, _colon, port = str(http["addr"]).partition(":")
    process.wait_until(lambda: listens(host, int(port)))
    return process
