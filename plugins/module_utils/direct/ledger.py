# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger of an extension on a cluster: its revisions, and the right to add one.

A record is written before the first change and closed after the last. Whatever happens in between,
the next run finds in it what may be there. The newest record carries the claim of whoever is at work; a claim is
made on a certain state of that record, so of two who try at once the API server lets one through.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..errors import ClusterError, Conflict, FleetError, Forbidden
from ..nested import at, mappings
from .holder import RENEW_SECONDS, STALE_SECONDS, age, claim, is_live, now, read_claim
from .ownership import Extension
from .record import (
    HOLDER,
    LEDGER,
    NUMBER,
    PART_OF,
    SECRET_TYPE,
    STATE,
    Placed,
    Record,
    State,
    encoded,
    from_secret,
    head_data,
    labels_of,
    manifests_in,
    secret_name,
    to_secrets,
)


class Held(ClusterError):
    """Somebody else is changing the extension."""


@dataclass(frozen=True)
class Entry:
    """A Secret of the ledger as a list of metadata tells it; `number` is that of its revision."""

    name: str
    number: int
    state: str
    part: bool


class Ledger:
    """The revisions of one extension."""

    def __init__(self, client: Client, extension: Extension) -> None:
        self._client = client
        self.extension = extension
        self._path = f"/api/v1/namespaces/{extension.namespace}/secrets"
        self._secrets: dict[int, Mapping[str, Any]] = {}

    def current(self) -> tuple[Record, ...]:
        """The revisions that count, the newest first: the installed one, and attempts after it. One request."""
        return self._records(f"{STATE},{STATE}!=superseded")

    def all(self) -> tuple[Record, ...]:
        """All revisions, the newest first. One request."""
        return self._records(STATE)

    def _records(self, selector: str) -> tuple[Record, ...]:
        found = self._client.read(
            self._path,
            {"labelSelector": f"{LEDGER}={self.extension.name},{selector}", "fieldSelector": f"type={SECRET_TYPE}"},
        )
        records = [self._seen(secret) for secret in mappings(found.get("items"))]
        return tuple(sorted(records, key=lambda record: -record.number))

    def entries(self) -> tuple[Entry, ...]:
        """All Secrets of the ledger, the newest first. One request."""
        found = self._client.read(
            self._path,
            {"labelSelector": f"{LEDGER}={self.extension.name}", "fieldSelector": f"type={SECRET_TYPE}"},
            accept=METADATA_ONLY,
        )
        entries = [_entry(item) for item in mappings(found.get("items"))]
        return tuple(sorted(entries, key=lambda entry: (-entry.number, entry.part)))

    def revision(self, number: int) -> Record | None:
        """One revision, superseded or not."""
        secret = self._client.find(f"{self._path}/{secret_name(self.extension, number)}")
        return self._seen(secret) if secret is not None else None

    def manifests(self, record: Record) -> tuple[dict[str, Any], ...]:
        """What a revision put on the cluster, as it was rendered."""
        further = [self._client.read(f"{self._path}/{name}") for name in record.parts]
        return manifests_in([self._secrets[record.number], *further], self.extension)

    def take(self, newest: Record | None) -> Hold:
        """The right to change the extension; refused while somebody else is at work."""
        hold = Hold(self._client, self._path, self.extension)
        if newest is not None:
            if is_live(newest.holder):
                raise held_by(self.extension, newest.holder)
            hold.claim(newest)
        return hold

    def forget(self, entries: tuple[Entry, ...]) -> None:
        """Delete Secrets of the ledger, the oldest first, so that the newest still tells what is there when this is broken off."""
        for entry in sorted(entries, key=lambda entry: (entry.number, not entry.part)):
            self._client.delete(f"{self._path}/{entry.name}")

    def _seen(self, secret: Mapping[str, Any]) -> Record:
        record = from_secret(secret, self.extension)
        self._secrets[record.number] = secret
        return record


