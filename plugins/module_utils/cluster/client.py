# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client of one API server: typed verbs, safe retries, enforced dry run.

Everything that fleet.olm asks of a cluster goes through here. A client made with
`dry_run=True` cannot change anything, whatever its caller does: every write it sends
carries `dryRun=All`.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, Literal
from urllib.parse import urlencode

from ..errors import ClusterError, NotFound, Unreachable
from ..nested import at, mappings
from .authentication import open_access
from .connection import Connection
from .discovery import AGGREGATED, Discovery, Resource, parse_discovery
from .transport import READ_TIMEOUT, Answer, ConnectionLost, Transport, decoded, json_object, refusal
from .watch import watch_collection

JsonObject = dict[str, Any]
Propagation = Literal["Background", "Foreground", "Orphan"]

FIELD_MANAGER = "fleet.olm"
JSON = "application/json"
METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
METADATA_OF_ONE = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

# All tries of one call end within this time; a server that asks for a longer pause gets no further try.
RETRY_SECONDS = 30.0
_FIRST_PAUSE = 0.2
PAGE = 500


@dataclass(frozen=True)
class Written:
    """What the API server answered to a write; `created` where the object was not there before."""

    content: JsonObject
    created: bool


class Client:
    """One cluster. Use it in a `with` statement, so that its connection is closed."""

    def __init__(
        self,
        connection: Connection,
        *,
        dry_run: bool = False,
        connections: int = 1,
        retry_seconds: float = RETRY_SECONDS,
        timeout: float | None = None,
    ) -> None:
        self._access = open_access(connection)
        self._transport = Transport(self._access, connections, timeout)
        self._retry_seconds = retry_seconds
        self._discovery: Discovery | None = None
        self._expected: tuple[Resource, ...] = ()
        self._warnings: dict[str, None] = {}
        self.dry_run = dry_run

    def rehearsal(self) -> Client:
        """The same connection, but nothing that is sent through this one changes anything."""
        twin = copy.copy(self)
        twin.dry_run = True
        return twin

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()

    @property
    def host(self) -> str:
        """Address of the API server."""
        return self._access.host

    @property
    def name(self) -> str:
        """Cluster and address, for messages."""
        return str(self._access)

    @property
    def requests(self) -> int:
        """HTTP requests sent so far, every try counted."""
        return self._transport.requests

    @property
    def bytes_sent(self) -> int:
        """Bytes in the bodies of those requests."""
        return self._transport.bytes_sent

    @property
    def bytes_received(self) -> int:
        """Bytes in the bodies of the answers."""
        return self._transport.bytes_received

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the API server warned of so far, each once."""
        return tuple(self._warnings)

    def read(self, path: str, query: Mapping[str, Any] | None = None, *, accept: str = JSON) -> JsonObject:
        """GET: an object, a list or a document."""
        return self._call("GET", path, query, doing=f"reading {path}", accept=accept).content

    def fetch(self, path: str, file: BinaryIO, most: int) -> None:
        """GET of something that is no JSON object, as what a Service serves behind the API server's proxy, into a file of at most so many bytes."""
        headers = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": FIELD_MANAGER}
        doing = f"reading {path}"
        tries = Tries(self._retry_seconds)
        while True:
            file.seek(0)
            file.truncate()
            try:
                with self._transport.stream(path, headers, READ_TIMEOUT) as stream:
                    answer = stream.answer
                    for piece in stream.pieces:
                        if file.tell() + len(piece) > most:
                            raise ClusterError(f"{doing}: {self.name} answered with more than {most} bytes")
                        file.write(piece)
            except ConnectionLost as lost:
                if not tries.again(str(lost), pause=None, allowed=True):
                    raise Unreachable(self._lost(doing, tries, repeatable=True)) from lost
                continue
            if answer.asks_to_wait and tries.again(_status_words(answer), pause=answer.retry_after, allowed=True):
                continue
            if answer.status != 200:
                raise refusal(answer, json_object(answer.body), self._access, doing)
            return

    def find(self, path: str) -> JsonObject | None:
        """GET of an object; None where there is none."""
        try:
            return self.read(path)
        except NotFound:
            return None

    def each(self, path: str, query: Mapping[str, Any] | None = None, *, accept: str = JSON) -> Iterator[JsonObject]:
        """The items of a list, however long it is: a page at a time is in memory."""
        for page, _is_last in self.pages(path, query, accept=accept):
            yield from page

    def pages(
        self, path: str, query: Mapping[str, Any] | None = None, *, accept: str = JSON
    ) -> Iterator[tuple[list[JsonObject], bool]]:
        """The same page by page, each with whether it is the last: one request for each PAGE items."""
        position: dict[str, Any] = {}
        while True:
            answer = self.read(path, {**(query or {}), "limit": PAGE, **position}, accept=accept)
            token = at(answer, "metadata", "continue")
            yield [dict(item) for item in mappings(answer.get("items"))], not token
            if not token:
                return
            position = {"continue": token}

    def watch(
        self,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        seconds: float,
        metadata_only: bool = False,
    ) -> Generator[JsonObject, None, None]:
        """The changes of a collection for some seconds, as the events `{type, object}` of the API server, bookmarks too.

        It begins after the `resourceVersion` in the query. Without one, and where the server no longer knows what
        changed since, the collection is listed and comes as one event of type LISTED that stands for all before it.
        Broken connections and requests to wait are got over in the time; what lasted to its end is raised.
        Close what is not read to the end (`contextlib.closing`): it holds a connection.
        """
        selection = {name: value for name, value in (query or {}).items() if name != "resourceVersion"}
        headers = {"Accept": METADATA_OF_ONE if metadata_only else JSON, "User-Agent": FIELD_MANAGER}
        return watch_collection(
            self._access,
            lambda more, silence: self._transport.stream(
                f"{path}?{urlencode({**selection, **more})}", headers, silence
            ),
            lambda: self.read(path, selection, accept=METADATA_ONLY if metadata_only else JSON),
            doing=f"watching {path}",
            version=str((query or {}).get("resourceVersion") or ""),
            seconds=seconds,
        )

    def discovery(self, *, refresh: bool = False) -> Discovery:
        """What the cluster serves: one request the first time, none after that."""
        if self._discovery is None or refresh:
            served = parse_discovery(self.read("/apis", accept=AGGREGATED), self.name)
            self._discovery = served.expecting(self._expected)
        return self._discovery

    def expect(self, resources: Iterable[Resource]) -> None:
        """Take it from now on that these are served: something that is only rehearsed would see to it."""
        self._expected = (*self._expected, *resources)
        self.forget_discovery()

    def forget_discovery(self) -> None:
        """What is served may have changed; whoever wants to know asks again."""
        self._discovery = None

    def ask(self, path: str, question: JsonObject) -> JsonObject:
        """POST of a review: the server answers and stores nothing, so it is safe to repeat and the same in a dry run."""
        return self._call("POST", path, None, doing=f"asking {path}", body=question).content

    def create(self, path: str, content: JsonObject) -> JsonObject:
        """POST of a new object. Never sent twice when the first may have arrived."""
        query = self._written({"fieldManager": FIELD_MANAGER})
        return self._call("POST", path, query, doing=f"creating in {path}", body=content, repeatable=False).content

    def apply(
        self,
        path: str,
        content: JsonObject | str,
        *,
        manager: str = FIELD_MANAGER,
        force: bool = False,
        metadata_only: bool = False,
    ) -> Written:
        """Server-side apply as a field manager of an object, or of its JSON. With `metadata_only` that is all that is answered of the object."""
        # Apply refuses unknown fields by itself. Validation would only have the server parse everything a second time to
        # find fields that are given twice, which no JSON of ours has.
        options = {"fieldManager": manager, "force": "true" if force else "false", "fieldValidation": "Ignore"}
        return self._call(
            "PATCH",
            path,
            self._written(options),
            doing=f"applying {path}",
            body=content,
            accept=METADATA_OF_ONE if metadata_only else JSON,
            content_type="application/apply-patch+yaml",
        )

    def merge(self, path: str, content: JsonObject) -> JsonObject:
        """JSON merge patch. With `metadata.resourceVersion` in it, only that very state of the object is changed."""
        query = self._written({"fieldManager": FIELD_MANAGER})
        return self._call(
            "PATCH", path, query, doing=f"changing {path}", body=content, content_type="application/merge-patch+json"
        ).content

    def delete(
        self, path: str, *, propagation: Propagation = "Background", uid: str | None = None
    ) -> JsonObject | None:
        """DELETE; None where it was gone already. With `uid` only that very object is deleted."""
        options: JsonObject = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if self.dry_run:
            # Where a delete has a body, the API server takes its options from there and ignores those of the query.
            options["dryRun"] = ["All"]
        try:
            return self._call("DELETE", path, self._written({}), doing=f"deleting {path}", body=options).content
        except NotFound:
            return None

    def _written(self, query: Mapping[str, str]) -> dict[str, str]:
        """The query of a write: the place where it becomes a dry run."""
        return {**query, **({"dryRun": "All"} if self.dry_run else {})}

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        *,
        doing: str,
        body: JsonObject | str | None = None,
        accept: str = JSON,
        content_type: str = JSON,
        repeatable: bool = True,
    ) -> Written:
        headers = {"Accept": accept, "Accept-Encoding": "gzip", "User-Agent": FIELD_MANAGER}
        payload = None
        if body is not None:
            headers["Content-Type"] = content_type
            payload = (body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))).encode()
        url = path + ("?" + urlencode(query) if query else "")
        tries = Tries(self._retry_seconds)
        while True:
            try:
                answer = self._transport.send(method, url, headers, payload)
            except ConnectionLost as lost:
                if not tries.again(str(lost), pause=None, allowed=repeatable):
                    raise Unreachable(self._lost(doing, tries, repeatable)) from lost
                continue
            if answer.asks_to_wait and tries.again(_status_words(answer), pause=answer.retry_after, allowed=True):
                continue
            self._warnings.update(dict.fromkeys(answer.warnings))
            try:
                return Written(decoded(answer, self._access, doing), created=answer.status == 201)
            except ClusterError as error:
                if tries.problems:
                    error.args = (f"{error}; {tries}",)
                raise

    def _lost(self, doing: str, tries: Tries, repeatable: bool) -> str:
        if repeatable:
            return f"{doing}: lost the connection to cluster {self._access} each time; {tries}; check the network"
        return (
            f"{doing}: lost the connection to cluster {self._access}: {tries.problems[-1]}; not tried again, because the "
            "server may have done it; look before you repeat it"
        )


class Tries:
    """The tries of one call: whether one more fits, and what they met."""

    def __init__(self, seconds: float) -> None:
        self._start = time.monotonic()
        self._seconds = seconds
        self.problems: list[str] = []

    @property
    def count(self) -> int:
        return len(self.problems)

    def again(self, problem: str, *, pause: float | None, allowed: bool) -> bool:
        """Note a failed try; if another may follow in time, wait for it and say so."""
        self.problems.append(problem)
        if pause is None:
            pause = _FIRST_PAUSE * 2 ** (len(self.problems) - 1)
        if not allowed or time.monotonic() - self._start + pause > self._seconds:
            return False
        time.sleep(pause)
        return True

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count} times"
        return f"tried {times} in {time.monotonic() - self._start:.1f} s: {', then '.join(self.problems[-3:])}"


def _status_words(answer: Answer) -> str:
    return f"{answer.status}, asked to wait {answer.retry_after:g} s"
