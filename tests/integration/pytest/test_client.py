# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The client against a real API server with faults in between: what it repeats, what it never repeats, what it says."""

from __future__ import annotations

import io
import json
import re
import urllib.error
from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils import errors
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.faults import (
    Answer,
    Delay,
    Fault,
    FaultProxy,
    ResetAfter,
    ResetBefore,
    Truncate,
)
from ansible_collections.fleet.olm.tests.rig.reach import connection_through, connection_to

MakeClient = Callable[..., Client]

BUSY = Answer(429, b'{"kind":"Status","reason":"TooManyRequests","message":"slow down"}', {"Retry-After": "0"})
STARTING = Answer(503, b'{"kind":"Status","reason":"ServiceUnavailable","message":"starting"}', {"Retry-After": "0"})


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def exists(cluster: Cluster, path: str) -> bool:
    try:
        cluster.request("GET", path)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise
    return True


@pytest.mark.parametrize("fault", [BUSY, STARTING, ResetBefore(), ResetAfter(), Truncate(), Delay(0.2)], ids=repr)
def test_reading_gets_over_a_passing_fault(fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient) -> None:
    proxy.on("GET", "/version", fault)
    assert client_through_proxy().read("/version")["gitVersion"].startswith("v1.")


@pytest.mark.parametrize("fault", [BUSY, STARTING, ResetBefore(), ResetAfter(), Truncate()], ids=repr)
def test_a_large_answer_gets_into_a_file_as_a_whole(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, cluster: Cluster
) -> None:
    proxy.on("GET", "/openapi/v3", fault)
    file = io.BytesIO()
    client_through_proxy().fetch("/openapi/v3", file, 10**6)
    assert file.getvalue() == cluster.request("GET", "/openapi/v3")


def test_a_refusal_of_what_is_fetched_is_told_as_any_other(proxy: FaultProxy, client_through_proxy: MakeClient) -> None:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": "Forbidden",
        "message": "no proxying",
    }
    proxy.on("GET", "/openapi/v3", Answer(403, json.dumps(status).encode(), {"Content-Type": "application/json"}))
    with pytest.raises(errors.Forbidden, match="does not allow it: no proxying"):
        client_through_proxy().fetch("/openapi/v3", io.BytesIO(), 10**6)


def test_a_load_balancer_without_a_server_is_no_answer(proxy: FaultProxy, client_through_proxy: MakeClient) -> None:
    proxy.on("GET", "/version", Answer(503, b"<html>", {"Content-Type": "text/html"}))
    with pytest.raises(
        errors.Unreachable, match="answered 503 with an HTML page, as a load balancer does that reaches no API server"
    ):
        client_through_proxy().read("/version")


def test_an_answer_without_end_is_not_kept(client_through_proxy: MakeClient) -> None:
    with pytest.raises(errors.ClusterError, match=r"^reading /openapi/v3: .* answered with more than 100 bytes$"):
        client_through_proxy().fetch("/openapi/v3", io.BytesIO(), 100)


@pytest.mark.parametrize("fault", [BUSY, STARTING, ResetBefore(), ResetAfter(), Truncate()], ids=repr)
def test_applying_gets_over_a_passing_fault_and_changes_once(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, namespace: str
) -> None:
    proxy.on("PATCH", ".*", fault)
    path = f"/api/v1/namespaces/{namespace}/configmaps/one"
    applied = client_through_proxy().apply(path, config_map("one", key="value")).content
    assert applied["data"] == {"key": "value"}
    assert len(proxy.seen) == 2


@pytest.mark.parametrize("fault", [BUSY, STARTING, ResetBefore(), ResetAfter(), Truncate()], ids=repr)
def test_deleting_gets_over_a_passing_fault(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, cluster: Cluster, namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    cluster.request("POST", path, config_map("one"))
    proxy.on("DELETE", ".*", fault)
    client_through_proxy().delete(f"{path}/one")
    assert not exists(cluster, f"{path}/one")


@pytest.mark.parametrize("fault", [BUSY, STARTING], ids=repr)
def test_creating_is_repeated_where_the_server_did_not_act(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, namespace: str
) -> None:
    proxy.on("POST", ".*", fault)
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    assert client_through_proxy().create(path, config_map("one"))["metadata"]["name"] == "one"


@pytest.mark.parametrize("fault", [ResetBefore(), ResetAfter(), Truncate()], ids=repr)
def test_creating_is_never_repeated_where_the_server_may_have_acted(
    fault: Fault, proxy: FaultProxy, client_through_proxy: MakeClient, cluster: Cluster, namespace: str
) -> None:
    proxy.on("POST", ".*", fault)
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    generated = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "made-"}}
    with pytest.raises(errors.Unreachable, match="not tried again, because the server may have done it"):
        client_through_proxy().create(path, generated)
    assert len(proxy.seen) == 1
    made = [item for item in cluster.request("GET", path)["items"] if item["metadata"]["name"].startswith("made-")]
    assert len(made) == (0 if isinstance(fault, ResetBefore) else 1)


