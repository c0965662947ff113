# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations are accepted or refused as OLM v1 does it, in better words."""

from __future__ import annotations

import datetime
import json
from typing import Any

import jsonschema
import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.problems import InvalidBundle
from ansible_collections.fleet.olm.plugins.module_utils.config.derived_schema import registry_v1_schema
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.problems import InvalidConfig
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import (
    DEPLOYMENT_CONFIG_FIELDS,
    DRAFT_07,
    DRAFT_2020_12,
    ConfigSchema,
    schema_of,
)
from ansible_collections.fleet.olm.plugins.module_utils.render.check import mounts_without_volume
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    deployment,
    install_modes,
    strategy,
)

ALL, SINGLE, OWN, MULTI = "AllNamespaces", "SingleNamespace", "OwnNamespace", "MultiNamespace"
HOME = "home"


def derived(*modes: str) -> ConfigSchema:
    return schema_of(Bundle(package="tea", csv=bundle_csv(installModes=install_modes(*modes))))


def brought(**document: Any) -> ConfigSchema:
    return ConfigSchema("tea.v1.0.0", {"$schema": DRAFT_07, "type": "object", **document})


def problems(raw: Any, schema: ConfigSchema) -> list[str]:
    with pytest.raises(InvalidConfig) as refusal:
        Config.parse(raw, schema, HOME)
    assert str(refusal.value).splitlines() == [
        f"invalid bundle configuration: {problem}" for problem in refusal.value.problems
    ]
    return list(refusal.value.problems)


NONE: dict[str, Any] = {}
HERE = {"watchNamespace": HOME}
THERE = {"watchNamespace": "away"}
NULL = {"watchNamespace": None}


@pytest.mark.parametrize(
    ("modes", "accepted", "refused"),
    [
        ((), [NONE], [HERE, THERE, NULL]),
        ((MULTI,), [NONE], [HERE, THERE, NULL]),
        ((OWN,), [HERE], [NONE, THERE, NULL]),
        ((SINGLE,), [THERE], [NONE, HERE, NULL]),
        ((SINGLE, OWN), [HERE, THERE], [NONE, NULL]),
        ((ALL,), [NONE], [HERE, THERE, NULL]),
        ((ALL, OWN), [NONE, NULL, HERE], [THERE]),
        ((ALL, SINGLE), [NONE, NULL, THERE], [HERE]),
        ((ALL, SINGLE, OWN), [NONE, NULL, HERE, THERE], []),
        ((ALL, MULTI, SINGLE, OWN), [NONE, NULL, HERE, THERE], []),
    ],
)
def test_the_watch_namespace_by_install_modes(modes: tuple[str, ...], accepted: list[Any], refused: list[Any]) -> None:
    for raw in accepted:
        assert Config.parse(raw, derived(*modes), HOME).watch_namespace == raw.get("watchNamespace")
    for raw in refused:
        assert len(problems(raw, derived(*modes))) == 1


@pytest.mark.parametrize(
    ("modes", "raw", "then"),
    [
        ((OWN,), None, "missing required field 'watchNamespace'"),
        (
            (OWN,),
            THERE,
            "invalid value for field 'watchNamespace' must be the install namespace 'home' but got \"away\"",
        ),
        (
            (SINGLE,),
            HERE,
            "invalid value for field 'watchNamespace' must be the name of a namespace other than the install namespace 'home' but got \"home\"",
        ),
        ((ALL,), HERE, "unknown key 'watchNamespace'"),
        ((SINGLE, OWN), {"watchNamespace": 1}, "invalid type for field 'watchNamespace' got number expected string"),
        (
            (ALL, OWN),
            {"watchNamespace": True},
            "invalid type for field 'watchNamespace' got boolean expected string or null",
        ),
        (
            (SINGLE, OWN),
            {"watchNamespace": ""},
            "invalid value for field 'watchNamespace' must have 1 or more characters but got \"\"",
        ),
        (
            (SINGLE, OWN),
            {"watchNamespace": "a" * 64},
            f"invalid value for field 'watchNamespace' must have 63 or fewer characters but got \"{'a' * 64}\"",
        ),
    ],
)
def test_words_for_the_watch_namespace(modes: tuple[str, ...], raw: Any, then: str) -> None:
    assert problems(raw, derived(*modes)) == [then]


