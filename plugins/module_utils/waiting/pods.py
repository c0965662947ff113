# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why a pod does not do its work, from its status alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings
from .words import one_line

# States that every pod goes through: that it stays in one is told by its events, if by anything.
_STARTING = ("ContainerCreating", "PodInitializing")

_LONGEST_REASON = 200


@dataclass(frozen=True)
class Trouble:
    """`text` goes on after "pod NAME". `vague`: the status does not say why, an event may. `weight`: of the troubles of
    several pods, the one with most weight says most."""

    text: str
    vague: bool
    weight: int


def trouble_of(pod: Mapping[str, Any]) -> Trouble | None:
    """What keeps a pod from being ready; None where it is, or where it is on its way out."""
    if at(pod, "metadata", "deletionTimestamp"):
        return None
    return max(_troubles(pod), key=lambda trouble: trouble.weight, default=None)


def _troubles(pod: Mapping[str, Any]) -> Iterator[Trouble]:
    status = at(pod, "status") or {}
    conditions = {item.get("type"): item for item in mappings(status.get("conditions"))}
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        reason = one_line(scheduled.get("message") or scheduled.get("reason") or "no reason given")
        yield Trouble(f"is not scheduled: {reason}", vague=False, weight=3)
    if status.get("phase") == "Failed":
        yield Trouble(f"has failed: {_with(status.get('reason'), status.get('message'))}", vague=False, weight=3)
    images = {item.get("name"): item.get("image") for item in _containers(pod)}
    containers = [*mappings(status.get("initContainerStatuses")), *mappings(status.get("containerStatuses"))]
    for container in containers:
        trouble = _container_trouble(container, str(container.get("image") or images.get(container.get("name")) or ""))
        if trouble is not None:
            yield trouble
    if not containers and at(pod, "spec", "nodeName"):
        yield Trouble(f"is not started by its node {pod['spec']['nodeName']}", vague=True, weight=1)
    ready = conditions.get("Ready", {})
    if ready.get("status") == "False" and status.get("phase") == "Running":
        yield Trouble(f"is not ready: {_with(ready.get('reason'), ready.get('message'))}", vague=True, weight=0)


def _containers(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*mappings(at(pod, "spec", "initContainers")), *mappings(at(pod, "spec", "containers"))]


def _container_trouble(container: Mapping[str, Any], image: str) -> Trouble | None:
    waiting = at(container, "state", "waiting")
    if waiting is not None:
        return _waiting_trouble(container, waiting, image)
    ended = at(container, "state", "terminated")
    if ended is not None and ended.get("exitCode"):
        return Trouble(f"has container {container.get('name')} ended: {image} ({_end(ended)})", vague=False, weight=4)
    if at(container, "state", "running") is not None and not container.get("ready"):
        return Trouble(f"runs, but its container {container.get('name')} is not ready", vague=True, weight=2)
    return None


def _waiting_trouble(container: Mapping[str, Any], waiting: Mapping[str, Any], image: str) -> Trouble:
    reason = str(waiting.get("reason") or "no reason given")
    if reason in _STARTING:
        return Trouble(f"is waiting: {reason}", vague=True, weight=1)
    ended = at(container, "lastState", "terminated")
    if reason == "CrashLoopBackOff" and ended is not None:
        return Trouble(f"is waiting: {reason} {image} ({_end(ended)})", vague=False, weight=5)
    detail = innermost(str(waiting.get("message") or ""))
    return Trouble(f"is waiting: {reason} {image}{f' ({detail})' if detail else ''}", vague=not detail, weight=5)


def _end(ended: Mapping[str, Any]) -> str:
    """How a container ended: `exit code 137, OOMKilled`, `exit code 1: no such file`."""
    reason = ended.get("reason")
    text = f"exit code {ended.get('exitCode')}" + (f", {reason}" if reason and reason != "Error" else "")
    # Of a message, which may be the end of a log, the last line says most.
    lines = [line for line in str(ended.get("message") or "").splitlines() if line.strip()]
    return f"{text}: {one_line(lines[-1], _LONGEST_REASON)}" if lines else text


def innermost(message: str) -> str:
    """The end of a chain of reasons: `401 Unauthorized` of `failed to resolve …: unexpected status …: 401 Unauthorized`;
    nothing where a message only says that something is tried again."""
    last = one_line(message).rpartition(": ")[2]
    return "" if last.startswith(("Back-off ", "back-off ")) else one_line(last, _LONGEST_REASON)


def _with(reason: Any, message: Any) -> str:
    said = one_line(message or "")
    return f"{reason or 'no reason given'}{f' ({said})' if said else ''}"