class Hold:
    """The right to change an extension, for as long as it is renewed."""

    def __init__(self, client: Client, path: str, extension: Extension) -> None:
        self._client = client
        self._path = path
        self._extension = extension
        self._claim = claim()
        self._renewed = time.monotonic()
        self._newest: Record | None = None
        # What this hold wrote itself since a record was read.
        self._versions: dict[int, str] = {}

    def claim(self, record: Record) -> Record:
        """Mark a record as being worked on, if it is still as it was seen."""
        return self._write(record, {"annotations": {HOLDER: json.dumps(self._claim)}}, {})

    def begin(self, record: Record) -> Record:
        """Write the record of a revision before its first change."""
        head, parts = to_secrets(record)
        for part in parts:
            try:
                self._client.create(self._path, part)
            except Conflict:
                # Named by what it holds: it was written by an attempt that got no further.
                continue
        head["metadata"]["annotations"] = {HOLDER: json.dumps(self._claim)}
        try:
            created = self._client.create(self._path, head)
        except Conflict as conflict:
            raise self._taken() from conflict
        self._versions[record.number] = str(at(created, "metadata", "resourceVersion") or "")
        self._newest = replace(record, parts=tuple(part["metadata"]["name"] for part in parts))
        return self._newest

    def reopen(self, record: Record, **changes: Any) -> Record:
        """Go on with a revision that is there already: it is pending again."""
        return self._close(replace(record, state="pending", **changes), keep_holder=True)

    def close(self, record: Record, state: State, objects: tuple[Placed, ...], outcome: str = "") -> Record:
        """The work of a revision is done, well or not."""
        return self._close(record.closed(state, objects, now(), outcome), keep_holder=False)

    def supersede(self, record: Record) -> Record:
        """A later revision took the place of this one."""
        return self._close(replace(record, state="superseded"), keep_holder=False)

    def release(self) -> None:
        """Give the right back although the work is not done, so that others need not wait."""
        if self._newest is not None:
            # Where it cannot be given back, it ends by itself; the user is told of what went wrong before.
            with suppress(FleetError):
                self._write(self._newest, {"annotations": {HOLDER: None}}, {})

    def renew(self, *, at_once: bool = False) -> None:
        """Say that we are still at work, now and then or at once; fail where somebody else took over."""
        if self._newest is None or (not at_once and time.monotonic() - self._renewed < RENEW_SECONDS):
            return
        self._claim["renewed"] = now()
        self._write(self._newest, {"annotations": {HOLDER: json.dumps(self._claim)}}, {})

    def _close(self, record: Record, *, keep_holder: bool) -> Record:
        metadata: dict[str, Any] = {"labels": labels_of(record)}
        if not keep_holder:
            metadata["annotations"] = {HOLDER: None}
        return self._write(record, metadata, head_data(record))

    def _write(self, record: Record, metadata: Mapping[str, Any], data: Mapping[str, bytes]) -> Record:
        version = self._versions.get(record.number, record.resource_version)
        content: dict[str, Any] = {"metadata": {**metadata, "resourceVersion": version}}
        if data:
            content["data"] = encoded(data)
        path = f"{self._path}/{record.secret_name}"
        try:
            answer = self._client.merge(path, content)
        except Conflict as conflict:
            # A write that got through and whose answer was lost looks like somebody else's.
            answer = self._client.read(path)
            if not _holds(answer, content):
                raise self._taken() from conflict
        self._renewed = time.monotonic()
        self._versions[record.number] = str(at(answer, "metadata", "resourceVersion") or "")
        if self._newest is None or self._newest.number <= record.number:
            self._newest = record
        return record

    def _taken(self) -> Held:
        """The error for a claim that came too late; it names the holder where that can be read."""
        found = self._client.read(
            self._path, {"labelSelector": f"{LEDGER}={self._extension.name}"}, accept=METADATA_ONLY
        )
        notes = [at(item, "metadata", "annotations") or {} for item in mappings(found.get("items"))]
        holders = [read_claim(note.get(HOLDER)) for note in notes]
        others = [holder for holder in holders if holder and holder.get("id") != self._claim["id"]]
        return held_by(self._extension, others[0] if others else None)


def held_by(extension: Extension, holder: Mapping[str, Any] | None) -> Held:
    """The error that names who is at work."""
    if holder is None:
        return Held(f"{extension} was changed by somebody else at the same moment; nothing more was done, run it again")
    silent = age(holder.get("renewed"))
    return Held(
        f"{extension} is being changed by {holder.get('who')} since {holder.get('since')} (last heard of {silent:.0f} s ago); wait "
        f"until that run ends, or until it was silent for {STALE_SECONDS} s: then this one takes over"
    )


def extensions_elsewhere(client: Client, extension: Extension) -> tuple[str, ...]:
    """Namespaces that hold an extension of the same name; none where we may not look. One request."""
    try:
        found = client.read(
            "/api/v1/secrets",
            {"labelSelector": f"{LEDGER}={extension.name}", "fieldSelector": f"type={SECRET_TYPE}"},
            accept=METADATA_ONLY,
        )
    except Forbidden:
        return ()
    namespaces = {str(at(item, "metadata", "namespace")) for item in mappings(found.get("items"))}
    return tuple(sorted(namespaces - {extension.namespace}))


def _holds(secret: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Whether a Secret is what writing `content` to it makes of it."""
    sections = (("metadata", "labels"), ("metadata", "annotations"), ("data",))
    return all(
        (at(secret, *section) or {}).get(key) == value
        for section in sections
        for key, value in (at(content, *section) or {}).items()
    )


def _entry(item: Mapping[str, Any]) -> Entry:
    labels = at(item, "metadata", "labels") or {}
    part = PART_OF in labels
    text = str(labels.get(PART_OF, "")).removeprefix("v") if part else str(labels.get(NUMBER, ""))
    return Entry(
        name=str(at(item, "metadata", "name") or ""),
        number=int(text) if text.isdecimal() else 0,
        state=str(labels.get(STATE) or ""),
        part=part,
    )
