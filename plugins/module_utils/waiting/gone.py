# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting until deleted objects are gone, and naming what holds those that stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import ClusterError, StillThere
from ..nested import at, mappings, texts
from .clock import Clock
from .view import View
from .words import listed, one_line

_Deleted = tuple[ObjectKey, str]


def wait_until_gone(
    client: Client,
    keys_with_uid: Sequence[tuple[ObjectKey, str]],
    *,
    seconds: float,
    progress: Callable[[str], None],
    selector: str = "",
) -> None:
    """Wait until none of the objects is there any more; one of the same name with another uid is another object. Raises
    StillThere with each that stays, its finalizers and since when it is being deleted."""
    clock = Clock(seconds, progress)
    groups: dict[Collection, list[_Deleted]] = {}
    for key, uid in keys_with_uid:
        groups.setdefault(key.collection, []).append((key, uid))
    views = {collection: _view(client, collection, group, selector) for collection, group in groups.items()}
    stay: list[tuple[ObjectKey, View]] = []
    for collection, view in views.items():
        view.look()
        stay += [(key, view) for key in _follow(groups[collection], view, clock)]
    if stay:
        raise StillThere(
            [_held(client, key, view) for key, view in stay],
            objects=[{"object": str(key), "finalizers": _finalizers(key, view)} for key, view in stay],
        )


def _view(client: Client, collection: Collection, group: Sequence[_Deleted], selector: str) -> View:
    alone = f"metadata.name={group[0][0].name}" if len(group) == 1 and not selector else ""
    return View(client, collection, {"labelSelector": selector, "fieldSelector": alone}, metadata_only=True)


def _follow(group: Sequence[_Deleted], view: View, clock: Clock) -> list[ObjectKey]:
    """What of a collection is there when the time is over."""
    followed = False
    while (there := _there(group, view)) and clock.left > 0:
        clock.tell(f"waiting for {there[0]} to go, {_why(there[0], view)}")
        followed = True
        with closing(view.follow(clock.until_told)) as changes:
            for _change in changes:
                if not _there(group, view):
                    break
    if there and followed:
        # What a watch did not bring, because it broke, a last look does.
        view.look()
    return _there(group, view)


def _there(group: Sequence[_Deleted], view: View) -> list[ObjectKey]:
    return [
        key
        for key, uid in group
        if key.name in view.objects and uid in ("", at(view.objects[key.name], "metadata", "uid"))
    ]


def _finalizers(key: ObjectKey, view: View) -> list[str]:
    return texts(at(view.objects.get(key.name), "metadata", "finalizers"))


def _why(key: ObjectKey, view: View) -> str:
    since = at(view.objects.get(key.name), "metadata", "deletionTimestamp")
    if not since:
        return "which nobody deletes"
    finalizers = _finalizers(key, view)
    words = (
        f"held by finalizer{'s' if len(finalizers) > 1 else ''} {listed(finalizers)}" if finalizers else "on its way"
    )
    return f"deleted since {since}, {words}"


def _held(client: Client, key: ObjectKey, view: View) -> str:
    return f"{key} is still there, {_why(key, view)}{_content_of(client, key) if key.kind == 'Namespace' else ''}"


def _content_of(client: Client, key: ObjectKey) -> str:
    """What is left in a namespace, as its controller says: there the finalizers of others hold it."""
    try:
        namespace = client.find(key.path)
    except ClusterError:
        return ""
    said = [
        one_line(item.get("message") or "")
        for item in mappings(at(namespace, "status", "conditions"))
        if item.get("status") == "True" and item.get("message")
    ]
    return f": {'; '.join(said)}" if said else ""