@pytest.mark.parametrize("name", ["Team", "-a", "a-", "a.b", "a_b", "ä", "a\n"])
def test_what_cannot_name_a_namespace(name: str) -> None:
    [problem] = problems({"watchNamespace": name}, derived(ALL, SINGLE, OWN))

    assert problem.startswith(
        "invalid value for field 'watchNamespace' must be the name of a namespace (1 to 63 lower-case letters"
    )


@pytest.mark.parametrize("name", ["a", "0", "a-b", "a" * 63])
def test_what_can_name_a_namespace(name: str) -> None:
    assert Config.parse({"watchNamespace": name}, derived(ALL, SINGLE, OWN), HOME).watch_namespace == name


@pytest.mark.parametrize("raw", [None, {}, "", "{}", "null", "# nothing\n"])
def test_no_configuration(raw: Any) -> None:
    config = Config.parse(raw, derived(ALL), HOME)

    assert (config.values, config.watch_namespace, config.deployment_config, config.warnings) == ({}, None, {}, ())


@pytest.mark.parametrize("raw", ["watchNamespace: away\n", '{"watchNamespace": "away"}', {"watchNamespace": "away"}])
def test_data_and_text_are_the_same(raw: Any) -> None:
    assert Config.parse(raw, derived(ALL, SINGLE), HOME).values == {"watchNamespace": "away"}


@pytest.mark.parametrize(
    ("raw", "then"),
    [
        (True, "invalid type got boolean expected object"),
        (1, "invalid type got number expected object"),
        ([], "invalid type got array expected object"),
        ("x", "invalid type got string expected object"),
        ("a: [", "configuration: not valid YAML in line 2, column 1: did not find expected node content"),
        ({"a": object()}, "it is no data that JSON can hold: object is not allowed"),
        ("[" * 100_000, "configuration: nested deeper than 128 levels"),
    ],
)
def test_what_is_no_configuration(raw: Any, then: str) -> None:
    assert problems(raw, derived(ALL)) == [then]


def test_no_configuration_holds_a_number_that_json_has_not() -> None:
    [problem] = problems({"a": float("nan")}, derived(ALL))

    assert problem.startswith("it is no data that JSON can hold: ")


def deployment_config(**fields: Any) -> dict[str, Any]:
    return {"deploymentConfig": fields}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"nodeSelector": {"a": "b"}},
        {"tolerations": [{"key": "k", "operator": "Sometimes", "tolerationSeconds": 5.0}]},
        {"resources": {"limits": {"cpu": 1, "memory": "1Gi", "x": 1.5}, "claims": [{"name": "x"}]}},
        {
            "env": [
                {"name": "A"},
                {"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "a"}}},
                {"name": ""},
            ]
        },
        {"envFrom": [{"secretRef": {"name": "x", "optional": True}}, {"prefix": "P_", "configMapRef": {}}]},
        {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": 5}}, {"name": "w", "hostPath": {"path": "/x"}}]},
        {"volumeMounts": [{"name": "v", "mountPath": "/v"}]},
        {"affinity": {"nodeAffinity": {}}},
        {"annotations": {"a": "b"}},
    ],
)
def test_deployment_configurations_that_fit(fields: dict[str, Any]) -> None:
    Config.parse(deployment_config(**fields), derived(ALL), HOME)


