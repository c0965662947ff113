# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects of one collection as last seen, kept up by one watch at a time."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from ..cluster.client import JSON, METADATA_ONLY, Client
from ..cluster.objects import Collection
from ..cluster.watch import LISTED
from ..errors import ApiError, Forbidden, NotFound, Unreachable
from ..nested import at, mappings

# A collection that is not served, or that one may not watch, is looked at again after this many seconds.
PAUSE = 1.0

# What a server says in passing while it starts, ends or is busy.
PASSING = (429, 500, 502, 503, 504)


class View:
    """What was seen of a collection: `objects` by name. It is empty until `look`."""

    def __init__(
        self, client: Client, collection: Collection, query: Mapping[str, str], *, metadata_only: bool = False
    ) -> None:
        self._client = client
        self._collection = collection
        self._query = {name: value for name, value in query.items() if value}
        self._metadata_only = metadata_only
        self._version = ""
        self._may_watch = True
        self.objects: dict[str, dict[str, Any]] = {}

    def look(self) -> None:
        """List the collection: one request. What is not served has no objects."""
        accept = METADATA_ONLY if self._metadata_only else JSON
        try:
            self._take(self._client.read(self._collection.path, self._query, accept=accept))
        except NotFound:
            self._take({})

    def follow(self, seconds: float) -> Generator[None, None, None]:
        """Keep up with the collection, and yield after each change. One request, and more only where it breaks. That
        nobody answers for a while is no error: whoever waits has the patience, and looks in the end. Who may list but not
        watch looks again and again."""
        if not self._version or not self._may_watch:
            time.sleep(min(PAUSE, seconds))
            self.look()
            yield
            return
        query = {**self._query, "resourceVersion": self._version}
        events = self._client.watch(
            self._collection.path, query=query, seconds=seconds, metadata_only=self._metadata_only
        )
        try:
            with closing(events):
                for event in events:
                    if self._note(event["type"], event["object"]):
                        yield
        except NotFound:
            self._take({})
            yield
        except Forbidden:
            self._may_watch = False
            self.look()
            yield
        except Unreachable:
            return
        except ApiError as error:
            if error.status not in PASSING:
                raise
            # A watch that is refused takes no time; without a pause it would be asked for without end.
            time.sleep(min(PAUSE, seconds))

    def _note(self, kind: str, content: dict[str, Any]) -> bool:
        """Take in an event; whether it was a change."""
        if kind == LISTED:
            self._take(content)
            return True
        self._version = str(at(content, "metadata", "resourceVersion") or self._version)
        name = str(at(content, "metadata", "name") or "")
        if kind in ("ADDED", "MODIFIED"):
            self.objects[name] = self._named(content)
        elif kind == "DELETED":
            self.objects.pop(name, None)
        else:
            return False
        return True

    def _take(self, listed: Mapping[str, Any]) -> None:
        self._version = str(at(listed, "metadata", "resourceVersion") or "")
        items = mappings(listed.get("items"))
        self.objects = {str(at(item, "metadata", "name") or ""): self._named(item) for item in items}

    def _named(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """With its kind, which the items of a list do without."""
        return {**item, "apiVersion": self._collection.api_version, "kind": self._collection.kind}