def test_tries_end_in_time_and_the_error_says_what_was_tried(
    proxy: FaultProxy, client_through_proxy: MakeClient
) -> None:
    proxy.on("GET", "/version", ResetBefore(), times=100)
    with pytest.raises(
        errors.Unreachable, match=r"tried \d+ times in \d\.\d s: .*closed connection.*; check the network"
    ):
        client_through_proxy(retry_seconds=1.0).read("/version")
    assert 2 <= len(proxy.seen) <= 4


def test_a_pause_longer_than_allowed_is_not_waited_for(proxy: FaultProxy, client_through_proxy: MakeClient) -> None:
    body = b'{"kind":"Status","reason":"TooManyRequests","message":"slow down"}'
    proxy.on("GET", "/version", Answer(429, body, {"Retry-After": "3600"}))
    with pytest.raises(errors.ApiError, match=r"429: slow down; tried once in \d\.\d s: 429, asked to wait 3600 s"):
        client_through_proxy().read("/version")
    assert len(proxy.seen) == 1


@pytest.mark.parametrize("status", [500, 503])
def test_a_failure_that_names_no_pause_is_told_at_once(
    status: int, proxy: FaultProxy, client_through_proxy: MakeClient
) -> None:
    proxy.on("GET", "/version", Answer(status, b'{"kind":"Status","message":"etcd is gone"}'))
    with pytest.raises(errors.ApiError, match=f"answered {status}: etcd is gone"):
        client_through_proxy().read("/version")
    assert len(proxy.seen) == 1


def test_one_connection_serves_all_requests(proxy: FaultProxy, cluster: Cluster) -> None:
    with Client(connection_through(proxy, cluster)) as client:
        for _number in range(5):
            client.read("/version")
        pool = client._transport._pool.connection_from_url(proxy.url)
        assert (pool.num_connections, client.requests, len(proxy.seen)) == (1, 5, 5)


def test_discovery_is_one_request_for_as_long_as_the_client_lives(proxy: FaultProxy, cluster: Cluster) -> None:
    with Client(connection_through(proxy, cluster)) as client:
        assert client.discovery().served("apps", "deployments")[0].kind == "Deployment"
        assert client.discovery().served("apps", "deployments")[0].namespaced
        assert client.discovery().served("apps", "nonsense") == ()
        assert client.requests == 1


def test_a_dry_run_client_changes_nothing_whatever_it_is_told(cluster: Cluster, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    cluster.request("POST", path, config_map("there", key="before"))
    with Client(connection_to(cluster), dry_run=True) as client:
        assert client.create(path, config_map("new"))["metadata"]["name"] == "new"
        assert client.apply(f"{path}/there", config_map("there", key="after"), force=True).content["data"] == {
            "key": "after"
        }
        client.delete(f"{path}/there")
    assert not exists(cluster, f"{path}/new")
    assert cluster.request("GET", f"{path}/there")["data"] == {"key": "before"}


def test_deleting_what_is_not_there_is_no_error(cluster: Cluster, namespace: str) -> None:
    with Client(connection_to(cluster)) as client:
        assert client.delete(f"/api/v1/namespaces/{namespace}/configmaps/nothing") is None


def test_an_api_that_is_not_served_has_no_objects(cluster: Cluster) -> None:
    with Client(connection_to(cluster)) as client:
        assert client.find("/apis/nothing.example.com/v1/things/one") is None
        assert client.delete("/apis/nothing.example.com/v1/things/one") is None
        with pytest.raises(errors.NotFound, match="answered 404: it serves no such API"):
            client.read("/apis/nothing.example.com/v1/things")


def test_deleting_spares_an_object_that_took_the_name_meanwhile(cluster: Cluster, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    cluster.request("POST", path, config_map("one"))
    with Client(connection_to(cluster)) as client, pytest.raises(errors.Conflict):
        client.delete(f"{path}/one", uid="00000000-0000-0000-0000-000000000000")
    assert exists(cluster, f"{path}/one")


def test_a_conflict_names_the_field_and_its_owner(cluster: Cluster, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/one"
    mine = json.loads(json.dumps(config_map("one", key="theirs")))
    cluster.request("PATCH", path + "?fieldManager=somebody", mine, "application/apply-patch+yaml")
    with Client(connection_to(cluster)) as client, pytest.raises(errors.Conflict) as caught:
        client.apply(path, config_map("one", key="ours"))
    assert re.search(r'conflict with "somebody".*\.data\.key', str(caught.value))