@pytest.mark.parametrize(
    ("fields", "then"),
    [
        (
            {"nodeSelector": {"a": 1}},
            ["invalid type for field 'deploymentConfig.nodeSelector.a' got number expected string"],
        ),
        ({"nodeSelector": None}, ["invalid type for field 'deploymentConfig.nodeSelector' got null expected object"]),
        ({"nodeselector": {}}, ["unknown key 'deploymentConfig.nodeselector', did you mean 'nodeSelector'?"]),
        (
            {"selector": {}, "replicas": 2},
            [
                "unknown key 'deploymentConfig.replicas'",
                "unknown key 'deploymentConfig.selector', did you mean 'nodeSelector'?",
            ],
        ),
        (
            {"tolerations": [{}, {"operator": 1}]},
            ["invalid type for field 'deploymentConfig.tolerations[1].operator' got number expected string"],
        ),
        (
            {"tolerations": [{"tolerationSeconds": "5"}]},
            ["invalid type for field 'deploymentConfig.tolerations[0].tolerationSeconds' got string expected integer"],
        ),
        (
            {"tolerations": [{"tolerationSeconds": 2**63}]},
            [
                "invalid value for field 'deploymentConfig.tolerations[0].tolerationSeconds' "
                f"must be less than or equal to {2**63 - 1} but got {9223372036854776000}"
            ],
        ),
        (
            {"resources": {"limits": {"cpu": "banana"}}},
            [
                "invalid value for field 'deploymentConfig.resources.limits.cpu' must be a quantity such as 500m, 2 or 1Gi but got \"banana\""
            ],
        ),
        (
            {"resources": {"limits": {"cpu": True}}},
            ["invalid type for field 'deploymentConfig.resources.limits.cpu' got boolean expected string or number"],
        ),
        (
            {"env": [{"value": "x"}], "volumes": [{}]},
            [
                "missing required field 'deploymentConfig.env[0].name'",
                "missing required field 'deploymentConfig.volumes[0].name'",
            ],
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {}}}]},
            ["missing required field 'deploymentConfig.env[0].valueFrom.fieldRef.fieldPath'"],
        ),
        (
            {"volumes": [{"name": "v", "configMap": {"defaultMode": 2**31}}]},
            [
                f"invalid value for field 'deploymentConfig.volumes[0].configMap.defaultMode' must be less than or equal to {2**31 - 1} but got {2**31}"
            ],
        ),
        ({"volumeMounts": [{"name": "v"}]}, ["missing required field 'deploymentConfig.volumeMounts[0].mountPath'"]),
        ({"affinity": None}, ["invalid type for field 'deploymentConfig.affinity' got null expected object"]),
        ({"annotations": []}, ["invalid type for field 'deploymentConfig.annotations' got array expected object"]),
    ],
)
def test_deployment_configurations_that_do_not_fit(fields: dict[str, Any], then: list[str]) -> None:
    assert problems(deployment_config(**fields), derived(ALL)) == then


def test_every_problem_is_told_at_once_in_a_stable_order() -> None:
    raw = {"watchNamespace": "Team", "foo": 1, "deploymentConfig": {"env": "x", "bogus": 1}}

    assert [problem.split(" must")[0] for problem in problems(raw, derived(ALL, SINGLE, OWN))] == [
        "unknown key 'deploymentConfig.bogus'",
        "invalid type for field 'deploymentConfig.env' got string expected array",
        "unknown key 'foo'",
        "invalid value for field 'watchNamespace'",
    ]
    assert problems(dict(reversed(raw.items())), derived(ALL, SINGLE, OWN)) == problems(raw, derived(ALL, SINGLE, OWN))


