# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fixtures: a rig of real API servers for the whole run, fresh clusters and namespaces on demand."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.tests.integration.pytest.direct_stage import Stage
from ansible_collections.fleet.olm.tests.rig.browser import Browser
from ansible_collections.fleet.olm.tests.rig.browser_program import NoBrowser, find_browser
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.faults import FaultProxy
from ansible_collections.fleet.olm.tests.rig.olm_cluster import cluster_with_olm
from ansible_collections.fleet.olm.tests.rig.reach import connection_through
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.snapshot import snapshot
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """A rig without clusters; fixtures and tests add what they need."""

    def say(text: str) -> None:
        sys.stderr.write(f"rig: {text}\n")

    with Rig(tmp_path_factory.mktemp("rig"), say) as running:
        yield running


@pytest.fixture(scope="session")
def cluster_of_all(rig: Rig) -> Cluster:
    return rig.add_cluster("shared")


@pytest.fixture(scope="session")
def full_cluster_of_all(rig: Rig) -> Cluster:
    return rig.add_cluster("full", full=True)


@pytest.fixture(scope="module")
def cluster(cluster_of_all: Cluster) -> Iterator[Cluster]:
    """An API server that tests share: those of a file leave it as they found it."""
    yield from left_as_found(cluster_of_all)


@pytest.fixture(scope="module")
def full_cluster(full_cluster_of_all: Cluster) -> Iterator[Cluster]:
    """A cluster with controllers and kwok that tests share: those of a file leave it as they found it."""
    yield from left_as_found(full_cluster_of_all)


def left_as_found(cluster: Cluster) -> Iterator[Cluster]:
    """What is left behind fails the file that left it, not one that comes later on the same cluster."""
    found = set(snapshot(cluster))
    yield cluster
    with contextlib.suppress(AssertionError):
        # CRDs and namespaces take a moment to go.
        wait_for(lambda: set(snapshot(cluster)) == found)
    assert set(snapshot(cluster)) == found


@pytest.fixture(scope="session")
def olm_cluster_of_all(rig: Rig) -> Iterator[Cluster]:
    with cluster_with_olm(rig, "olm") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def olm_cluster(olm_cluster_of_all: Cluster) -> Iterator[Cluster]:
    """A cluster with controllers and OLM v1 that tests share; its catalog image is that of the examples. Those of a file leave it as they found it."""
    yield from left_as_found(olm_cluster_of_all)


@pytest.fixture(scope="session")
def example_registry(rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a registry that has the example bundles, and catalog:v1 of them."""
    address = (rig.registries or rig.start_registries())["open"].address
    home = tmp_path_factory.mktemp("examples")
    playbook = Path(__file__).resolve().parents[3] / "examples" / "demo" / "catalog.yml"
    program = Path(sys.executable).parent / "ansible-playbook"
    made = subprocess.run(
        [str(program), str(playbook), "-e", f"registry={address}", "-e", f"catalog={home}/catalog"],
        env={**os.environ, "ANSIBLE_HOME": str(home / "ansible"), "XDG_CACHE_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return address


@pytest.fixture
def fresh_cluster(rig: Rig) -> Iterator[Cluster]:
    """An empty API server for one test."""
    name = f"fresh-{next(_numbers)}"
    yield rig.add_cluster(name)
    rig.remove_cluster(name)


@pytest.fixture
def namespace(cluster: Cluster) -> str:
    """A namespace of the shared cluster for one test."""
    name = f"test-{next(_numbers)}"
    cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    return name


@pytest.fixture
def proxy(cluster: Cluster) -> Iterator[FaultProxy]:
    """A fault proxy in front of the shared cluster."""
    with FaultProxy(cluster.url, cluster.ca_file) as running:
        yield running


@pytest.fixture
def client_through_proxy(proxy: FaultProxy, cluster: Cluster) -> Iterator[Callable[..., Client]]:
    """Makes clients that talk through the fault proxy."""
    made: list[Client] = []

    def make(**settings: object) -> Client:
        client = Client(connection_through(proxy, cluster), **settings)  # type: ignore[arg-type]
        made.append(client)
        return client

    yield make
    for client in made:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def controllers() -> Iterator[Controllers]:
    """Runs modules in processes that can be killed."""
    with Controllers() as running:
        yield running


@pytest.fixture(scope="session")
def direct_cluster(rig: Rig) -> Cluster:
    """An API server that the tests of the direct engine clear before each of them."""
    return rig.add_cluster("direct")


@pytest.fixture(scope="session")
def direct_proxy(direct_cluster: Cluster) -> Iterator[FaultProxy]:
    """The fault proxy in front of it."""
    with FaultProxy(direct_cluster.url, direct_cluster.ca_file) as running:
        yield running


@pytest.fixture
def stage(direct_cluster: Cluster, direct_proxy: FaultProxy, controllers: Controllers) -> Stage:
    """An empty cluster for one test of the direct engine."""
    empty = Stage(direct_cluster, direct_proxy, controllers)
    empty.clear()
    return empty


@pytest.fixture(scope="session")
def other_controllers() -> Iterator[Controllers]:
    with Controllers() as running:
        yield running


@pytest.fixture
def other(stage: Stage, other_controllers: Controllers) -> Stage:
    """Another controller on the same cluster, for while the first is at work."""
    return Stage(stage.cluster, stage.proxy, other_controllers)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser that tests share: each opens its own page."""

    def say(text: str) -> None:
        sys.stderr.write(f"browser: {text}\n")

    try:
        program = find_browser(say)
    except NoBrowser as error:
        pytest.skip(str(error))
    with Browser(program) as running:
        yield running
