# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Aggregated discovery, as servers send it and as they should not."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.discovery import Resource, parse_discovery
from ansible_collections.fleet.olm.plugins.module_utils.errors import NotKubernetes


def document(*items: Any) -> dict[str, Any]:
    return {"kind": "APIGroupDiscoveryList", "items": list(items)}


WIDGETS = {
    "metadata": {"name": "example.com"},
    "versions": [
        {
            "version": version,
            "resources": [
                {
                    "resource": "widgets",
                    "responseKind": {"kind": "Widget"},
                    "scope": "Namespaced",
                    "verbs": ["get", "list"],
                }
            ],
        }
        for version in ("v1", "v1beta1")
    ],
}


def test_a_resource_in_all_its_versions() -> None:
    found = parse_discovery(document(WIDGETS), "here")
    assert found.served("example.com", "widgets") == (
        Resource("example.com", "v1", "widgets", "Widget", True, ("get", "list")),
        Resource("example.com", "v1beta1", "widgets", "Widget", True, ("get", "list")),
    )
    assert found.served("example.com", "gadgets") == ()
    assert len(found.in_group("example.com")) == 2


@pytest.mark.parametrize(
    "items",
    [
        [None, "text", 5],
        [{"metadata": None, "versions": None}],
        [{"metadata": {"name": 1}, "versions": [{"resources": [{}, None, {"resource": "x", "verbs": 3}]}]}],
        [{"versions": [{"version": None, "resources": [{"resource": "x", "responseKind": "Kind"}]}]}],
    ],
)
def test_parts_of_any_shape_are_left_out(items: list[Any]) -> None:
    assert parse_discovery(document(*items), "here").served("example.com", "widgets") == ()


def test_a_server_without_aggregated_discovery_is_too_old() -> None:
    with pytest.raises(NotKubernetes, match=r"cluster edge does not offer aggregated discovery; .* 1.27 or newer"):
        parse_discovery({"kind": "APIGroupList", "groups": []}, "edge")


def test_another_document_is_no_discovery() -> None:
    with pytest.raises(NotKubernetes, match="edge does not list its APIs as a Kubernetes API server does"):
        parse_discovery({"kind": "Pod"}, "edge")
