# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data is read as the Go types of Kubernetes read it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.snapshot import KUBERNETES_VERSION
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.types import (
    Types,
    kubernetes_notation,
    kubernetes_types,
)
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.values import WrongType, plain

POD: dict[str, Any] = {"containers": []}


@pytest.mark.parametrize(
    ("kind", "given", "then"),
    [
        pytest.param("EnvVar", {"name": "A", "valeu": 1}, {"name": "A"}, id="unknown fields are dropped"),
        pytest.param("EnvVar", {"Name": "A"}, {}, id="fields are found by their exact name"),
        pytest.param("EnvVar", {"name": "A", "value": None}, {"name": "A"}, id="null is absent"),
        pytest.param(
            "Container",
            {"name": "c", "args": [], "command": [None]},
            {"name": "c", "command": [""]},
            id="empty lists, null items",
        ),
        pytest.param("PodSpec", {**POD, "nodeSelector": {}}, POD, id="empty maps are left out"),
        pytest.param(
            "PodSpec",
            {**POD, "nodeSelector": {"a": None}},
            {**POD, "nodeSelector": {"a": ""}},
            id="null in a map of text",
        ),
        pytest.param("Volume", {"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}, id="empty structs stay"),
        pytest.param(
            "Probe", {"initialDelaySeconds": 0, "periodSeconds": 5}, {"periodSeconds": 5}, id="zero that Go leaves out"
        ),
        pytest.param("DeploymentSpec", {"replicas": 0}, {"replicas": 0}, id="zero behind a pointer stays"),
        pytest.param(
            "ContainerPort", {"name": "x"}, {"name": "x", "containerPort": 0}, id="zero that Go always writes"
        ),
        pytest.param(
            "Container", {"ports": [None]}, {"ports": [{"containerPort": 0}]}, id="null is a struct with its zeros"
        ),
        pytest.param("HTTPGetAction", {"path": "/"}, {"path": "/", "port": 0}, id="zero port"),
        pytest.param("HTTPGetAction", {"port": "https"}, {"port": "https"}, id="text as port"),
        pytest.param("HTTPGetAction", {"port": 8080.0}, {"port": 8080}, id="whole float as port"),
        pytest.param("ContainerPort", {"containerPort": 2**32 + 80}, {"containerPort": 80}, id="32 bits wrap around"),
        pytest.param("ResourceFieldSelector", {"resource": "r"}, {"resource": "r", "divisor": "0"}, id="divisor"),
        pytest.param(
            "ResourceRequirements",
            {"limits": {"cpu": 1, "memory": "1024Mi"}},
            {"limits": {"cpu": "1", "memory": "1Gi"}},
            id="quantities",
        ),
        pytest.param(
            "ObjectMeta",
            {"creationTimestamp": "2026-01-31T14:00:00.5+02:00"},
            {"creationTimestamp": "2026-01-31T12:00:00Z"},
            id="times",
        ),
        pytest.param("WebhookClientConfig", {"caBundle": "aGk=\n"}, {"caBundle": "aGk="}, id="bytes"),
        pytest.param(
            "JSONSchemaProps",
            {"maximum": 9223372036854775807},
            {"maximum": 9223372036854776000},
            id="floats as Go writes them",
        ),
        pytest.param(
            "JSONSchemaProps", {"maximum": 1.5, "minimum": 1e21}, {"maximum": 1.5, "minimum": 1e21}, id="floats"
        ),
        pytest.param(
            "JSONSchemaProps", {"additionalProperties": True}, {"additionalProperties": True}, id="schema or true"
        ),
        pytest.param(
            "JSONSchemaProps",
            {"additionalProperties": {"type": "x", "y": 1}},
            {"additionalProperties": {"type": "x"}},
            id="schema or schema",
        ),
        pytest.param(
            "JSONSchemaProps", {"items": [{"type": "x"}, {"y": 1}]}, {"items": [{"type": "x"}, {}]}, id="items list"
        ),
        pytest.param("JSONSchemaProps", {"items": "x"}, {}, id="items of another type are nothing"),
        pytest.param("JSONSchemaProps", {"dependencies": {"a": ["b"]}}, {"dependencies": {"a": ["b"]}}, id="names"),
        pytest.param(
            "JSONSchemaProps",
            {"default": {"x": [1.0, None]}},
            {"default": {"x": [1, None]}},
            id="defaults hold anything",
        ),
        pytest.param("JSONSchemaProps", {"enum": ["a", None, 1]}, {"enum": ["a", None, 1]}, id="enum"),
        pytest.param("JSONSchemaProps", {"properties": {"a": None}}, {"properties": {"a": {}}}, id="null schema"),
    ],
)
def test_decoding(kind: str, given: Any, then: Any) -> None:
    assert kubernetes_types().decoder(kind)(given) == then


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("EnvVar", {"name": 1}, "field 'name' must be text but is 1"),
        ("Container", {"env": [{"name": "A"}, {"value": True}]}, "field 'env[1].value' must be text but is true"),
        ("Container", {"env": {}}, "field 'env' must be a list but is a mapping"),
        ("Container", [], "it must be a mapping but is a list"),
        ("PodSpec", {"nodeSelector": {"a": 1}}, "field 'nodeSelector.a' must be text but is 1"),
        ("PodSpec", {"hostNetwork": "true"}, "field 'hostNetwork' must be true or false but is \"true\""),
        ("DeploymentSpec", {"replicas": "1"}, "field 'replicas' must be a whole number but is \"1\""),
        ("DeploymentSpec", {"replicas": 1.5}, "field 'replicas' must be a whole number but is 1.5"),
        ("HTTPGetAction", {"port": 2**31}, "whole number from -2147483648 to 2147483647"),
        ("HTTPGetAction", {"port": True}, "whole number from"),
        ("ResourceRequirements", {"limits": {"cpu": "banana"}}, "field 'limits.cpu' must be a quantity"),
        ("ResourceRequirements", {"limits": {"cpu": True}}, "field 'limits.cpu' must be a quantity"),
        ("ObjectMeta", {"creationTimestamp": "today"}, "must be a time"),
        ("ObjectMeta", {"creationTimestamp": "2026-13-01T00:00:00Z"}, "must be a time"),
        ("WebhookClientConfig", {"caBundle": "%"}, "must be text in base64"),
        ("JSONSchemaProps", {"additionalProperties": "x"}, "must be true or false"),
        ("JSONSchemaProps", {"maximum": "1"}, "must be a number"),
        ("JSONSchemaProps", {"default": float("nan")}, "must be a finite number"),
    ],
)
def test_wrong_types_are_refused_with_their_path(kind: str, given: Any, message: str) -> None:
    with pytest.raises(WrongType) as refusal:
        kubernetes_types().decoder(kind)(given)

    assert message in str(refusal.value)


def test_encoding_json_finds_fields_in_any_case_and_the_exact_name_last() -> None:
    types = Types(kubernetes_notation(), fold=True)

    assert types.decoder("Toleration")({"KEY": "a", "key": "b", "OPERATOR": "Exists"}) == {
        "key": "b",
        "operator": "Exists",
    }


def test_encoding_json_refuses_numbers_that_do_not_fit() -> None:
    with pytest.raises(WrongType, match="whole number from -2147483648"):
        Types(kubernetes_notation(), fold=True).decoder("ContainerPort")({"containerPort": 2**31})


@pytest.mark.parametrize(
    ("given", "then"),
    [(2**64, 18446744073709552000), (1.0, 1), (-0.0, 0), (1e21, 1e21), ({1: {True: None}}, {"1": {"true": None}})],
)
def test_plain_data_is_what_go_would_write(given: Any, then: Any) -> None:
    assert plain(given) == then


def test_the_snapshot_tells_its_version_and_has_what_rendering_needs() -> None:
    assert KUBERNETES_VERSION.startswith("1.")
    assert {"DeploymentSpec", "PodSpec", "CustomResourceDefinition", "PolicyRule", "RuleWithOperations"} <= set(
        kubernetes_notation()
    )
