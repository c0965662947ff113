# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting until objects do their work: one watch at a time, and the root cause where they never do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import ClusterError, Forbidden, NotReady
from ..nested import at, mappings
from .causes import explain
from .clock import Clock
from .ready import CRD, READY, Predicate, ServiceName, Status, established, ready
from .view import View
from .words import listed

# So long must something look hopeless before it is given up: a controller may not have caught up with what we just changed.
PATIENCE = 3.0


@dataclass(frozen=True)
class Waited:
    """An object that is ready: the condition, and how long after the beginning of the wait it was seen."""

    object: str
    condition: str
    seconds: float


@dataclass(frozen=True)
class _Awaited:
    """The object that a wait is at, and the view in which it will be seen to get ready."""

    key: ObjectKey
    status: Status
    view: View

    def __str__(self) -> str:
        return f"waiting for {self.key}, which {self.status.message}"


def wait_until_ready(
    client: Client, keys: Sequence[ObjectKey], *, seconds: float, progress: Callable[[str], None], selector: str = ""
) -> tuple[Waited, ...]:
    """Wait for all objects whose kind can be unready; `selector` is a label selector that all of them match, and keeps
    lists short. Raises NotReady with the root cause at the end of the time, or sooner where nothing heals by itself."""
    order = list(READY)
    awaited = [key for key in keys if _kind(key) in READY]
    awaited.sort(key=lambda key: order.index(_kind(key)))
    return _Wait(client, ready, selector, Clock(seconds, progress)).for_all(awaited)


def wait_until_established(
    client: Client, keys: Sequence[ObjectKey], *, seconds: float, progress: Callable[[str], None], selector: str = ""
) -> tuple[Waited, ...]:
    """Wait until the CRDs among the objects are served, whether or not somebody converts their objects yet."""
    awaited = [key for key in keys if _kind(key) == CRD]
    return _Wait(client, established, selector, Clock(seconds, progress)).for_all(awaited)


def _kind(key: ObjectKey) -> tuple[str, str]:
    return key.collection.group, key.kind


class _Wait:
    def __init__(self, client: Client, predicate: Predicate, selector: str, clock: Clock) -> None:
        self._client = client
        self._predicate = predicate
        self._selector = selector
        self._clock = clock
        self._services: dict[ServiceName, View | None] = {}
        self._hopeless_since: dict[ObjectKey, float] = {}
        # Whether objects were hopeless from the first look on: what that came of may be over by now.
        self._from_before: dict[ObjectKey, bool] = {}
        self._done: dict[ObjectKey, Waited] = {}

    def for_all(self, keys: Sequence[ObjectKey]) -> tuple[Waited, ...]:
        groups: dict[Collection, list[ObjectKey]] = {}
        for key in keys:
            groups.setdefault(key.collection, []).append(key)
        views = {collection: self._view(collection, group) for collection, group in groups.items()}
        for collection, view in views.items():
            view.look()
            failed = self._group(groups[collection], view)
            if failed is not None:
                raise self._not_ready(failed, [(key, views[key.collection]) for key in keys if key not in self._done])
        return tuple(self._done[key] for key in dict.fromkeys(keys))

    def _view(self, collection: Collection, group: Sequence[ObjectKey]) -> View:
        alone = f"metadata.name={group[0].name}" if len(group) == 1 and not self._selector else ""
        return View(self._client, collection, {"labelSelector": self._selector, "fieldSelector": alone})

    def _group(self, keys: Sequence[ObjectKey], view: View) -> _Awaited | None:
        """Wait for the objects of one collection; the one that failed, or None."""
        awaited = self._next(keys, view)
        followed = False
        while awaited is not None:
            if self._patience(awaited) <= 0:
                if followed:
                    # What a watch did not bring, because it broke, a last look does.
                    awaited.view.look()
                    awaited = self._next(keys, view)
                if awaited is None or self._patience(awaited) <= 0:
                    return awaited
            self._clock.tell(str(awaited))
            followed = True
            with closing(awaited.view.follow(min(self._patience(awaited), self._clock.until_told))) as changes:
                for _change in changes:
                    latest = self._next(keys, view)
                    if (
                        latest is None
                        or latest.view is not awaited.view
                        or latest.status.hopeless != awaited.status.hopeless
                    ):
                        break
                    self._clock.tell(str(latest))
            awaited = self._next(keys, view)
        return None

    def _next(self, keys: Sequence[ObjectKey], view: View) -> _Awaited | None:
        """Note what is ready; of the rest the first that looks hopeless, else the first."""
        waiting: list[_Awaited] = []
        for key in keys:
            if key in self._done:
                continue
            status = self._status(key, view)
            if status.ready:
                self._done[key] = Waited(str(key), status.condition, round(self._clock.passed, 1))
                continue
            if status.hopeless:
                self._hopeless_since.setdefault(key, self._clock.passed)
            else:
                self._hopeless_since.pop(key, None)
            endpoints = self._services.get(status.service) if status.service is not None else None
            waiting.append(_Awaited(key, status, endpoints or view))
        return next((item for item in waiting if item.status.hopeless), waiting[0] if waiting else None)

    def _status(self, key: ObjectKey, view: View) -> Status:
        content = view.objects.get(key.name)
        if content is None:
            return Status(False, "there", "is not there" + (f" with label {self._selector}" if self._selector else ""))
        status = self._predicate(content, self._endpoints)
        failing = status.hopeless and status.heals
        self._from_before[key] = failing and self._from_before.get(key, True)
        return replace(status, hopeless=False) if self._from_before[key] else status

    def _patience(self, awaited: _Awaited) -> float:
        """Seconds that something hopeless still gets; what is not has all the time there is."""
        since = self._hopeless_since.get(awaited.key)
        left = self._clock.left
        return left if since is None else min(left, since + PATIENCE - self._clock.passed)

    def _endpoints(self, service: ServiceName) -> int | None:
        if service not in self._services:
            slices = Collection("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", service.namespace)
            view = View(self._client, slices, {"labelSelector": f"kubernetes.io/service-name={service.name}"})
            try:
                view.look()
                self._services[service] = view
            except Forbidden:
                self._services[service] = None
        seen = self._services[service]
        if seen is None:
            return None
        # No word about readiness means ready.
        return sum(
            at(endpoint, "conditions", "ready") is not False
            for item in seen.objects.values()
            for endpoint in mappings(item.get("endpoints"))
        )

    def _not_ready(self, failed: _Awaited, rest: Sequence[tuple[ObjectKey, View]]) -> NotReady:
        view = dict(rest)[failed.key]
        text = explain(self._client, failed.key, view.objects.get(failed.key.name) or {}, failed.status)
        others: dict[ObjectKey, Status] = {}
        looked = {id(view)}
        for key, other in rest:
            try:
                if id(other) not in looked:
                    looked.add(id(other))
                    other.look()
                status = self._status(key, other)
            except ClusterError:
                continue
            if key != failed.key and not status.ready:
                others[key] = status
        if others:
            text += f"; also not ready: {listed([str(key) for key in others])}"
        told = {failed.key: failed.status, **others}
        return NotReady(
            text,
            objects=[
                {"object": str(key), "condition": status.condition, "message": status.message}
                for key, status in told.items()
            ],
        )
