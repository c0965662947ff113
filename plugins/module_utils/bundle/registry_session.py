# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The HTTP session that the registry library works with: bounded answers, no credentials that nobody asked for.

python-dxf reads manifests, tokens and error pages into memory whole; requests does so with the bodies of
redirects, and takes passwords out of ~/.netrc for any host it is sent to. Below both lies
one adapter, and there it ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import RegistryError
from .unpack_limits import size

USER_AGENT = "fleet.olm"
CONNECT_AND_READ_SECONDS = (10.0, 60.0)
# A server that sends a byte a second never runs into the read timeout.
ANSWER_SECONDS = 900.0
_REDIRECTS = 5


@dataclass
class AnswerLimit:
    """How many bytes the next answers may have."""

    bytes: int


def open_session(limit: AnswerLimit, *, plain_http: bool) -> Any:
    """A session of requests that speaks either TLS or plain HTTP, and follows no redirect from one to the other."""
    import requests
    from requests.adapters import HTTPAdapter
    from requests.utils import get_environ_proxies

    class LimitedAdapter(HTTPAdapter):
        def build_response(self, req: Any, resp: Any) -> Any:
            response = super().build_response(req, resp)
            response.raw = _LimitedBody(resp, limit.bytes)
            return response

        def send(self, request: Any, *args: Any, **options: Any) -> Any:
            # The session does not trust the environment, because of ~/.netrc; proxies are wanted from there all the same.
            options["proxies"] = get_environ_proxies(request.url)
            return super().send(request, *args, **options)

    session = requests.Session()
    session.trust_env = False
    session.max_redirects = _REDIRECTS
    session.headers["User-Agent"] = USER_AGENT
    session.adapters.clear()
    session.mount("http://" if plain_http else "https://", LimitedAdapter())
    return session


class _LimitedBody:
    """The body of an answer, as requests reads it."""

    def __init__(self, body: Any, limit: int) -> None:
        self._body = body
        self._limit = limit
        self._deadline = time.monotonic() + ANSWER_SECONDS

    def stream(self, amount: int, decode_content: bool | None = None) -> Iterator[bytes]:
        taken = 0
        for chunk in self._body.stream(amount, decode_content=decode_content):
            taken += len(chunk)
            if taken > self._limit:
                self._body.close()
                raise RegistryError(f"sent more than {size(self._limit)}")
            if time.monotonic() > self._deadline:
                self._body.close()
                raise RegistryError(f"took more than {ANSWER_SECONDS:.0f} s for one answer")
            yield chunk

    def close(self) -> None:
        self._body.close()

    def release_conn(self) -> None:
        self._body.release_conn()
