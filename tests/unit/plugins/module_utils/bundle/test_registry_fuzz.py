# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mutated HTTP answers: whatever a server sends, the only error is ours, and nothing is left behind.

FLEET_OLM_FUZZ=10000 runs that many, FLEET_OLM_SEED=… repeats a run.
"""

from __future__ import annotations

import os
import random
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.tests.rig.images import OCI_MANIFEST, gzipped, image, tar

RUNS = int(os.environ.get("FLEET_OLM_FUZZ", "200"))
SEED = os.environ.get("FLEET_OLM_SEED") or str(random.SystemRandom().randrange(1 << 32))

BUNDLE = image([gzipped(tar({"manifests/csv.yaml": b"kind: ClusterServiceVersion\n"}))])
CONTENT = {"v1": BUNDLE.document, **BUNDLE.everything()}
ODD_LINES = [
    b"HTTP/1.1 307 Moved\r\nLocation: https://[x\r\n",
    b"HTTP/1.1 307 Moved\r\nLocation: \xff\xfe\r\n",
    b"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200,
    b"HTTP/1.1 200 " + b"x" * 70_000 + b"\r\n",
    b"HTTP/1.1 999 \r\n",
    b"SSH-2.0-x\r\n",
    b"",
]


class Server(socketserver.ThreadingTCPServer):
    """Answers each request soundly, but for what the dice say."""

    daemon_threads = True
    dice = random.Random()  # noqa: S311

    def handle_error(self, *_arguments: object) -> None:
        """Say nothing of clients that go away."""


class Handler(socketserver.StreamRequestHandler):
    server: Server
    timeout = 5

    def handle(self) -> None:
        request = self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        name = request.split(b" ")[1].rpartition(b"/")[2].decode("ascii", "replace")
        body = CONTENT.get(name, b"")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n" % OCI_MANIFEST.encode()
        if name == "v1":
            head += b"Docker-Content-Digest: %s\r\n" % BUNDLE.digest.encode()
        head += b"Content-Length: %d\r\nConnection: close\r\n" % len(body)
        dice = self.server.dice
        if dice.random() < 0.1:
            head = dice.choice(ODD_LINES)
        answer = bytearray(head + b"\r\n" + (b"" if request.startswith(b"HEAD") else body))
        for _number in range(dice.choice((0, 0, 0, 0, 0, 1, 5))):
            answer[dice.randrange(len(answer))] = dice.randrange(256)
        if dice.random() < 0.1:
            del answer[dice.randrange(len(answer)) :]
        self.wfile.write(answer)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield running
        running.shutdown()


def refusal(server: Server, cache: Path, where: str) -> str | None:
    """What was said of an image that was refused; None for one that was read."""
    reference = f"docker://127.0.0.1:{server.server_address[1]}/demo:v1"
    try:
        open_source(reference, SourceOptions(cache_directory=str(cache), plain_http=True)).close()
    except FleetError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{where}: {error!r}") from error
    return None


def test_mutants(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {"read": 0, "refused": 0}
    for number in range(RUNS):
        where = f"FLEET_OLM_SEED={SEED}, run {number}"
        server.dice = random.Random(f"{SEED}/{number}")  # noqa: S311
        cache = tmp_path / str(number)
        message = refusal(server, cache, where)
        outcomes["read" if message is None else "refused"] += 1
        assert "\n" not in (message or ""), where
        assert message is None or not list(cache.glob("*")), where
    with capsys.disabled():
        print(f"\nfuzz of registries: FLEET_OLM_SEED={SEED}, {RUNS} runs, {outcomes}")
    assert outcomes["refused"] > RUNS / 4
