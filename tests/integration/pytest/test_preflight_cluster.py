# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Namespaces, version and APIs of a real cluster, before an installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import key_of
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.preflight.apis import api_problems
from ansible_collections.fleet.olm.plugins.module_utils.preflight.namespaces import look_at_namespaces
from ansible_collections.fleet.olm.plugins.module_utils.preflight.versions import version_problems
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.reach import connection_to

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
MISSING_INSTALL = "the install namespace missing does not exist; create it, or set create_namespace"
MISSING_WATCHED = "the watched namespace missing does not exist; create it, or watch another"


@pytest.mark.parametrize(
    ("install", "watched", "may_create", "expected", "requests"),
    [
        pytest.param("default", [], False, [], 1, id="there"),
        pytest.param("default", [""], False, [], 1, id="all watched"),
        pytest.param("default", ["default"], False, [], 1, id="own"),
        pytest.param("missing", [], False, [MISSING_INSTALL], 1, id="missing"),
        pytest.param("missing", ["missing"], False, [MISSING_INSTALL], 1, id="missing, said once"),
        pytest.param("missing", ["missing"], True, [], 1, id="to be created"),
        pytest.param("default", ["missing"], True, [MISSING_WATCHED], 2, id="watched and missing"),
    ],
)
def test_namespaces(
    cluster: Cluster, install: str, watched: list[str], may_create: bool, expected: list[str], requests: int
) -> None:
    with Client(connection_to(cluster)) as client:
        assert look_at_namespaces(client, install, watched, may_create=may_create).problems == tuple(expected)
        assert client.requests == requests


def test_a_namespace_that_is_being_deleted(cluster: Cluster, namespace: str) -> None:
    # Nobody empties namespaces on this cluster, so it stays like that.
    cluster.request("DELETE", f"/api/v1/namespaces/{namespace}")
    with Client(connection_to(cluster)) as client:
        (problem,) = look_at_namespaces(client, namespace, [], may_create=True).problems
    assert problem.startswith(f"namespace {namespace} is being deleted since 20")
    assert problem.endswith("; wait until it is gone, or choose another")


def test_a_namespace_that_may_not_be_read_is_left_to_the_permissions(cluster: Cluster) -> None:
    with Client(connection_to(cluster, LIMITED)) as client:
        assert look_at_namespaces(client, "missing", [], may_create=False).problems == ()


@pytest.mark.parametrize(
    ("minimum", "problem", "requests"),
    [
        (None, "", 0),
        ("", "", 0),
        ("1.20.0", "", 1),
        ("9.9.9", "the bundle needs Kubernetes 9.9.9 or newer (minKubeVersion), and the cluster runs v1.", 1),
        ("new", "minKubeVersion 'new' of the bundle is no version; accepted is one such as 1.27.0", 0),
    ],
)
def test_versions(cluster: Cluster, minimum: str | None, problem: str, requests: int) -> None:
    with Client(connection_to(cluster)) as client:
        found = version_problems(client, minimum)
        assert client.requests == requests
    assert len(found) == bool(problem)
    assert "".join(found).startswith(problem)


def rendered(example: str) -> tuple[Any, tuple[dict[str, Any], ...]]:
    bundle = load_bundle(str(EXAMPLES / example), SourceOptions()).bundle
    return bundle, render(bundle, Config.parse({}, schema_of(bundle), "home"), "home", "cert-manager")


def test_apis(fresh_cluster: Cluster) -> None:
    bundle, manifests = rendered("stamper")
    with Client(connection_to(fresh_cluster)) as client:
        problems = api_problems(client.discovery(), bundle, manifests)
        assert client.requests == 1
        assert [problem.partition(",")[0] for problem in problems] == [
            "the cluster does not serve Issuer of cert-manager.io/v1",
            "the cluster does not serve Certificate of cert-manager.io/v1",
        ]
        add_crds(
            fresh_cluster,
            minimal_crd("cert-manager.io", "certificates", "Certificate", scope="Namespaced"),
            minimal_crd("cert-manager.io", "issuers", "Issuer", scope="Namespaced"),
        )
        assert api_problems(client.discovery(refresh=True), bundle, manifests) == []


def test_an_api_server_ignores_the_namespace_of_what_is_cluster_scoped(cluster: Cluster, namespace: str) -> None:
    manifest = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": f"class-{namespace}", "namespace": namespace},
        "value": 1,
    }
    bundle, _manifests = rendered("greeter")
    with Client(connection_to(cluster), dry_run=True) as client:
        assert api_problems(client.discovery(), bundle, [manifest]) == []
        key = key_of(manifest, client.discovery())
        assert key is not None
        assert client.apply(key.path, manifest).created