def test_what_olm_v1_would_drop_or_the_api_server_refuse_is_warned_of() -> None:
    raw = deployment_config(
        tolerations=[{"unknown": 1, "KEY": "a"}],
        env=[{"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "a"}}}],
        affinity={"podAffinity": {"nope": []}},
    )

    assert Config.parse(raw, derived(ALL), HOME).warnings == (
        "configuration: OLM v1 drops the unknown field 'deploymentConfig.tolerations[0].unknown' without a word",
        "configuration: OLM v1 drops the unknown field 'deploymentConfig.affinity.podAffinity.nope' without a word",
        "configuration: 'deploymentConfig.env[0]' has both value and valueFrom; the API server will refuse the deployment",
    )


def test_values_that_only_an_api_server_looks_at_are_warned_of() -> None:
    storage = {"accessModes": ["ReadWriteOnce", "ReadTwice"], "resources": {"requests": {"storage": "1Gi"}}}
    raw = deployment_config(
        tolerations=[{"operator": "Exist", "effect": ""}, {"OPERATOR": "Exists"}],
        volumes=[
            {"name": "a", "hostPath": {"path": "/", "type": ""}},
            {"name": "b", "ephemeral": {"volumeClaimTemplate": {"spec": storage}}},
        ],
    )

    assert Config.parse(raw, derived(ALL), HOME).warnings == (
        "configuration: 'deploymentConfig.tolerations[0].operator' is \"Exist\"; "
        "the API server takes Equal, Exists, Gt or Lt and will refuse the deployment",
        "configuration: 'deploymentConfig.volumes[1].ephemeral.volumeClaimTemplate.spec.accessModes' is \"ReadTwice\"; "
        "the API server takes ReadOnlyMany, ReadWriteMany, ReadWriteOnce or ReadWriteOncePod and will refuse the deployment",
    )


def test_the_schema_offers_values_without_refusing_others() -> None:
    definitions = (derived(ALL).document or {})["definitions"]

    assert definitions["Toleration"]["properties"]["operator"] == {
        "type": "string",
        "examples": ["Equal", "Exists", "Gt", "Lt"],
    }
    assert definitions["HostPathVolumeSource"]["properties"]["type"]["examples"][0] == "BlockDevice"


def test_what_takes_effect_is_read_as_go_reads_it() -> None:
    raw = deployment_config(
        tolerations=[{"KEY": "a", "unknown": 1}], resources={"limits": {"cpu": "1000m"}}, nodeSelector={}
    )

    assert Config.parse(raw, derived(ALL), HOME).deployment_config == {
        "tolerations": [{"key": "a"}],
        "resources": {"limits": {"cpu": "1"}},
        "nodeSelector": {},
    }


def test_a_mount_of_a_volume_that_is_not_there_is_warned_of() -> None:
    csv = bundle_csv(install=strategy(deployments=[deployment(volumes=[{"name": "a", "emptyDir": {}}])]))
    given = {"volumes": [{"name": "b"}], "volumeMounts": [{"name": name, "mountPath": "/"} for name in "abc"]}

    assert mounts_without_volume(Bundle(package="tea", csv=csv), given) == [
        "configuration: 'deploymentConfig.volumeMounts[2]' mounts the volume 'c', which deployment 'tea-operator' does not have"
    ]


@pytest.mark.parametrize(("given", "then"), [(2**53, 2**53), (2**53 + 1, 2**53), (2**62 + 1, 4611686018427388000)])
def test_large_numbers_are_as_precise_as_in_olm_v1(given: int, then: int) -> None:
    config = Config.parse(deployment_config(tolerations=[{"tolerationSeconds": given}]), derived(ALL), HOME)

    assert config.deployment_config == {"tolerations": [{"tolerationSeconds": then}]}


def test_dates_are_text_as_in_kubernetes() -> None:
    raw = deployment_config(annotations={"since": datetime.date(2026, 1, 31)})

    assert Config.parse(raw, derived(ALL), HOME).values["deploymentConfig"]["annotations"] == {"since": "2026-01-31"}


def test_there_is_no_other_way_to_a_config() -> None:
    with pytest.raises(TypeError, match=r"Config\.parse"):
        Config({}, HOME, None, {}, (), None)


def test_the_derived_schema_is_one_document_that_any_validator_takes() -> None:
    document = registry_v1_schema([ALL, SINGLE, OWN])
    jsonschema.Draft7Validator.check_schema(document)
    text = json.dumps(document)

    assert document["$schema"] == DRAFT_07
    assert document["additionalProperties"] is False
    assert list(document["properties"]["deploymentConfig"]["properties"]) == list(DEPLOYMENT_CONFIG_FIELDS)
    references = {part.split('"')[0] for part in text.split('"$ref": "#/definitions/')[1:]}
    assert references == set(document["definitions"])


@pytest.mark.parametrize(
    ("schema", "raw", "then"),
    [
        (
            {"properties": {"fizz": {"type": "string"}}},
            {"fizz": True},
            "invalid type for field 'fizz' got boolean expected string",
        ),
        ({"required": ["buzz"]}, {}, "missing required field 'buzz'"),
        ({"additionalProperties": False}, {"foo": 1}, "unknown key 'foo'"),
        (
            {"properties": {"bar": {"exclusiveMaximum": 10}}},
            {"bar": 11},
            "invalid value for field 'bar' must be less than 10 but got 11",
        ),
        (
            {"properties": {"bar": {"maximum": 10}}},
            {"bar": 11},
            "invalid value for field 'bar' must be less than or equal to 10 but got 11",
        ),
        (
            {"properties": {"bar": {"minimum": 10}}},
            {"bar": 9},
            "invalid value for field 'bar' must be greater than or equal to 10 but got 9",
        ),
        (
            {"properties": {"pet": {"enum": ["Turtle", "Capybara"]}}},
            {"pet": "Lion"},
            'invalid value for field \'pet\' must be one of "Turtle" or "Capybara" but got "Lion"',
        ),
        ({"properties": {"a": {"const": 1}}}, {"a": 2}, "invalid value for field 'a' must be 1 but got 2"),
        (
            {"properties": {"a": {"pattern": "^x"}}},
            {"a": "y"},
            "invalid value for field 'a' must match ^x but got \"y\"",
        ),
        (
            {"properties": {"a": {"minItems": 2}}},
            {"a": [1]},
            "invalid value for field 'a' must have 2 or more items but got [1]",
        ),
        (
            {"properties": {"a": {"uniqueItems": True}}},
            {"a": [1, 1]},
            "invalid value for field 'a' must have no item twice but got [1, 1]",
        ),
        (
            {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
            {"a": 1},
            "invalid value for field 'a' matches none of the allowed forms: 1 is not of type 'string'; 1 is not of type 'null'",
        ),
        (
            {"properties": {"a": {"format": "namespaceName"}}},
            {"a": "A"},
            "invalid value for field 'a' must be the name of a namespace (1 to 63 lower-case letters, digits and '-', "
            'beginning and ending with a letter or digit) but got "A"',
        ),
        (
            {"properties": {"a": {"format": "isInstallNamespace"}}},
            {"a": "b"},
            "invalid value for field 'a' must be the install namespace 'home' but got \"b\"",
        ),
        (
            {"properties": {"a": {"format": "isNotInstallNamespace"}}},
            {"a": HOME},
            "invalid value for field 'a' must be the name of a namespace other than the install namespace 'home' but got \"home\"",
        ),
        (
            {"properties": {"a": {"$ref": "https://elsewhere.example/x"}}},
            {"a": 1},
            "the schema of bundle 'tea.v1.0.0' refers to what it does not hold: https://elsewhere.example/x",
        ),
        (
            {"properties": {"a": {"type": 5}}},
            {"a": 1},
            "the schema of bundle 'tea.v1.0.0' is not valid: 5 is not valid under any of the given schemas",
        ),
        (
            {"properties": {"a": {"$ref": "#/properties/a"}}},
            {"a": 1},
            "the schema of bundle 'tea.v1.0.0' refers to itself without end",
        ),
    ],
)
def test_schemas_that_a_bundle_brings(schema: dict[str, Any], raw: Any, then: str) -> None:
    assert problems(raw, brought(**schema)) == [then]


def test_the_newer_draft_is_understood() -> None:
    schema = ConfigSchema("tea", {"$schema": DRAFT_2020_12, "properties": {"a": {"prefixItems": [{"type": "string"}]}}})

    assert problems({"a": [1]}, schema) == ["invalid type for field 'a[0]' got number expected string"]
    assert Config.parse({"a": ["x"], "other": 1}, schema, HOME).values == {"a": ["x"], "other": 1}


def test_other_drafts_are_refused_by_name() -> None:
    bundle = Bundle(
        package="tea", csv=bundle_csv(), brought_schema={"$schema": "http://json-schema.org/draft-04/schema#"}
    )
    with pytest.raises(InvalidBundle, match=r"http://json-schema\.org/draft-04/schema#"):
        schema_of(bundle)


def test_a_bundle_without_a_schema_supports_no_configuration() -> None:
    schema = schema_of(Bundle(package="tea", csv=bundle_csv(), format="helm+v1"))

    assert problems({"a": 1}, schema) == ["bundle 'tea.v1.2.3' does not support configuration"]
    assert Config.parse(None, schema, HOME).values == {}
