# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server of fixed answers, for catalogs and for images in registries."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ansible_collections.fleet.olm.tests.rig.images import Image


@dataclass
class Answer:
    """A body, its headers, and how much of it is really sent."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    sent: int | None = None


@dataclass
class Server:
    """Answers by path and query; remembers what it was asked."""

    address: str
    answers: dict[str, Answer]
    asked: list[tuple[str, int]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def hold(self, image: Image, repository: str, tag: str) -> str:
        """Serve an image as a registry does; its reference."""
        kind = {"Content-Type": image.media_type, "Docker-Content-Digest": image.digest}
        for name in (tag, image.digest):
            self.answers[f"/v2/{repository}/manifests/{name}"] = Answer(image.document, kind)
        for digest, blob in image.blobs.items():
            self.answers[f"/v2/{repository}/blobs/{digest}"] = Answer(blob)
        return f"{self.address}/{repository}:{tag}"


@contextmanager
def running(answers: dict[str, Answer]) -> Iterator[Server]:
    """A server on a port of its own."""
    server = Server("", answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = server.answers.get(self.path, Answer(b"", status=404))
            wanted = self.headers.get("If-None-Match")
            status = 304 if wanted and wanted == answer.headers.get("ETag") else answer.status
            server.asked.append((self.path, status))
            self.send_response(status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            body = b"" if status == 304 else answer.body
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body[: answer.sent])
            if answer.sent is not None:
                self.close_connection = True

        do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

        def log_message(self, *_arguments: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
