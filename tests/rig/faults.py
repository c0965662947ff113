# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A loopback HTTPS proxy in front of an API server or a registry that does what a test tells it to.

    with FaultProxy(cluster.url, cluster.ca_file) as proxy:
        proxy.on("GET", "/version", Answer(429, headers={"Retry-After": "1"}))

The first request that matches is answered with 429, the others go through. `nth` and `times` choose
other requests; every request is noted in `seen`.
"""

from __future__ import annotations

import http.client
import os
import re
import socket
import ssl
import struct
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import trustme

_CONNECTION_HEADERS = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


@dataclass(frozen=True)
class Answer:
    """Answer in place of the server, which never sees the request."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ResetBefore:
    """Break the connection before the server sees the request."""


@dataclass(frozen=True)
class ResetAfter:
    """Let the server act, then break the connection instead of answering."""


@dataclass(frozen=True)
class Delay:
    """Wait before passing the request on."""

    seconds: float


@dataclass(frozen=True)
class Truncate:
    """Send only half of the body that the headers announce."""


@dataclass(frozen=True)
class Then:
    """Let the server act, then do something before its answer is passed on."""

    action: Callable[[], object]


Fault = Answer | ResetBefore | ResetAfter | Delay | Truncate | Then


@dataclass
class _Rule:
    method: str
    path: re.Pattern[str]
    fault: Fault
    nth: int
    times: int
    matched: int = 0


@dataclass(frozen=True)
class Request:
    """A request that the proxy got."""

    method: str
    path: str
    headers: Mapping[str, str]


class FaultProxy:
    """The proxy; without a server behind it, requests that no rule matches are answered with 404."""

    def __init__(self, upstream: str | None = None, upstream_ca: Path | None = None) -> None:
        self.upstream = urlsplit(upstream) if upstream else None
        self.upstream_tls = ssl.create_default_context(cafile=str(upstream_ca)) if upstream_ca else None
        self.seen: list[Request] = []
        self._rules: list[_Rule] = []
        self._lock = threading.Lock()
        self._files = tempfile.TemporaryDirectory()
        self.ca_file = Path(self._files.name) / "ca.crt"
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self.ca_file)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1", "localhost").configure_cert(tls)
        self._server = _Server(("127.0.0.1", 0), _Handler, tls, self)
        self.url = f"https://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> FaultProxy:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._files.cleanup()

    def on(self, method: str, path: str, fault: Fault, *, nth: int = 1, times: int = 1) -> None:
        """Do `fault` to the nth request that matches, and to as many after it as `times` says. `path` is a
        regular expression for the whole path with its query; method '*' is any."""
        with self._lock:
            self._rules.append(_Rule(method, re.compile(path), fault, nth, times))

    def clear(self) -> None:
        """Forget all rules and requests."""
        with self._lock:
            self._rules.clear()
            self.seen.clear()

    def fault_for(self, request: Request) -> Fault | None:
        """Note a request and find what to do to it."""
        with self._lock:
            self.seen.append(request)
            chosen: Fault | None = None
            for rule in self._rules:
                if rule.method in ("*", request.method) and rule.path.fullmatch(request.path):
                    rule.matched += 1
                    if chosen is None and rule.nth <= rule.matched < rule.nth + rule.times:
                        chosen = rule.fault
            return chosen


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], handler: type[_Handler], tls: ssl.SSLContext, proxy: FaultProxy
    ) -> None:
        self.tls = tls
        self.proxy = proxy
        super().__init__(address, handler)

    def get_request(self) -> tuple[socket.socket, tuple[str, int]]:
        plain, address = super().get_request()
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The handshake is left to the thread of the connection, so that a client that hangs blocks nobody.
        return self.tls.wrap_socket(plain, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: object, client_address: object) -> None:
        """Broken connections are what this proxy is for: nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def handle(self) -> None:
        self._upstream: http.client.HTTPConnection | None = None
        try:
            super().handle()
        finally:
            if self._upstream is not None:
                self._upstream.close()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, self.path, dict(self.headers.items()))
        proxy = self.server.proxy
        fault = proxy.fault_for(request)
        if isinstance(fault, Answer):
            self._answer(fault)
        elif isinstance(fault, ResetBefore):
            self._reset()
        elif proxy.upstream is None:
            self._answer(Answer(404, b"nothing is behind this proxy\n", {"Content-Type": "text/plain"}))
        else:
            if isinstance(fault, Delay):
                threading.Event().wait(fault.seconds)
            self._forward(request, body, fault)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _serve  # noqa: N815 - names that http.server looks for

    def _answer(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _forward(self, request: Request, body: bytes, fault: Fault | None) -> None:
        upstream = self.server.proxy.upstream
        if self._upstream is None and upstream is not None:
            host, port, tls = str(upstream.hostname), upstream.port, self.server.proxy.upstream_tls
            self._upstream = (
                http.client.HTTPConnection(host, port, timeout=120)
                if upstream.scheme == "http"
                else http.client.HTTPSConnection(host, port, context=tls, timeout=120)
            )
        assert self._upstream is not None
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _CONNECTION_HEADERS}
        self._upstream.request(request.method, request.path, body=body or None, headers=headers)
        response = self._upstream.getresponse()
        if isinstance(fault, ResetAfter):
            # A watch does not end by itself: its first piece shows that the server acted.
            response.read() if response.length is not None else response.read1(65536)
            self._reset()
            return
        if isinstance(fault, Then):
            fault.action()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _CONNECTION_HEADERS:
                self.send_header(name, value)
        length = response.getheader("Content-Length")
        if length is None:
            self._stream(response, fault)
            return
        self.send_header("Content-Length", length)
        self.end_headers()
        content = response.read()
        if isinstance(fault, Truncate):
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
            return
        self.wfile.write(content)

    def _stream(self, response: http.client.HTTPResponse, fault: Fault | None) -> None:
        """A body of unknown length, such as a watch, piece by piece as it comes; half of the first one to truncate it."""
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := response.read1(65536):
            if isinstance(fault, Truncate):
                self.wfile.write(b"%x\r\n%s" % (len(piece), piece[: len(piece) // 2]))
                self.close_connection = True
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # Closing the descriptor itself: the socket object would wait for its files and say goodbye politely.
        os.close(self.connection.detach())

    def log_message(self, *arguments: object) -> None:
        """Keep quiet: `seen` is the log."""
