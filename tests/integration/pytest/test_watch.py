# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watching a collection of a real API server: what comes, what it costs, and what faults it gets over."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils import errors
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.faults import (
    Answer,
    Fault,
    FaultProxy,
    ResetAfter,
    ResetBefore,
    Truncate,
)
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import meanwhile, wait_for

MakeClient = Callable[..., Client]

BUSY = Answer(429, b'{"kind":"Status","reason":"TooManyRequests","message":"slow down"}', {"Retry-After": "0"})
STARTING = Answer(503, b'{"kind":"Status","reason":"ServiceUnavailable","message":"starting"}', {"Retry-After": "0"})
EXPIRED = Answer(410, b'{"kind":"Status","reason":"Expired","message":"too old resource version","code":410}')
EXPIRED_MEANWHILE = Answer(
    200, b'{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n'
)


def config_map(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}}


@pytest.fixture
def collection(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def names_until(events: Generator[dict[str, Any], None, None], last: str) -> list[tuple[str, str]]:
    """Type and name of what comes, until an object of that name; a list shows as its items."""
    seen: list[tuple[str, str]] = []
    with closing(events):
        for event in events:
            listed = event["type"] == "LISTED"
            for item in event["object"]["items"] if listed else [event["object"]]:
                seen.append((event["type"], item["metadata"].get("name", "")))
                if seen[-1][1] == last:
                    return seen
    return seen


def test_changes_come_as_they_happen_and_cost_one_request(cluster: Cluster, collection: str) -> None:
    with Client(connection_to(cluster)) as client:
        version = client.read(collection)["metadata"]["resourceVersion"]
        requests, received = client.requests, client.bytes_received

        def work() -> None:
            cluster.request("POST", collection, config_map("other", app="other"))
            cluster.request("POST", collection, config_map("one", app="mine"))
            cluster.request("DELETE", f"{collection}/one")
            cluster.request("POST", collection, config_map("two", app="mine"))

        with meanwhile(work):
            query = {"resourceVersion": version, "labelSelector": "app=mine"}
            seen = names_until(client.watch(collection, query=query, seconds=10), "two")
        assert seen == [("ADDED", "one"), ("DELETED", "one"), ("ADDED", "two")]
        assert client.requests - requests == 1
        assert client.bytes_received > received


def test_it_ends_in_time_where_nothing_happens(cluster: Cluster, collection: str) -> None:
    with Client(connection_to(cluster)) as client:
        version = client.read(collection)["metadata"]["resourceVersion"]
        start = time.monotonic()
        kinds = {event["type"] for event in client.watch(collection, query={"resourceVersion": version}, seconds=1)}
        assert kinds <= {"BOOKMARK"}
        assert 0.9 <= time.monotonic() - start <= 9
        assert client.requests == 2


def test_other_requests_are_answered_while_a_watch_is_open(cluster: Cluster, collection: str) -> None:
    cluster.request("POST", collection, config_map("one"))
    with Client(connection_to(cluster)) as client, closing(client.watch(collection, seconds=10)) as events:
        assert next(events)["type"] == "LISTED"
        cluster.request("POST", collection, config_map("two"))
        assert next(events)["type"] == "ADDED"
        assert client.read("/version")["gitVersion"]


def test_only_metadata_comes_where_only_that_is_asked_for(cluster: Cluster, collection: str) -> None:
    cluster.request("POST", collection, {**config_map("one"), "data": {"key": "value"}})
    with (
        Client(connection_to(cluster)) as client,
        closing(client.watch(collection, seconds=10, metadata_only=True)) as events,
    ):
        assert "data" not in next(events)["object"]["items"][0]
        cluster.request("POST", collection, {**config_map("two"), "data": {"key": "value"}})
        assert next(events)["object"]["kind"] == "PartialObjectMetadata"


@pytest.mark.parametrize("fault", [BUSY, STARTING, ResetBefore(), ResetAfter(), Truncate()], ids=repr)
def test_a_watch_that_breaks_is_taken_up_where_it_broke(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, cluster: Cluster, collection: str
) -> None:
    client = client_through_proxy()
    version = client.read(collection)["metadata"]["resourceVersion"]
    proxy.on("GET", r".*watch=1.*", fault)
    with meanwhile(lambda: cluster.request("POST", collection, config_map("one"))):
        seen = names_until(client.watch(collection, query={"resourceVersion": version}, seconds=10), "one")
    assert seen == [("ADDED", "one")]
    assert client.requests == 3


@pytest.mark.parametrize("fault", [EXPIRED, EXPIRED_MEANWHILE], ids=["at once", "in the middle"])
def test_what_the_server_no_longer_knows_is_listed(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, cluster: Cluster, collection: str
) -> None:
    cluster.request("POST", collection, config_map("one"))
    proxy.on("GET", r".*watch=1.*", fault)
    client = client_through_proxy()

    def work() -> None:
        wait_for(lambda: sum("watch=1" in request.path for request in proxy.seen) == 2)
        cluster.request("POST", collection, config_map("two"))

    with meanwhile(work):
        seen = names_until(client.watch(collection, query={"resourceVersion": "1"}, seconds=10), "two")
    assert [item for item in seen if item[1] != "kube-root-ca.crt"] == [("LISTED", "one"), ("ADDED", "two")]


def test_what_lasts_to_the_end_is_told(proxy: FaultProxy, client_through_proxy: MakeClient, collection: str) -> None:
    proxy.on("GET", r".*watch=1.*", ResetBefore(), times=100)
    client = client_through_proxy()
    with pytest.raises(errors.Unreachable, match=f"watching {collection}: lost the connection to cluster"):
        list(client.watch(collection, query={"resourceVersion": "1"}, seconds=1))
    assert 2 <= client.requests <= 5


def test_a_refusal_is_told_at_once(cluster: Cluster, collection: str) -> None:
    with Client(connection_to(cluster, "limited")) as client, pytest.raises(errors.Forbidden, match="watching /api/v1"):
        list(client.watch(collection, query={"resourceVersion": "1"}, seconds=10))
