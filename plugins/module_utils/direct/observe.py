# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looking at what is on a cluster, and asking its API server what it would make of what we want. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ..cluster.client import JSON, METADATA_ONLY, Client
from ..cluster.objects import Collection as Place
from ..cluster.objects import ObjectKey
from ..errors import ApiError, Conflict, Forbidden, NotFound
from ..nested import mappings
from .ledger import Ledger
from .ownership import Extension, stamped
from .plan import RECREATED, Desired, Seen
from .record import Placed

# Requests in flight to one cluster.
CONNECTIONS = 4

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")


def at_once(work: Callable[[_Item], _Found], items: Sequence[_Item]) -> list[_Found]:
    """Do the same to several items, a few at a time; all are finished before the first error is raised."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(max_workers=CONNECTIONS) as pool:
        futures = [pool.submit(work, item) for item in items]
    return [future.result() for future in futures]


def labelled(
    client: Client,
    extension: Extension,
    places: Sequence[Place],
    *,
    whole: Collection[str] = (),
    passed_over: tuple[type[ApiError], ...] = (NotFound,),
) -> dict[ObjectKey, Mapping[str, Any]]:
    """What carries the label of extensions of that name: one request a kind and namespace. Metadata alone is read, but of kinds in `whole`."""

    def listed(place: Place) -> list[tuple[ObjectKey, Mapping[str, Any]]]:
        accept = JSON if place.kind in whole else METADATA_ONLY
        try:
            found = client.read(place.path, {"labelSelector": extension.selector}, accept=accept)
        except passed_over:
            return []
        items = [item for item in mappings(found.get("items")) if item.get("metadata")]
        return [(ObjectKey(place, str(item["metadata"].get("name"))), item) for item in items]

    return {key: item for items in at_once(listed, places) for key, item in items}


def live_objects(
    client: Client, extension: Extension, recorded: Iterable[Placed], *, whole: Collection[str] = ()
) -> dict[ObjectKey, Mapping[str, Any]]:
    """What an extension has on the cluster: one request a kind and namespace, and one for each object that is not found so.

    Metadata alone is read, but of kinds in `whole`.
    """
    placed = list(recorded)
    places = list(dict.fromkeys(item.key.collection for item in placed if not item.shared))

    found = labelled(client, extension, places, whole=whole)
    # What lost its label is no longer in the list, and what is shared never was.
    missing = [item.key for item in placed if item.uid and item.key not in found]
    looked_up = zip(missing, at_once(lambda key: client.find(key.path), missing), strict=True)
    return {**found, **{key: live for key, live in looked_up if live is not None}}


def metadata_in(live: Mapping[ObjectKey, Mapping[str, Any]]) -> dict[ObjectKey, Mapping[str, Any]]:
    """The metadata of objects."""
    return {key: item["metadata"] for key, item in live.items()}


def rehearse(client: Client, desired: Desired, extension: Extension, revision: int, *, new: bool) -> Seen:
    """What is there of an object, and what the API server would make of it. `new` objects are not expected to be there."""
    rehearsal, key = client.rehearsal(), desired.key
    place = key.collection
    if (place.group, place.version, place.plural) in client.discovery().expected:
        return Seen()
    text = str(desired.text.with_metadata(stamped(desired.manifest, extension, revision)["metadata"]))
    conflicts: tuple[Any, ...] = ()
    try:
        try:
            if new and rehearsal.apply(key.path, text, manager=extension.manager, metadata_only=True).created:
                # There is nothing to compare it with, so it need not come back whole.
                return Seen()
            written = rehearsal.apply(key.path, text, manager=extension.manager)
        except Conflict as conflict:
            conflicts = tuple(cause for cause in conflict.causes if cause.reason == "FieldManagerConflict")
            if not conflicts:
                raise
            written = rehearsal.apply(key.path, text, manager=extension.manager, force=True)
    except ApiError as error:
        return _not_taken(client, desired, error)
    if written.created:
        return Seen()
    # An object that vanished in between is about to be created.
    return Seen(live=client.find(key.path), after=written.content, conflicts=conflicts)


def _not_taken(client: Client, desired: Desired, error: ApiError) -> Seen:
    """What a refused rehearsal means."""
    key = desired.key
    if (
        key.kind in ("RoleBinding", "ClusterRoleBinding")
        and isinstance(error, (Forbidden, NotFound))
        and "not found" in error.said
    ):
        # The API server looks at the role to decide whether we may bind it, and the role is still to come.
        return Seen()
    reasons = [cause.message for cause in error.causes if _is_immutable(cause.message)]
    if error.status == 422 and reasons and len(reasons) == len(error.causes) and key.kind in RECREATED:
        return Seen(live=client.find(key.path), immutable=f"cannot be changed in place: {reasons[0]}")
    return Seen(refused=f"{error.said} ({error.status} {error.reason})")


def _is_immutable(message: str) -> bool:
    return "field is immutable" in message or "cannot change roleRef" in message


def owners_ledger_is_gone(client: Client, owner: Extension) -> bool | None:
    """Whether an extension that an object names is no longer on the cluster; None where we may not look."""
    if not owner.namespace:
        return False
    try:
        return not Ledger(client, owner).entries()
    except Forbidden:
        return None
