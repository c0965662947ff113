# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Registries that answer as no sound registry does. Sound ones are in the integration tests."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.errors import RegistryError, SourceError
from ansible_collections.fleet.olm.tests.rig.images import OCI_MANIFEST, digest_of, gzipped, image, tar

BUNDLE = image([gzipped(tar({"manifests/csv.yaml": b"kind: ClusterServiceVersion\n"}))], labels={"a": "b"})
LAYER = list(BUNDLE.blobs)[1]
USER, PASSWORD = "puller", "correct horse"
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0  # bytes that Content-Length promises and that never come
    endless: bool = False


Rule = Callable[[BaseHTTPRequestHandler], "Answer | None"]


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *_arguments: Any) -> None:
        """Say nothing of clients that go away, as ours do when they have seen enough."""


class Server:
    """An HTTP server with a sound image in it, and rules that come before it."""

    def __init__(self, authority: trustme.CA | None) -> None:
        self.rules: list[Rule] = []
        self.seen: list[tuple[str, str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one packet, or each answer waits 40 ms for an acknowledgement

            def do_GET(self) -> None:
                outer.seen.append((self.command, self.path, self.headers.get("Authorization")))
                answers = (rule(self) for rule in [*outer.rules, sound])
                outer.send(self, next(answer for answer in answers if answer is not None))

            do_HEAD = do_GET  # noqa: N815

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self.http = QuietServer(("127.0.0.1", 0), Handler)
        if authority is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            authority.issue_cert("127.0.0.1").configure_cert(context)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.address = f"127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @staticmethod
    def send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        if not answer.endless:
            handler.send_header("Content-Length", str(len(answer.body) + answer.cut))
        if answer.cut or answer.endless:
            handler.send_header("Connection", "close")
            handler.close_connection = True
        handler.end_headers()
        if handler.command == "HEAD":
            return
        handler.wfile.write(answer.body)
        try:
            while answer.endless:
                handler.wfile.write(b" " * 65536)
        except OSError:
            handler.close_connection = True

    @property
    def requests(self) -> list[str]:
        return [f"{method} {path.partition('/v2/')[2]}" for method, path, _authorization in self.seen]


def sound(handler: BaseHTTPRequestHandler) -> Answer:
    name = handler.path.rpartition("/")[2]
    if name in ("v1", BUNDLE.digest):
        headers = {"Content-Type": OCI_MANIFEST, "Docker-Content-Digest": BUNDLE.digest}
        return Answer(body=BUNDLE.document, headers=headers)
    if name in BUNDLE.blobs:
        return Answer(body=BUNDLE.blobs[name])
    return Answer(404, b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}')


def on(path: str, answer: Answer, method: str = "") -> Rule:
    """Give this answer where the path has these words in it."""
    return lambda handler: answer if path in handler.path and method in handler.command else None


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def start(authority: trustme.CA) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start_one(*, tls: bool = True) -> Server:
        started.append(Server(authority if tls else None))
        return started[-1]

    yield start_one
    for server in started:
        server.http.shutdown()
        server.http.server_close()


@pytest.fixture
def options(tmp_path: Path, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch) -> SourceOptions:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for name in ("REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME", "DOCKER_CONFIG", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    authority.cert_pem.write_to_path(tmp_path / "ca.crt")
    return SourceOptions(ca_cert=str(tmp_path / "ca.crt"), cache_directory=str(tmp_path / "cache"))


def with_password(options: SourceOptions) -> SourceOptions:
    return SourceOptions(**{**vars(options), "username": USER, "password": PASSWORD})


def cache_is_empty(options: SourceOptions) -> bool:
    return not list(Path(str(options.cache_directory)).glob("*"))


def test_requests_cold_and_warm(start: Callable[..., Server], options: SourceOptions) -> None:
    server = start()
    image_path = "demo/manifests/"
    with open_source(f"docker://{server.address}/demo:v1", options) as source:
        assert source.reference == f"docker://{server.address}/demo@{BUNDLE.digest}"
        assert source.digest == BUNDLE.digest
    assert server.requests[:2] == [f"HEAD {image_path}v1", f"GET {image_path}{BUNDLE.digest}"]
    assert len(server.requests) == 4
    server.seen.clear()
    open_source(f"docker://{server.address}/demo:v1", options).close()
    assert server.requests == [f"HEAD {image_path}v1"]
    server.seen.clear()
    open_source(f"docker://{server.address}/demo@{BUNDLE.digest}", options).close()
    assert server.requests == []


@pytest.mark.parametrize(
    "rule",
    [
        on("/v1", Answer(body=BUNDLE.document, headers={"Content-Type": OCI_MANIFEST})),
        on("/v1", Answer(405), "HEAD"),
    ],
)
def test_a_registry_that_tells_no_digest(start: Callable[..., Server], options: SourceOptions, rule: Rule) -> None:
    server = start()
    server.rules = [rule]
    with open_source(f"docker://{server.address}/demo:v1", options) as source:
        assert source.digest == BUNDLE.digest
    assert len(server.requests) == 4


HTML = Answer(body=b"<html>log in</html>", headers={"Content-Type": "text/html; charset=utf-8"})
EVIL = gzipped(tar({"manifests/evil.yaml": b"kind: Evil\n"}))
TOO_LARGE = {"Content-Type": OCI_MANIFEST, "Docker-Content-Digest": digest_of(b" " * (5 << 20))}

REFUSED: dict[str, tuple[list[Rule], str]] = {
    "401 without a challenge": ([on("", Answer(401))], "asks for credentials (401): no auth file was found"),
    "401 with a strange challenge": ([on("", Answer(401, headers={"WWW-Authenticate": "=?,;"}))], "registry"),
    "403": (
        [on("", Answer(403, b'{"errors": [{"message": "denied\\nfor you"}]}'), "GET")],
        "does not allow it (403: denied for you)",
    ),
    "404": ([on("/v1", Answer(404))], "has no such image (404)"),
    "429": (
        [on("", Answer(429, headers={"Retry-After": "30"}))],
        "was asked too often; wait, or use credentials with a higher limit (429); it asks to wait 30 s",
    ),
    "500": ([on("", Answer(500, b"<html>", {"Content-Type": "text/html"}))], "failed (500)"),
    "500 without end": ([on("", Answer(500, endless=True))], "failed (500)"),
    "HTML": ([on("/manifests/", HTML)], "answered with an HTML page where a registry sends a manifest"),
    "manifest that is no JSON": ([on("/v1", Answer(body=b"{no"))], "is no JSON"),
    "manifest too large": (
        [on("/manifests/", Answer(body=b" " * (5 << 20), headers=TOO_LARGE))],
        "sent more than 4 MiB",
    ),
    "manifest without end": ([on(BUNDLE.digest, Answer(endless=True))], "sent more than 4 MiB"),
    "manifest of another digest": (
        [on(BUNDLE.digest, Answer(body=BUNDLE.document + b" "))],
        "it is damaged or was changed",
    ),
    "digest that is none": (
        [on("/v1", Answer(headers={"Docker-Content-Digest": "sha256:../x"}))],
        "has the digest 'sha256:../x'",
    ),
    "manifest cut off": ([on(BUNDLE.digest, Answer(body=BUNDLE.document[:50], cut=50))], "broke off"),
    "layer cut off": ([on(LAYER, Answer(body=BUNDLE.blobs[LAYER][:50], cut=50))], "broke off"),
    "layer cut off in silence": (
        [on(LAYER, Answer(body=BUNDLE.blobs[LAYER][:50]))],
        "sent something else or not all of it",
    ),
    "layer of another digest": ([on(LAYER, Answer(body=EVIL))], "sent something else or not all of it"),
    "layer without end": ([on(LAYER, Answer(endless=True))], "layer 1 of 1: "),
    "layer that is not there": ([on(LAYER, Answer(404))], "has no such image (404)"),
    "layer as HTML": ([on(LAYER, HTML)], "sent something else or not all of it"),
    "redirect without end": ([on("", Answer(307, headers={"Location": "/v2/x"}))], "cannot reach registry"),
    "redirect to nowhere": (
        [on(LAYER, Answer(307, headers={"Location": "https://127.0.0.1:1/x"}))],
        "cannot reach 127.0.0.1:1, where registry",
    ),
    "redirect to plain HTTP": (
        [on(LAYER, Answer(307, headers={"Location": "http://127.0.0.1:1/x"}))],
        "redirects between TLS and plain HTTP; not followed",
    ),
    "redirect to a file": ([on(LAYER, Answer(307, headers={"Location": "file:///etc/passwd"}))], "redirects between"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line_and_nothing_left_behind(
    name: str, start: Callable[..., Server], options: SourceOptions
) -> None:
    rules, words = REFUSED[name]
    server = start()
    server.rules = rules
    with pytest.raises(SourceError) as caught:
        open_source(f"docker://{server.address}/demo:v1", options)
    assert words in str(caught.value)
    assert server.address in str(caught.value)
    assert "\n" not in str(caught.value)
    assert cache_is_empty(options)


def asks_for(challenge: str, accepted: str) -> Rule:
    def rule(handler: BaseHTTPRequestHandler) -> Answer | None:
        if handler.path.startswith("/v2/") and handler.headers.get("Authorization") != accepted:
            return Answer(401, headers={"WWW-Authenticate": challenge})
        return None

    return rule


def test_a_password_stays_with_the_registry(start: Callable[..., Server], options: SourceOptions) -> None:
    server, other = start(), start()
    server.rules = [
        asks_for('Basic realm="registry"', BASIC),
        on(LAYER, Answer(307, headers={"Location": f"https://{other.address}/store/{LAYER}?signature=x"})),
    ]
    (Path.home() / ".netrc").write_text("default login somebody password something\n", encoding="utf-8")
    (Path.home() / ".netrc").chmod(0o600)
    other.rules = [on("/store/", Answer(body=BUNDLE.blobs[LAYER]))]
    with open_source(f"docker://{server.address}/demo:v1", with_password(options)) as source:
        assert source.digest == BUNDLE.digest
    assert [authorization for _method, _path, authorization in other.seen] == [None]
    assert {authorization for _method, _path, authorization in server.seen} == {None, BASIC}


def token_server(start: Callable[..., Server], answer: Answer) -> tuple[Server, Server]:
    server, realm = start(), start()
    challenge = f'Bearer realm="https://{realm.address}/token",service="registry",scope="repository:demo:pull"'
    server.rules = [asks_for(challenge, "Bearer ticket")]
    realm.rules = [on("/token", answer)]
    return server, realm


@pytest.mark.parametrize("key", ["token", "access_token"])
def test_a_token_is_fetched_with_the_password_and_used_without_it(
    start: Callable[..., Server], options: SourceOptions, key: str
) -> None:
    server, realm = token_server(start, Answer(body=json.dumps({key: "ticket"}).encode()))
    open_source(f"docker://{server.address}/demo:v1", with_password(options)).close()
    assert realm.seen == [("GET", "/token?service=registry&scope=repository%3Ademo%3Apull", BASIC)]
    assert {authorization for _method, _path, authorization in server.seen} == {None, "Bearer ticket"}


def test_a_token_for_anybody(start: Callable[..., Server], options: SourceOptions) -> None:
    server, realm = token_server(start, Answer(body=b'{"token": "ticket"}'))
    open_source(f"docker://{server.address}/demo:v1", options).close()
    assert [authorization for _method, _path, authorization in realm.seen] == [None]


BAD_TOKENS = {
    "401": (Answer(401), "did not accept user 'puller' with the password from the registry options (401)"),
    "wrong token": (Answer(body=b'{"token": "other"}'), "did not accept user 'puller'"),
    "500": (Answer(500), "failed (500)"),
    "no JSON": (Answer(body=b"ticket"), "answered as no registry does"),
    "no token": (Answer(body=b"{}"), "answered as no registry does"),
    "nested without end": (Answer(body=b"[" * 200_000), "answered as no registry does"),
    "a list": (Answer(body=b"[1]"), "answered as no registry does"),
    "a number as token": (Answer(body=b'{"token": 7}'), "answered as no registry does"),
    "a token with a line break": (Answer(body=b'{"token": "a\\r\\nHost: b"}'), "registry"),
    "without end": (Answer(endless=True), "sent more than 4 MiB"),
    "echoing the password": (Answer(500, json.dumps({"errors": [{"message": f"no {PASSWORD}"}]}).encode()), "no ***"),
}


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_a_token_server_that_is_none(name: str, start: Callable[..., Server], options: SourceOptions) -> None:
    answer, words = BAD_TOKENS[name]
    server, _realm = token_server(start, answer)
    with pytest.raises(RegistryError) as caught:
        open_source(f"docker://{server.address}/demo:v1", with_password(options))
    assert words in str(caught.value)
    assert PASSWORD not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_on_this_machine_a_registry_without_tls_is_found_out(
    start: Callable[..., Server], options: SourceOptions
) -> None:
    server = start(tls=False)
    open_source(f"docker://{server.address}/demo:v1", SourceOptions(cache_directory=options.cache_directory)).close()
    assert len(server.requests) == 4


def test_elsewhere_plain_http_must_be_asked_for(start: Callable[..., Server], options: SourceOptions) -> None:
    server = start(tls=False)
    # 127.0.0.1 as one number: an address of this machine that does not look like one.
    source = f"docker://2130706433:{server.http.server_port}/demo:v1"
    with pytest.raises(RegistryError, match="speaks no TLS; plain HTTP must be asked for with registry_plain_http"):
        open_source(source, SourceOptions(cache_directory=options.cache_directory))
    assert server.requests == []
    open_source(source, SourceOptions(cache_directory=options.cache_directory, plain_http=True)).close()
    assert len(server.requests) == 4


def test_no_password_over_plain_http(start: Callable[..., Server], options: SourceOptions) -> None:
    server = start(tls=False)
    server.rules = [asks_for('Basic realm="registry"', BASIC)]
    given = SourceOptions(**{**vars(with_password(options)), "ca_cert": None})
    with pytest.raises(RegistryError, match="asks for credentials over plain HTTP"):
        open_source(f"docker://{server.address}/demo:v1", given)
    assert {authorization for _method, _path, authorization in server.seen} == {None}


def test_a_certificate_that_nobody_vouches_for(start: Callable[..., Server], options: SourceOptions) -> None:
    server = start()
    plain = SourceOptions(cache_directory=options.cache_directory)
    with pytest.raises(
        RegistryError, match=r"TLS certificate is not trusted.*give the authority that signed it in registry_ca_cert"
    ):
        open_source(f"docker://{server.address}/demo:v1", plain)
    assert server.requests == []
    unchecked = SourceOptions(cache_directory=options.cache_directory, validate_certs=False)
    open_source(f"docker://{server.address}/demo:v1", unchecked).close()


def test_the_proxy_of_the_environment_is_used(
    start: Callable[..., Server], options: SourceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = start(tls=False)
    monkeypatch.setenv("http_proxy", f"http://{proxy.address}")
    given = SourceOptions(cache_directory=options.cache_directory, plain_http=True)
    open_source("docker://registry.example/demo:v1", given).close()
    assert {path.partition("/v2/")[0] for _method, path, _authorization in proxy.seen} == {"http://registry.example"}
