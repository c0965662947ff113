# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waiting until deleted objects are gone, on a real API server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils import errors
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.waiting.gone import wait_until_gone
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy, ResetAfter
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import meanwhile, wait_for

MERGE = "application/merge-patch+json"
FINALIZER = "example.com/hold"


def nothing(_text: str) -> None:
    """Progress that nobody looks at."""


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(connection_to(cluster)) as made:
        yield made


@pytest.fixture
def config_maps(namespace: str) -> Collection:
    return Collection("", "v1", "configmaps", "ConfigMap", namespace)


def add(cluster: Cluster, config_maps: Collection, name: str, *finalizers: str) -> tuple[ObjectKey, str]:
    content: dict[str, Any] = {"metadata": {"name": name, "finalizers": list(finalizers)}}
    made = cluster.request("POST", config_maps.path, content)
    return ObjectKey(config_maps, name), made["metadata"]["uid"]


def let_go(cluster: Cluster, key: ObjectKey) -> None:
    cluster.request("PATCH", key.path, {"metadata": {"finalizers": None}}, MERGE)


def test_what_is_gone_costs_one_list(client: Client, cluster: Cluster, config_maps: Collection) -> None:
    gone = [add(cluster, config_maps, name) for name in ("one", "two")]
    for key, _uid in gone:
        cluster.request("DELETE", key.path)
    wait_until_gone(client, gone, seconds=10, progress=nothing)
    assert client.requests == 1


def test_it_ends_when_the_last_one_goes(client: Client, cluster: Cluster, config_maps: Collection) -> None:
    going = [add(cluster, config_maps, name, FINALIZER) for name in ("one", "two")]
    for key, _uid in going:
        cluster.request("DELETE", key.path)

    def work() -> None:
        for key, _uid in going:
            time.sleep(0.3)
            let_go(cluster, key)

    with meanwhile(work):
        wait_until_gone(client, going, seconds=20, progress=nothing)
    assert client.requests == 2


def test_each_that_stays_is_named_with_what_holds_it(client: Client, cluster: Cluster, config_maps: Collection) -> None:
    held, forgotten, gone = (
        add(cluster, config_maps, "held", FINALIZER, "example.com/other"),
        add(cluster, config_maps, "forgotten"),
        add(cluster, config_maps, "gone"),
    )
    for key, _uid in (held, gone):
        cluster.request("DELETE", key.path)
    since = cluster.request("GET", held[0].path)["metadata"]["deletionTimestamp"]
    with pytest.raises(errors.StillThere) as caught:
        wait_until_gone(client, [held, forgotten, gone], seconds=0.5, progress=nothing)
    where = config_maps.namespace
    assert caught.value.problems == (
        f"ConfigMap {where}/held is still there, deleted since {since}, held by finalizers {FINALIZER} and example.com/other",
        f"ConfigMap {where}/forgotten is still there, which nobody deletes",
    )
    assert caught.value.objects[0] == {
        "object": f"ConfigMap {where}/held",
        "finalizers": [FINALIZER, "example.com/other"],
    }
    let_go(cluster, held[0])


def test_another_object_of_the_name_is_another_object(
    client: Client, cluster: Cluster, config_maps: Collection
) -> None:
    old = add(cluster, config_maps, "one")
    cluster.request("DELETE", old[0].path)
    add(cluster, config_maps, "one")
    wait_until_gone(client, [old], seconds=10, progress=nothing)


def test_objects_go_with_their_definition(client: Client, cluster: Cluster) -> None:
    add_crds(cluster, minimal_crd("going.example.com", "leavers", "Leaver"))
    leavers = Collection("going.example.com", "v1", "leavers", "Leaver")
    content = {"apiVersion": "going.example.com/v1", "kind": "Leaver", "metadata": {"name": "one"}}
    made = cluster.request("POST", leavers.path, content)
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    with meanwhile(lambda: cluster.request("DELETE", f"{definitions}/leavers.going.example.com")):
        wait_until_gone(client, [(ObjectKey(leavers, "one"), made["metadata"]["uid"])], seconds=20, progress=nothing)


def test_objects_of_an_api_that_is_not_served_are_gone(client: Client) -> None:
    things = Collection("nothing.example.com", "v1", "things", "Thing")
    wait_until_gone(client, [(ObjectKey(things, "one"), "")], seconds=10, progress=nothing)
    assert client.requests == 1


def test_a_namespace_tells_what_is_left_in_it(full_cluster: Cluster) -> None:
    made = full_cluster.request("POST", "/api/v1/namespaces", {"metadata": {"generateName": "going-"}})
    name = made["metadata"]["name"]
    held, _uid = add(full_cluster, Collection("", "v1", "configmaps", "ConfigMap", name), "held", FINALIZER)
    key = ObjectKey(Collection("", "v1", "namespaces", "Namespace"), name)
    full_cluster.request("DELETE", key.path)

    def told() -> str:
        with Client(connection_to(full_cluster)) as client, pytest.raises(errors.StillThere) as caught:
            wait_until_gone(client, [(key, made["metadata"]["uid"])], seconds=0, progress=nothing)
        return str(caught.value)

    wait_for(lambda: "Some content in the namespace has finalizers remaining: example.com/hold in 1" in told())
    let_go(full_cluster, held)


def test_a_broken_watch_does_not_break_the_wait(
    proxy: FaultProxy, client_through_proxy: Callable[..., Client], cluster: Cluster, config_maps: Collection
) -> None:
    going = add(cluster, config_maps, "one", FINALIZER)
    cluster.request("DELETE", going[0].path)
    proxy.on("GET", r".*watch=1.*", ResetAfter())

    def work() -> None:
        wait_for(lambda: any("watch=1" in request.path for request in proxy.seen))
        let_go(cluster, going[0])

    with meanwhile(work):
        wait_until_gone(client_through_proxy(), [going], seconds=20, progress=nothing)
