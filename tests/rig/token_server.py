# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A token server as registries send clients to: it knows one user, and gives signed tokens for what they may do."""

from __future__ import annotations

import base64
import json
import secrets
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ISSUER, SERVICE = "rig", "registry"
PUBLIC = "public/"


class TokenServer:
    """Runs in a thread, in a `with` statement. The user may do anything; anybody may pull below `public/`."""

    def __init__(self, directory: Path, authority: trustme.CA) -> None:
        self.user, self.password = "puller", secrets.token_urlsafe(12)
        self.asked: list[str | None] = []
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._certificate = _self_signed(self._key)
        directory.mkdir(parents=True, exist_ok=True)
        self._bundle = directory / "signing.crt"
        self._bundle.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)

    def __enter__(self) -> TokenServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def basic(self) -> str:
        """The user's Authorization header."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()

    def registry_options(self) -> dict[str, str]:
        """What a registry must know to send clients here and to trust the tokens they bring."""
        realm = f"https://127.0.0.1:{self._http.server_port}/token"
        return {"realm": realm, "service": SERVICE, "issuer": ISSUER, "rootcertbundle": str(self._bundle)}

    def token(self, scopes: list[str], *, known: bool) -> str:
        """A token for what of the scopes is allowed."""
        access = []
        for scope in scopes:
            kind, name, actions = scope.split(":")
            allowed = [item for item in actions.split(",") if known or (item == "pull" and name.startswith(PUBLIC))]
            access.append({"type": kind, "name": name, "actions": allowed})
        now = int(time.time())
        claims = {"iss": ISSUER, "sub": "rig", "aud": SERVICE, "nbf": now - 10, "iat": now, "exp": now + 300}
        chain = [base64.b64encode(self._certificate.public_bytes(serialization.Encoding.DER)).decode()]
        header = {"typ": "JWT", "alg": "RS256", "x5c": chain}
        body = f"{_part(header)}.{_part({**claims, 'jti': secrets.token_hex(8), 'access': access})}"
        return f"{body}.{_encoded(self._key.sign(body.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                given = self.headers.get("Authorization")
                server.asked.append(given)
                if given not in (None, server.basic):
                    self.send_error(401)
                    return
                scopes = parse_qs(urlsplit(self.path).query).get("scope", [])
                body = json.dumps({"token": server.token(scopes, known=given is not None)}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        return Handler


def _self_signed(key: rsa.RSAPrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, ISSUER)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=1))
    return builder.sign(key, hashes.SHA256())


def _part(content: Any) -> str:
    return _encoded(json.dumps(content).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
