# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An extension on a cluster as it is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from ..cluster.client import Client
from ..cluster.objects import ObjectKey, key_of
from ..errors import Forbidden
from ..nested import at
from .ledger import Ledger
from .ownership import Extension
from .record import Placed, Record

Reference: TypeAlias = "tuple[str, str, str, str]"


@dataclass(frozen=True)
class Situation:
    """An extension on a cluster as it is found: its ledger, and the revisions that count, the newest first."""

    client: Client
    ledger: Ledger
    records: tuple[Record, ...]
    # We may not read the ledger. An install goes on until it can tell everything else that we may not.
    unreadable: Forbidden | None = None

    def readable(self) -> None:
        """Go no further where the ledger cannot be read."""
        if self.unreadable is not None:
            raise self.unreadable

    @property
    def extension(self) -> Extension:
        return self.ledger.extension

    @property
    def newest(self) -> Record | None:
        return self.records[0] if self.records else None

    @property
    def installed(self) -> Record | None:
        """The last revision that was finished."""
        return next((record for record in self.records if record.state == "installed"), None)

    @cached_property
    def recorded(self) -> dict[ObjectKey, Placed]:
        """All objects that may be there; what the newest revision says of one counts."""
        found: dict[ObjectKey, Placed] = {}
        for record in self.records:
            for item in record.objects:
                found.setdefault(item.key, item)
        return found

    def key_for(self, manifest: Mapping[str, Any]) -> ObjectKey | None:
        """The object that a manifest is about: from the ledger where it knows it, else from what the cluster serves."""
        known = self._keys.get(reference(manifest))
        return known if known is not None else key_of(manifest, self.client.discovery())

    @cached_property
    def _keys(self) -> dict[Reference, ObjectKey]:
        return {key_reference(key): key for key in self.recorded}

    @cached_property
    def manifests(self) -> dict[Reference, list[dict[str, Any]]]:
        """The manifests that were applied, by object; there may be several after an attempt that failed."""
        found: dict[Reference, list[dict[str, Any]]] = {}
        for record in self.records:
            for manifest in self.ledger.manifests(record):
                found.setdefault(reference(manifest), []).append(manifest)
        return found

    @cached_property
    def aggregating(self) -> frozenset[ObjectKey]:
        """The ClusterRoles that gather the rules of others."""
        return frozenset(
            key
            for key in self.recorded
            if key.kind == "ClusterRole"
            and any(manifest.get("aggregationRule") for manifest in self.manifests.get(key_reference(key), ()))
        )


def look(client: Client, extension: Extension) -> Situation:
    """One request."""
    ledger = Ledger(client, extension)
    try:
        return Situation(client, ledger, ledger.current())
    except Forbidden as refused:
        return Situation(client, ledger, (), refused)


def reference(manifest: Mapping[str, Any]) -> Reference:
    """Which object a manifest is about, as far as it says itself."""
    # Bundles may ship objects without an apiVersion; that no cluster serves them is told with everything else.
    place = (manifest.get("apiVersion"), manifest.get("kind"))
    metadata = manifest.get("metadata")
    fields = (*place, at(metadata, "namespace"), at(metadata, "name"))
    api_version, kind, namespace, name = (str(field or "") for field in fields)
    return api_version, kind, namespace, name


def key_reference(key: ObjectKey) -> Reference:
    """The same for an object of the cluster."""
    return key.collection.api_version, key.kind, key.namespace, key.name
