# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watching a collection: one long request, taken up again where it broke off."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from typing import Any

from ..errors import ClusterError, NotKubernetes, Unreachable
from ..nested import at
from .authentication import Access
from .transport import Answer, ConnectionLost, Stream, decoded

# Not a type that servers send: the whole collection anew, because what changed meanwhile is not known.
LISTED = "LISTED"

_GONE = 410
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0
# How much later than it was told to a server may end a watch before its connection counts as dead.
_SLACK = 5.0


class _Expired(Exception):
    """The server no longer knows what changed since the version that the watch was to begin after."""


class _Busy(Exception):
    """The server asked for a pause."""

    def __init__(self, error: ClusterError, pause: float) -> None:
        super().__init__(str(error))
        self.error = error
        self.pause = pause


def watch_collection(
    access: Access,
    open_stream: Callable[[Mapping[str, Any], float], AbstractContextManager[Stream]],
    list_anew: Callable[[], dict[str, Any]],
    *,
    doing: str,
    version: str,
    seconds: float,
) -> Generator[dict[str, Any], None, None]:
    """Events of a collection until the time is over; see `Client.watch`."""
    deadline = time.monotonic() + seconds
    # Watches that ended soon and without an event: a server that ends each at once is not asked again at once.
    fruitless = 0
    problem: ClusterError | None = None
    while (left := deadline - time.monotonic()) > 0:
        began = time.monotonic()
        pause = min(_FIRST_PAUSE * 2 ** min(fruitless, 10), _LONGEST_PAUSE)
        fruitless += 1
        try:
            if not version:
                listed = list_anew()
                version, problem = _version_of(listed), None
                yield {"type": LISTED, "object": listed}
                continue
            with open_stream(_question(version, left), left + _SLACK) as stream:
                _check(stream.answer, access, doing)
                problem = None
                for event in map(_event, stream.lines()):
                    version, fruitless = _version_of(event["object"]) or version, 0
                    yield event
                    if time.monotonic() >= deadline:
                        return
        except _Expired:
            version = ""
        except ConnectionLost as lost:
            problem = Unreachable(f"{doing}: lost the connection to cluster {access}: {lost}; check the network")
        except Unreachable as error:
            problem = error
        except _Busy as busy:
            problem, pause = busy.error, max(pause, busy.pause)
        if time.monotonic() - began > _LONGEST_PAUSE:
            fruitless = 0
        if fruitless or problem is not None:
            time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
    if problem is not None:
        raise problem


def _check(answer: Answer, access: Access, doing: str) -> None:
    if answer.status == 200:
        return
    if answer.status == _GONE:
        raise _Expired
    try:
        decoded(answer, access, doing)
    except ClusterError as error:
        if answer.asks_to_wait:
            raise _Busy(error, answer.retry_after or 0.0) from None
        raise
    raise NotKubernetes(f"{doing}: {access} answered {answer.status} where a Kubernetes API server sends 200")


def _question(version: str, left: float) -> dict[str, Any]:
    return {
        "watch": "1",
        "allowWatchBookmarks": "true",
        "resourceVersion": version,
        "timeoutSeconds": max(1, math.ceil(left)),
    }


def _event(line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        raise ConnectionLost("the answer holds a line that is no JSON") from None
    content = at(event, "object")
    if not isinstance(content, dict):
        raise ConnectionLost("the answer holds a line that is no event")
    if event.get("type") != "ERROR":
        return dict(event)
    if content.get("code") == _GONE:
        raise _Expired
    raise ConnectionLost(" ".join(str(content.get("message") or content.get("reason") or "the watch failed").split()))


def _version_of(content: Mapping[str, Any]) -> str:
    return str(at(content, "metadata", "resourceVersion") or "")
