# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that differ, and fields that an API server names."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.direct.differences import HIDDEN, differences, has_field

POD = {"containers": [{"name": "manager", "image": "a:1"}, {"name": "proxy", "image": "p:1"}]}

DIFFERENCES: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, Any, Any]]]] = {
    "nothing": ({"spec": {"a": 1}}, {"spec": {"a": 1}}, []),
    "a value": ({"spec": {"a": 1}}, {"spec": {"a": 2}}, [("spec.a", 1, 2)]),
    "a field that comes": ({"spec": {}}, {"spec": {"a": {"b": 1}}}, [("spec.a", None, {"b": 1})]),
    "a field that goes": ({"spec": {"a": 1}}, {"spec": {}}, [("spec.a", 1, None)]),
    "an item with a name": (
        {"spec": POD},
        {"spec": {"containers": [{"name": "proxy", "image": "p:1"}, {"name": "manager", "image": "a:2"}]}},
        [("spec.containers[manager].image", "a:1", "a:2")],
    ),
    "an item without": (
        {"args": ["a", "b"]},
        {"args": ["a", "c", "d"]},
        [("args[1]", "b", "c"), ("args[2]", None, "d")],
    ),
    "what only the server writes": (
        {"metadata": {"uid": "1", "resourceVersion": "1", "generation": 1, "managedFields": []}, "status": {"a": 1}},
        {"metadata": {"uid": "2", "resourceVersion": "2", "generation": 2, "managedFields": [1]}, "status": {"a": 2}},
        [],
    ),
    "a Secret": (
        {"kind": "Secret", "data": {"password": "b25l"}, "type": "x"},
        {"kind": "Secret", "data": {"password": "dHdv"}, "type": "y"},
        [("data.password", HIDDEN, HIDDEN), ("type", "x", "y")],
    ),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_fields_that_differ_are_named(case: str) -> None:
    before, after, expected = DIFFERENCES[case]
    assert [(change.path, change.before, change.after) for change in differences(before, after)] == expected


MANIFEST = {
    "metadata": {"labels": {"app.kubernetes.io/name": "x", "app": "y"}},
    "spec": {
        "replicas": 1,
        "template": {"spec": {"containers": [{"name": "manager", "image": "a", "ports": [{"containerPort": 443}]}]}},
        "finalizers": ["one"],
    },
}
FIELDS = {
    ".spec.replicas": True,
    ".spec.paused": False,
    ".metadata.labels.app": True,
    ".metadata.labels.app.kubernetes.io/name": True,
    ".metadata.labels.app.kubernetes.io/version": False,
    '.spec.template.spec.containers[name="manager"].image': True,
    '.spec.template.spec.containers[name="manager"].args': False,
    '.spec.template.spec.containers[name="proxy"].image': False,
    '.spec.template.spec.containers[name="manager"].ports[containerPort=443,protocol="TCP"].containerPort': True,
    '.spec.template.spec.containers[name="manager"].ports[containerPort=80,protocol="TCP"].containerPort': False,
    '.spec.finalizers[="one"]': True,
    '.spec.finalizers[="two"]': False,
    ".spec.replicas.more": False,
    "nonsense": False,
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_is_found_as_an_api_server_names_it(field: str) -> None:
    assert has_field(MANIFEST, field) is FIELDS[field]
