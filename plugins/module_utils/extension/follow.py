# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting for one object of OLM v1: one watch from the state that the apply left, and an answer as soon as there is one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeAlias

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..errors import ApiError, Forbidden, NotReady, Unreachable
from ..nested import at, mappings
from ..waiting.clock import Clock
from ..waiting.view import PASSING, PAUSE
from .verdict import Verdict

# Seconds for a controller that is asked to look again: it resolves, pulls and applies before it says anything.
LOOKS_AGAIN = 30.0

Judge: TypeAlias = "Callable[[Mapping[str, Any]], Verdict]"


class NeverReady(NotReady):
    """An object did not come to be what its spec asks for; `content` is what was last seen of it."""

    def __init__(self, key: ObjectKey, why: str, verdict: Verdict, content: Mapping[str, Any]) -> None:
        super().__init__(why, objects=[{"object": str(key), "condition": verdict.condition, "message": verdict.seen}])
        self.content = content
        self.verdict = verdict


def follow(
    client: Client,
    key: ObjectKey,
    content: Mapping[str, Any],
    judge: Judge,
    *,
    seconds: float,
    grace: float,
    progress: Callable[[str], None],
    stale: bool = False,
) -> Mapping[str, Any]:
    """Wait until the object is as it should be, from `content` on; the object as it is then.

    What its controller refuses is raised at once. What it retries although that does not heal by itself gets `grace` seconds. Where what
    `content` says is `stale`, because its controller was asked to look again, it gets the time for that first.
    """
    known = str(at(content, "metadata", "resourceVersion") or "") if stale else ""
    return _Following(client, key, judge, Clock(seconds, progress), grace, known).to_the_end(content)


class _Following:
    def __init__(self, client: Client, key: ObjectKey, judge: Judge, clock: Clock, grace: float, stale: str) -> None:
        self._client = client
        self._key = key
        self._judge = judge
        self._clock = clock
        self._grace = grace
        self._stale = stale
        self._stuck_since: float | None = None
        self._content: Mapping[str, Any] = {}
        self._version = ""

    def to_the_end(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        verdict = self._see(content)
        looked = True
        while verdict.state != "done":
            if verdict.state == "failed":
                raise self._failure(verdict, "")
            if self._patience <= 0:
                if looked:
                    raise self._failure(verdict, self._out_of_time(verdict))
                # What a watch did not bring, because it broke, a last look does.
                verdict, looked = self._look(), True
                continue
            self._clock.tell(f"waiting for {self._key}: {verdict}")
            looked = False
            verdict = self._watch(verdict)
        return self._content

    @property
    def _patience(self) -> float:
        left = self._clock.left
        return left if self._stuck_since is None else min(left, self._stuck_since + self._given - self._clock.passed)

    @property
    def _given(self) -> float:
        """How long to stand what does not heal by itself. A controller that looks again and finds the same writes nothing."""
        return max(self._grace, LOOKS_AGAIN) if self._is_stale(self._content) else self._grace

    def _is_stale(self, content: Mapping[str, Any]) -> bool:
        return bool(self._stale) and at(content, "metadata", "resourceVersion") == self._stale

    def _see(self, content: Mapping[str, Any]) -> Verdict:
        self._content = content
        self._version = str(at(content, "metadata", "resourceVersion") or self._version)
        verdict = self._judge(content)
        if verdict.state == "failed" and self._is_stale(content):
            verdict = replace(verdict, state="stuck")
        if verdict.state != "stuck":
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = self._clock.passed
        return verdict

    def _look(self) -> Verdict:
        found = self._client.find(self._key.path)
        return self._see(found) if found is not None else self._gone()

    def _watch(self, verdict: Verdict) -> Verdict:
        """Until the verdict is another one, or it is time to tell of it."""
        query = {"fieldSelector": f"metadata.name={self._key.name}", "resourceVersion": self._version}
        seconds = min(self._patience, self._clock.until_told)
        try:
            with closing(self._client.watch(self._key.collection.path, query=query, seconds=seconds)) as events:
                for event in events:
                    latest = self._note(str(event["type"]), event["object"])
                    if latest is not None and latest.state != verdict.state:
                        return latest
                    verdict = latest or verdict
        except Unreachable:
            # Whoever waits has the patience; the last look tells.
            return verdict
        except Forbidden:
            # Who may look and not watch looks now and then.
            time.sleep(min(PAUSE, seconds))
            return self._look()
        except ApiError as error:
            if error.status not in PASSING:
                raise
            time.sleep(min(PAUSE, seconds))
        return verdict

    def _note(self, kind: str, content: Mapping[str, Any]) -> Verdict | None:
        if kind == "LISTED":
            self._version = str(at(content, "metadata", "resourceVersion") or "")
            items = mappings(content.get("items"))
            return self._see(items[0]) if items else self._gone()
        if kind == "DELETED":
            return self._gone()
        if kind == "BOOKMARK":
            self._version = str(at(content, "metadata", "resourceVersion") or self._version)
            return None
        return self._see(content)

    def _gone(self) -> Verdict:
        return Verdict("failed", "there", "somebody deleted it meanwhile")

    def _out_of_time(self, verdict: Verdict) -> str:
        if verdict.state == "stuck" and self._clock.left > 0:
            return f"; its controller keeps trying, and was given {self._given:g} s"
        return f"; it was waited for {self._clock.passed:.0f} s"

    def _failure(self, verdict: Verdict, more: str) -> NeverReady:
        return NeverReady(self._key, f"{self._key}: {verdict}{more}", verdict, self._content)
