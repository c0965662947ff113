# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Marking objects as one engine's or the other's. Labels and annotations change no generation and restart no pod."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..direct.differences import FieldChange
from ..direct.observe import at_once
from ..direct.order import DEFINITIONS, DEPLOYMENT
from ..direct.ownership import EXTENSION, NAMESPACE, REVISION
from ..errors import Conflict
from ..nested import at, mappings
from .api import EXTENSIONS, OWNER_KIND, OWNER_NAME, RELEASE_NAME, RELEASE_NAMESPACE

_MANAGED_BY, _HELM = "app.kubernetes.io/managed-by", "Helm"
_TRIES = 5

# The field managers that operator-controller applies with, in one release or another.
OLM_MANAGERS = ("helm", "operator-controller", "olm.operatorframework.io")

Sections = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Identity:
    """What must not change when an object changes hands. An API server counts annotations of a Deployment as a generation, too, so that
    `generation` is compared only while nobody puts marks on it."""

    uid: str
    spec: Any
    generation: int | None = None


def olm_marks(name: str, namespace: str) -> Sections:
    """What makes operator-controller take an object for its own."""
    labels = {_MANAGED_BY: _HELM, OWNER_KIND: EXTENSIONS.kind, OWNER_NAME: name}
    return {"labels": labels, "annotations": {RELEASE_NAME: name, RELEASE_NAMESPACE: namespace}}


def direct_marks() -> Sections:
    """What bundle_install marks objects with, for taking it off."""
    return {"labels": {EXTENSION: None}, "annotations": {NAMESPACE: None, REVISION: None}}


def without(marks: Sections) -> Sections:
    """The patch that takes marks off."""
    return {section: dict.fromkeys(values) for section, values in marks.items()}


def put_marks(
    client: Client, keys: Iterable[ObjectKey], marks: Sections, before: dict[ObjectKey, Sections] | None = None
) -> None:
    """Mark objects; `before` gets what stood there, to be put back, of those also that were reached where others failed.

    On what is marked so already a run was broken off, and nobody knows what stood there: nothing, mostly.
    """

    def mark(key: ObjectKey) -> None:
        found = client.find(key.path)
        if found is None:
            return
        present = _present(found, marks)
        if before is not None:
            before[key] = without(marks) if present == marks else present
        if present != marks:
            client.merge(key.path, {"metadata": dict(marks)})

    at_once(mark, list(keys))


def put_back(client: Client, before: Mapping[ObjectKey, Sections]) -> None:
    """As it was before `put_marks`."""

    def back(key: ObjectKey) -> None:
        found = client.find(key.path)
        if found is not None and _present(found, before[key]) != before[key]:
            client.merge(key.path, {"metadata": dict(before[key])})

    at_once(back, list(before))


def _present(item: Mapping[str, Any], marks: Sections) -> Sections:
    """What an object has of marks."""
    return {
        section: {name: (at(item, "metadata", section) or {}).get(name) for name in values}
        for section, values in marks.items()
    }


def is_mark(change: FieldChange) -> bool:
    """Whether a field differs only because OLM v1 wrote its own into a label that bundles use, too."""
    return change.path == f"metadata.labels.{_MANAGED_BY}" and change.before == _HELM


def hand_off(client: Client, keys: Iterable[ObjectKey], marks: Sections, managers: Collection[str]) -> None:
    """Take marks off objects, and field managers off the API server's notes: what they set stays, and belongs to whoever sets it next."""

    def hand(key: ObjectKey) -> None:
        for last in (*[False] * _TRIES, True):
            found = client.find(key.path)
            if found is None:
                return
            fields = [
                entry
                for entry in mappings(at(found, "metadata", "managedFields"))
                if entry.get("manager") not in managers
            ]
            version = at(found, "metadata", "resourceVersion")
            # An empty list would mean that it is to be left as it is.
            notes = {"managedFields": fields} if fields else {}
            try:
                client.merge(key.path, {"metadata": {**marks, **notes, "resourceVersion": version}})
                return
            except Conflict:
                if last:
                    raise

    at_once(hand, list(keys))


def identities(client: Client, keys: Iterable[ObjectKey], *, generations: bool = False) -> dict[ObjectKey, Identity]:
    """Of every Deployment and CRD among objects what must stay."""
    watched = [key for key in keys if key.kind in (DEPLOYMENT, DEFINITIONS)]
    found = zip(watched, at_once(lambda key: client.find(key.path), watched), strict=True)
    return {
        key: Identity(
            str(at(item, "metadata", "uid")),
            item.get("spec"),
            at(item, "metadata", "generation") if generations else None,
        )
        for key, item in found
        if item is not None
    }


def not_the_same(before: Mapping[ObjectKey, Identity], after: Mapping[ObjectKey, Identity]) -> list[str]:
    """What became of those that did not stay as they were."""
    return [
        f"{key} was {'made anew' if key in after and after[key].uid != identity.uid else 'changed' if key in after else 'deleted'} "
        "when it was handed over"
        for key, identity in before.items()
        if after.get(key) != identity
    ]
