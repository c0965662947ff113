# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The install namespace: it is made where that was asked for, and goes when the extension is gone and nothing else is in it.

It is a step of the plan, and no object of the extension: no revision records it, and nothing of it is mended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import Forbidden, NotFound
from ..nested import at
from ..waiting.gone import wait_until_gone
from .execute import delete
from .namespace_content import what_keeps
from .ownership import CREATED_FOR, Extension
from .plan import Plan, Step

NAMESPACES = Collection("", "v1", "namespaces", "Namespace")


class Patience(Protocol):
    """Whether and how long to wait."""

    @property
    def wait(self) -> bool: ...

    @property
    def wait_timeout(self) -> float: ...

    @property
    def progress(self) -> Callable[[str], None]: ...


def making(extension: Extension) -> Step:
    """The step that makes the install namespace."""
    metadata = {"name": extension.namespace, "annotations": {CREATED_FOR: extension.name}}
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    return Step("create", ObjectKey(NAMESPACES, extension.namespace), manifest)


def make_namespace(client: Client, extension: Extension) -> None:
    """Make the install namespace where it is not there."""
    step = making(extension)
    if client.find(step.key.path) is None:
        client.create(NAMESPACES.path, dict(step.manifest or {}))


def own_namespace(client: Client, extension: Extension) -> Mapping[str, Any] | None:
    """The install namespace if it was made for this extension and is still there."""
    try:
        namespace = client.read(ObjectKey(NAMESPACES, extension.namespace).path)
    except (NotFound, Forbidden):
        return None
    made_for = (at(namespace, "metadata", "annotations") or {}).get(CREATED_FOR)
    return namespace if made_for == extension.name and not at(namespace, "metadata", "deletionTimestamp") else None


def is_left_alone(client: Client, namespace: Mapping[str, Any] | None) -> bool:
    """Whether there is a namespace that was made for an extension, and nothing in it."""
    return namespace is not None and not what_keeps(client, _key(namespace).name)


def with_namespace_going(plan: Plan, namespace: Mapping[str, Any] | None) -> Plan:
    """A removal's plan with the namespace that goes last. Whether it does is known only then, so that the plan says so on condition, before and after."""
    if namespace is None:
        return plan
    going = Step("prune", _key(namespace), uid=_uid(namespace), why="if it is empty by then")
    return replace(plan, steps=(*plan.steps, going))


def end_namespace(client: Client, namespace: Mapping[str, Any] | None, patience: Patience) -> tuple[str, ...]:
    """Delete a namespace that was made for an extension and is empty; what to know where it is not."""
    if namespace is None:
        return ()
    key, uid = _key(namespace), _uid(namespace)
    kept = what_keeps(client, key.name)
    if kept:
        return (f"{key} stays: {kept}",)
    delete(client, key, uid)
    if patience.wait:
        wait_until_gone(client, [(key, uid)], seconds=patience.wait_timeout, progress=patience.progress)
    return ()


def _key(namespace: Mapping[str, Any]) -> ObjectKey:
    return ObjectKey(NAMESPACES, str(at(namespace, "metadata", "name")))


def _uid(namespace: Mapping[str, Any]) -> str:
    return str(at(namespace, "metadata", "uid"))
