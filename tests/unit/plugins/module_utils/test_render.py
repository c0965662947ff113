# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle is rendered to the manifests that OLM v1 would apply."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.kinds import CLUSTER_SCOPED, NAMESPACED
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.problems import InvalidBundle, UnsupportedInstallMode
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.render import validators
from ansible_collections.fleet.olm.plugins.module_utils.render.kinds import APPLY_ORDER
from ansible_collections.fleet.olm.plugins.module_utils.render.names import (
    permission_hash,
    permission_name,
    with_suffix,
)
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import (
    GENERATORS,
    VALIDATORS,
    digest,
    problems_of,
    render,
)
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    CERTIFICATES,
    bundle_csv,
    crd,
    deployment,
    install_modes,
    strategy,
    webhook,
    write_bundle,
)

HOME = "home"
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
OWNED = {"owned": [{"name": "teas.drinks.example", "version": "v1", "kind": "Tea"}]}
ALL_ONLY = install_modes("AllNamespaces")


def read(tmp_path: Path, csv: dict[str, Any], *manifests: Any, package: str = "tea") -> Bundle:
    return read_bundle(write_bundle(tmp_path, csv, *manifests, package=package))


def rendered(bundle: Bundle, raw: Any = None, provider: str | None = "cert-manager") -> list[dict[str, Any]]:
    return list(render(bundle, Config.parse(raw, schema_of(bundle), HOME), HOME, provider))


def of_kind(manifests: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [manifest for manifest in manifests if manifest["kind"] == kind]


# --- the table of contents ----------------------------------------------------------------------


def test_every_validator_is_in_the_list() -> None:
    checks = {
        name
        for name, value in vars(validators).items()
        if getattr(value, "__annotations__", None) == {"bundle": "Bundle", "return": "list[str]"}
    }

    assert {check.__name__ for check in VALIDATORS} == checks


def test_the_generators_are_in_order() -> None:
    assert [generate.__name__ for generate in GENERATORS] == [
        "service_accounts",
        "roles",
        "cluster_roles",
        "crds",
        "other_manifests",
        "deployments",
        "validating_webhooks",
        "mutating_webhooks",
        "webhook_services",
        "certificates",
    ]


# --- validators ---------------------------------------------------------------------------------

CONVERSION = {"kind": "ConversionWebhook", "name": "ctea.drinks.example", "conversionCRDs": ["teas.drinks.example"]}


@pytest.mark.parametrize(
    ("spec", "manifests", "then"),
    [
        ({}, [], []),
        (
            {"install": strategy(deployments=[deployment("b"), deployment("a"), deployment("b"), deployment("a")])},
            [],
            [
                "the ClusterServiceVersion has more than one deployment named 'a'",
                "the ClusterServiceVersion has more than one deployment named 'b'",
            ],
        ),
        ({"install": strategy(deployments=[deployment("Tea_1")])}, [], ["the deployment name 'Tea_1' is not valid"]),
        (
            {},
            [crd(), crd()],
            ["the CustomResourceDefinition 'teas.drinks.example' stands in the bundle more than once"],
        ),
        (
            {"customresourcedefinitions": OWNED},
            [],
            ["the ClusterServiceVersion owns the CustomResourceDefinition 'teas.drinks.example', but"],
        ),
        (
            {"webhookdefinitions": [webhook(**CONVERSION)], "customresourcedefinitions": OWNED},
            [crd()],
            [
                "the conversion webhook 'ctea.drinks.example' needs a bundle that supports AllNamespaces only; "
                "it supports AllNamespaces, OwnNamespace, SingleNamespace"
            ],
        ),
        (
            {"webhookdefinitions": [webhook(deploymentName="nope")]},
            [],
            ["the ValidatingAdmissionWebhook 'vtea.drinks.example' names the deployment 'nope', which is not there"],
        ),
        (
            {"webhookdefinitions": [webhook(), webhook()]},
            [],
            ["more than one ValidatingAdmissionWebhook is named 'vtea.drinks.example'"],
        ),
        ({"webhookdefinitions": [webhook(), webhook("MutatingAdmissionWebhook")]}, [], []),
        (
            {"webhookdefinitions": [webhook(name="Tea-")]},
            [],
            ["the name 'Tea-' of a ValidatingAdmissionWebhook is not valid"],
        ),
        (
            {
                "installModes": ALL_ONLY,
                "customresourcedefinitions": OWNED,
                "webhookdefinitions": [webhook(**CONVERSION), webhook(**{**CONVERSION, "name": "b"})],
            },
            [crd()],
            [
                "the CustomResourceDefinition 'teas.drinks.example' is converted by more than one webhook: b, ctea.drinks.example"
            ],
        ),
        (
            {"installModes": ALL_ONLY, "webhookdefinitions": [webhook(**CONVERSION)]},
            [],
            [
                "the conversion webhook 'ctea.drinks.example' converts the CustomResourceDefinition 'teas.drinks.example', which the bundle does not own"
            ],
        ),
        (
            {"webhookdefinitions": [webhook(rules=[{"apiGroups": ["*", "olm.operatorframework.io"]}])]},
            [],
            [
                "a rule of the webhook 'vtea.drinks.example' is on the API group '*', which is forbidden",
                "a rule of the webhook 'vtea.drinks.example' is on the API group 'olm.operatorframework.io', which is forbidden",
            ],
        ),
        (
            {
                "webhookdefinitions": [
                    webhook(
                        rules=[
                            {
                                "apiGroups": ["admissionregistration.k8s.io"],
                                "resources": ["x", "ValidatingWebhookConfigurations"],
                            }
                        ]
                    )
                ]
            },
            [],
            [
                "a rule of the webhook 'vtea.drinks.example' is on 'ValidatingWebhookConfigurations' of the API group 'admissionregistration.k8s.io'"
            ],
        ),
        (
            {},
            [
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "x"}},
                {"apiVersion": "v1", "kind": "Pod"},
            ],
            ['unsupported resource "x" with kind "DaemonSet"', 'unsupported resource "" with kind "Pod"'],
        ),
    ],
)
def test_problems_of_bundles(tmp_path: Path, spec: dict[str, Any], manifests: list[Any], then: list[str]) -> None:
    problems = problems_of(read(tmp_path, bundle_csv(**spec), *manifests))

    assert len(problems) == len(then)
    assert all(problem.startswith(start) for problem, start in zip(problems, then, strict=True))


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    bundle = read(tmp_path, bundle_csv(customresourcedefinitions=OWNED), package="")
    with pytest.raises(InvalidBundle) as refusal:
        rendered(bundle)

    assert refusal.value.problems == (
        "the ClusterServiceVersion owns the CustomResourceDefinition 'teas.drinks.example', but the bundle has none of that name",
        "the package name in metadata/annotations.yaml is empty",
    )
    assert str(refusal.value).startswith("invalid bundle 'tea.v1.2.3': ")


# --- install modes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "targets"), [({}, ""), ({"watchNamespace": HOME}, HOME), ({"watchNamespace": "away"}, "away")]
)
def test_the_watched_namespaces_reach_the_pods(tmp_path: Path, raw: Any, targets: str) -> None:
    [manifest] = of_kind(rendered(read(tmp_path, bundle_csv()), raw), "Deployment")
    annotations = manifest["spec"]["template"]["metadata"]["annotations"]

    assert (annotations["olm.targetNamespaces"], annotations["olm.operatorNamespace"]) == (targets, HOME)


def test_an_install_mode_that_is_not_supported_is_refused_with_those_that_are(tmp_path: Path) -> None:
    no_mode = read(tmp_path, bundle_csv(installModes=install_modes()))
    with pytest.raises(UnsupportedInstallMode, match=r"AllNamespaces; bundle 'tea\.v1\.2\.3' supports no install mode"):
        rendered(no_mode)
    several = read(tmp_path / "b", bundle_csv())
    own_only = read(tmp_path / "c", bundle_csv(installModes=install_modes("OwnNamespace", "MultiNamespace")))
    config = Config.parse({"watchNamespace": "away"}, schema_of(several), HOME)
    with pytest.raises(
        UnsupportedInstallMode, match=r"SingleNamespace; bundle .* supports MultiNamespace, OwnNamespace"
    ):
        render(own_only, config, HOME, None)


def test_a_configuration_for_another_install_namespace_is_refused(tmp_path: Path) -> None:
    bundle = read(tmp_path, bundle_csv())
    with pytest.raises(OptionError, match="checked for the install namespace 'home'"):
        render(bundle, Config.parse(None, schema_of(bundle), HOME), "elsewhere", None)


# --- RBAC ---------------------------------------------------------------------------------------


def rbac_csv() -> dict[str, Any]:
    permission = {"serviceAccountName": "tea", "rules": [RULE]}
    return bundle_csv(
        install=strategy(
            deployments=[deployment()],
            permissions=[permission, {"rules": [RULE]}],
            clusterPermissions=[permission, {"serviceAccountName": "milk", "rules": [RULE]}],
        )
    )


def test_service_accounts_are_made_once_and_never_the_default_one(tmp_path: Path) -> None:
    manifests = of_kind(rendered(read(tmp_path, rbac_csv())), "ServiceAccount")

    assert [manifest["metadata"] for manifest in manifests] == [
        {"name": "milk", "namespace": HOME},
        {"name": "tea", "namespace": HOME},
    ]


def test_permissions_become_roles_in_the_watched_namespace(tmp_path: Path) -> None:
    manifests = rendered(read(tmp_path, rbac_csv()), {"watchNamespace": "away"})
    name = permission_name("tea.v1.2.3", "tea", {"serviceAccountName": "tea", "rules": [RULE]})

    assert of_kind(manifests, "Role")[0] == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": name, "namespace": "away"},
        "rules": [RULE],
    }
    assert of_kind(manifests, "RoleBinding")[0] == {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": "away"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": "tea", "namespace": HOME}],
    }
    assert [one["subjects"][0]["name"] for one in of_kind(manifests, "RoleBinding")] == ["tea", "default"]
    assert len(of_kind(manifests, "ClusterRole")) == 2


def test_permissions_are_lifted_where_everything_is_watched(tmp_path: Path) -> None:
    manifests = rendered(read(tmp_path, rbac_csv()))
    read_namespaces = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}

    assert of_kind(manifests, "Role") == []
    assert [role["rules"] for role in of_kind(manifests, "ClusterRole")] == [
        [RULE],
        [RULE],
        [RULE, read_namespaces],
        [RULE, read_namespaces],
    ]


@pytest.mark.parametrize(
    ("permission", "then"),
    [
        (
            {"serviceAccountName": "tea", "rules": [RULE]},
            '{"serviceAccountName":"tea","rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}',
        ),
        ({"rules": []}, '{"serviceAccountName":"","rules":[]}'),
        ({}, '{"serviceAccountName":"","rules":null}'),
        ({"rules": [{}]}, '{"serviceAccountName":"","rules":[{"verbs":null}]}'),
        (
            {"rules": [{"verbs": [], "nonResourceURLs": ["/a&b<c>\u2028"]}]},
            '{"serviceAccountName":"","rules":[{"verbs":[],"nonResourceURLs":["/a\\u0026b\\u003cc\\u003e\\u2028"]}]}',
        ),
    ],
)
def test_names_hash_a_permission_as_go_writes_it(permission: dict[str, Any], then: str) -> None:
    number = int.from_bytes(hashlib.sha224(f"{then}\n".encode()).digest(), "big")

    assert int(permission_hash(permission), 36) == number


@pytest.mark.parametrize(
    ("base", "suffix", "then"),
    [("a", "b", "a-b"), ("a" * 60, "bcd", "a" * 60 + "-bcd"), ("a" * 61, "bcd", "a" * 59 + "-bcd")],
    ids=["short", "63 without the dash stays whole", "longer is cut"],
)
def test_long_names_are_cut(base: str, suffix: str, then: str) -> None:
    assert with_suffix(base, suffix) == then


# --- deployments --------------------------------------------------------------------------------


def test_a_deployment_from_the_strategy(tmp_path: Path) -> None:
    strategy_deployment = deployment()
    strategy_deployment["spec"]["template"]["metadata"]["annotations"] = {
        "capabilities": "mine",
        "own": "1",
        "olm.targetNamespaces": "never",
    }
    [manifest] = of_kind(
        rendered(read(tmp_path, bundle_csv(install=strategy(deployments=[strategy_deployment])))), "Deployment"
    )

    assert manifest == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "tea-operator", "namespace": HOME, "labels": {"app": "tea-operator"}},
        "spec": {
            "replicas": 1,
            "revisionHistoryLimit": 1,
            "selector": {"matchLabels": {"app": "tea-operator"}},
            "template": {
                "metadata": {
                    "labels": {"app": "tea-operator"},
                    "annotations": {
                        "capabilities": "mine",
                        "own": "1",
                        "olm.targetNamespaces": "",
                        "olm.operatorNamespace": HOME,
                    },
                },
                "spec": {"containers": [{"name": "manager", "image": "registry.example/tea:1.2.3"}]},
            },
        },
    }


MOUNTED = {
    "containers": [
        {
            "name": "a",
            "volumeMounts": [{"name": "certs", "mountPath": CERTIFICATES[0]}, {"name": "data", "mountPath": "/d"}],
        },
        {"name": "b", "volumeMounts": [{"name": "certs", "mountPath": "/elsewhere"}]},
    ],
    "volumes": [
        {"name": "certs", "emptyDir": {}},
        {"name": "apiservice-cert", "emptyDir": {}},
        {"name": "data", "emptyDir": {}},
    ],
}


def test_deployments_with_webhooks_get_certificates_in_place_of_what_is_mounted_there(tmp_path: Path) -> None:
    csv = bundle_csv(
        webhookdefinitions=[webhook()], install=strategy(deployments=[deployment(**MOUNTED), deployment("other")])
    )
    first, other = of_kind(rendered(read(tmp_path, csv)), "Deployment")
    pod = first["spec"]["template"]["spec"]
    mounts = [
        {"name": "webhook-cert", "mountPath": CERTIFICATES[0]},
        {"name": "apiservice-cert", "mountPath": CERTIFICATES[1]},
    ]

    assert [volume["name"] for volume in pod["volumes"]] == ["data", "webhook-cert", "apiservice-cert"]
    assert pod["volumes"][2] == {
        "name": "apiservice-cert",
        "secret": {
            "secretName": "tea-operator-service-cert",
            "items": [{"key": "tls.crt", "path": "apiserver.crt"}, {"key": "tls.key", "path": "apiserver.key"}],
        },
    }
    assert pod["containers"][0]["volumeMounts"] == [{"name": "data", "mountPath": "/d"}, *mounts]
    assert pod["containers"][1]["volumeMounts"] == mounts
    assert "volumes" not in other["spec"]["template"]["spec"]


def test_without_a_provider_nothing_is_mounted(tmp_path: Path) -> None:
    csv = bundle_csv(webhookdefinitions=[webhook()], install=strategy(deployments=[deployment(**MOUNTED)]))
    [manifest] = of_kind(rendered(read(tmp_path, csv), provider="none"), "Deployment")

    assert manifest["spec"]["template"]["spec"] == MOUNTED


# --- deploymentConfig ---------------------------------------------------------------------------

POD = {
    "containers": [
        {"name": "a", "env": [{"name": "X", "value": "1"}], "resources": {"limits": {"cpu": "1"}}},
        {"name": "b"},
    ],
    "initContainers": [{"name": "i"}],
}
AFFINITY = {
    "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]},
    "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "a"}]},
}


@pytest.mark.parametrize(
    ("pod", "given", "then"),
    [
        pytest.param(
            POD,
            {"env": [{"name": "Y", "value": "2"}, {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "p"}}}]},
            {
                "containers": [
                    {
                        "name": "a",
                        "env": [
                            {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "p"}}},
                            {"name": "Y", "value": "2"},
                        ],
                        "resources": {"limits": {"cpu": "1"}},
                    },
                    {
                        "name": "b",
                        "env": [
                            {"name": "Y", "value": "2"},
                            {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "p"}}},
                        ],
                    },
                ],
                "initContainers": [{"name": "i"}],
            },
            id="env overrides by name and appends, in containers only",
        ),
        pytest.param(
            {"containers": [{"name": "a", "envFrom": [{"secretRef": {"name": "s"}}]}]},
            {"envFrom": [{"secretRef": {"name": "s"}}, {"configMapRef": {"name": "c"}}]},
            {"containers": [{"name": "a", "envFrom": [{"secretRef": {"name": "s"}}, {"configMapRef": {"name": "c"}}]}]},
            id="envFrom appends what is new",
        ),
        pytest.param(
            {"containers": [], "tolerations": [{"key": "k", "operator": ""}]},
            {"tolerations": [{"key": "k"}, {"key": "k", "operator": "Exists"}]},
            {"containers": [], "tolerations": [{"key": "k", "operator": ""}, {"key": "k", "operator": "Exists"}]},
            id="tolerations append what is new",
        ),
        pytest.param(
            POD,
            {"resources": {"requests": {"memory": "1024Mi"}}},
            {
                "containers": [
                    {"name": "a", "env": [{"name": "X", "value": "1"}], "resources": {"requests": {"memory": "1Gi"}}},
                    {"name": "b", "resources": {"requests": {"memory": "1Gi"}}},
                ],
                "initContainers": [{"name": "i"}],
            },
            id="resources replace",
        ),
        pytest.param(
            {"containers": [], "nodeSelector": {"a": "b"}},
            {"nodeSelector": {"c": "d"}},
            {"containers": [], "nodeSelector": {"c": "d"}},
            id="nodeSelector replaces",
        ),
        pytest.param(
            {"containers": [], "nodeSelector": {"a": "b"}},
            {"nodeSelector": {}},
            {"containers": [], "nodeSelector": {}},
            id="empty nodeSelector replaces",
        ),
        pytest.param(
            {"containers": [], "volumes": [{"name": "v", "emptyDir": {}}]},
            {"volumes": [{"name": "w", "emptyDir": {}}, {"name": "v", "configMap": {"name": "c"}}]},
            {"containers": [], "volumes": [{"name": "v", "configMap": {"name": "c"}}, {"name": "w", "emptyDir": {}}]},
            id="volumes override by name",
        ),
        pytest.param(
            {"containers": [{"name": "a", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]},
            {"volumeMounts": [{"name": "v", "mountPath": "/w"}, {"name": "x", "mountPath": "/x"}]},
            {
                "containers": [
                    {"name": "a", "volumeMounts": [{"name": "v", "mountPath": "/w"}, {"name": "x", "mountPath": "/x"}]}
                ]
            },
            id="volumeMounts override by name",
        ),
        pytest.param(
            {"containers": [], "affinity": AFFINITY},
            {"affinity": {}},
            {"containers": []},
            id="empty affinity erases all",
        ),
        pytest.param(
            {"containers": [], "affinity": AFFINITY},
            {"affinity": {"nodeAffinity": {}}},
            {"containers": [], "affinity": {"podAffinity": AFFINITY["podAffinity"]}},
            id="an empty part erases that part",
        ),
        pytest.param(
            {"containers": [], "affinity": {"nodeAffinity": AFFINITY["nodeAffinity"]}},
            {
                "affinity": {
                    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}
                }
            },
            {"containers": []},
            id="a part without terms counts as empty",
        ),
        pytest.param(
            {"containers": []},
            {"affinity": {"podAffinity": AFFINITY["podAffinity"]}},
            {"containers": [], "affinity": {"podAffinity": AFFINITY["podAffinity"]}},
            id="a part is set",
        ),
    ],
)
def test_deployment_config_merges_into_the_pod(
    tmp_path: Path, pod: dict[str, Any], given: dict[str, Any], then: dict[str, Any]
) -> None:
    bundle = read(tmp_path, bundle_csv(install=strategy(deployments=[deployment(**pod)])))
    [manifest] = of_kind(rendered(bundle, {"deploymentConfig": given}), "Deployment")

    assert manifest["spec"]["template"]["spec"] == then


def test_annotations_are_added_and_what_exists_wins(tmp_path: Path) -> None:
    given = {"capabilities": "never", "olm.targetNamespaces": "never", "new": "1"}
    [manifest] = of_kind(
        rendered(read(tmp_path, bundle_csv()), {"deploymentConfig": {"annotations": given}}), "Deployment"
    )

    assert manifest["metadata"]["annotations"] == given
    assert manifest["spec"]["template"]["metadata"]["annotations"] == {
        "capabilities": "Basic Install",
        "olm.targetNamespaces": "",
        "olm.operatorNamespace": HOME,
        "new": "1",
    }


def test_rendering_changes_neither_bundle_nor_configuration(tmp_path: Path) -> None:
    csv = bundle_csv(webhookdefinitions=[webhook()], install=strategy(deployments=[deployment(**MOUNTED)]))
    bundle = read(tmp_path, csv, crd())
    raw = {"deploymentConfig": {"env": [{"name": "A"}], "annotations": {"a": "b"}, "affinity": {}}}
    config = Config.parse(raw, schema_of(bundle), HOME)
    before = json.dumps([bundle.csv, bundle.crds, config.deployment_config])
    first = render(bundle, config, HOME, "cert-manager")

    assert digest(render(bundle, config, HOME, "cert-manager")) == digest(first)
    assert json.dumps([bundle.csv, bundle.crds, config.deployment_config]) == before


# --- webhooks and certificates ------------------------------------------------------------------

SERVICE_REFERENCE = {"name": "tea-operator-service", "namespace": HOME, "path": "/validate", "port": 443}


@pytest.mark.parametrize(
    ("kind", "configuration", "copied"),
    [
        ("ValidatingAdmissionWebhook", "ValidatingWebhookConfiguration", {}),
        ("MutatingAdmissionWebhook", "MutatingWebhookConfiguration", {"reinvocationPolicy": "IfNeeded"}),
    ],
)
def test_a_webhook_becomes_a_configuration(
    tmp_path: Path, kind: str, configuration: str, copied: dict[str, Any]
) -> None:
    given = webhook(kind, failurePolicy="Fail", timeoutSeconds=10, objectSelector={}, reinvocationPolicy="IfNeeded")
    bundle = read(tmp_path, bundle_csv(webhookdefinitions=[given]))

    assert of_kind(rendered(bundle), configuration) == [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": configuration,
            "metadata": {
                "name": "vtea.drinks.example",
                "namespace": HOME,
                "annotations": {"cert-manager.io/inject-ca-from": "home/tea-operator-service-cert"},
            },
            "webhooks": [
                {
                    "name": "vtea.drinks.example",
                    "admissionReviewVersions": ["v1"],
                    "failurePolicy": "Fail",
                    "objectSelector": {},
                    "rules": given["rules"],
                    "sideEffects": "None",
                    "timeoutSeconds": 10,
                    "clientConfig": {"service": SERVICE_REFERENCE},
                    **copied,
                }
            ],
        }
    ]


def test_webhooks_look_at_the_watched_namespace_only(tmp_path: Path) -> None:
    bundle = read(tmp_path, bundle_csv(webhookdefinitions=[webhook()]))
    [manifest] = of_kind(rendered(bundle, {"watchNamespace": "away"}), "ValidatingWebhookConfiguration")

    assert manifest["webhooks"][0]["namespaceSelector"] == {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["away"]}]
    }


def test_services_have_the_distinct_ports_of_their_webhooks_sorted(tmp_path: Path) -> None:
    hooks = [
        webhook(name="a", containerPort=8443, targetPort="https"),
        webhook(name="b"),
        webhook(name="c"),
        webhook(name="d", containerPort=None, targetPort=None, webhookPath=None),
        webhook("MutatingAdmissionWebhook", name="e", containerPort=443, targetPort="9000"),
    ]
    manifests = rendered(read(tmp_path, bundle_csv(webhookdefinitions=hooks)))

    assert of_kind(manifests, "Service") == [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "tea-operator-service", "namespace": HOME},
            "spec": {
                "ports": [
                    {"name": "443", "port": 443, "targetPort": 443},
                    {"name": "443", "port": 443, "targetPort": "9000"},
                    {"name": "443", "port": 443, "targetPort": 9443},
                    {"name": "8443", "port": 8443, "targetPort": "https"},
                ],
                "selector": {"app": "tea-operator"},
            },
        }
    ]
    assert of_kind(manifests, "ValidatingWebhookConfiguration")[3]["webhooks"][0]["clientConfig"]["service"] == {
        "name": "tea-operator-service",
        "namespace": HOME,
        "port": 0,
    }


def test_cert_manager_makes_a_certificate_for_each_deployment_with_webhooks(tmp_path: Path) -> None:
    csv = bundle_csv(
        webhookdefinitions=[webhook(deploymentName="tea.op")],
        install=strategy(deployments=[deployment("tea.op"), deployment("b")]),
    )
    manifests = rendered(read(tmp_path, csv))

    assert of_kind(manifests, "Issuer") == [
        {
            "apiVersion": "cert-manager.io/v1",
            "kind": "Issuer",
            "metadata": {"name": "tea-op-service-cert-selfsigned-issuer", "namespace": HOME},
            "spec": {"selfSigned": {}},
        }
    ]
    assert [manifest["spec"] for manifest in of_kind(manifests, "Certificate")] == [
        {
            "commonName": "tea-op-service.home",
            "dnsNames": ["tea-op-service.home", "tea-op-service.home.svc", "tea-op-service.home.svc.cluster.local"],
            "duration": "17520h0m0s",
            "issuerRef": {"name": "tea-op-service-cert-selfsigned-issuer"},
            "renewBefore": "24h0m0s",
            "secretName": "tea-op-service-cert",
            "usages": ["server auth"],
        }
    ]


def test_openshift_makes_the_certificate_by_annotations(tmp_path: Path) -> None:
    manifests = rendered(read(tmp_path, bundle_csv(webhookdefinitions=[webhook()])), provider="openshift-service-ca")

    assert of_kind(manifests, "Issuer") + of_kind(manifests, "Certificate") == []
    assert of_kind(manifests, "Service")[0]["metadata"]["annotations"] == {
        "service.beta.openshift.io/serving-cert-secret-name": "tea-operator-service-cert"
    }
    assert of_kind(manifests, "ValidatingWebhookConfiguration")[0]["metadata"]["annotations"] == {
        "service.beta.openshift.io/inject-cabundle": "true"
    }
    assert [
        volume["name"] for volume in of_kind(manifests, "Deployment")[0]["spec"]["template"]["spec"]["volumes"]
    ] == ["webhook-cert", "apiservice-cert"]


def test_an_unknown_provider_is_refused_with_those_known(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'vault'; known are cert-manager, openshift-service-ca, none"):
        rendered(read(tmp_path, bundle_csv()), provider="vault")


# --- what a bundle ships ------------------------------------------------------------------------


def converting(**webhook_fields: Any) -> dict[str, Any]:
    hook = webhook(**{**CONVERSION, **webhook_fields})
    return bundle_csv(installModes=ALL_ONLY, customresourcedefinitions=OWNED, webhookdefinitions=[hook])


@pytest.mark.parametrize(("path", "then"), [("/convert", "/convert"), (None, "/")])
def test_a_converted_crd_is_told_its_webhook(tmp_path: Path, path: str | None, then: str) -> None:
    manifests = rendered(
        read(tmp_path, converting(webhookPath=path), crd(conversion={"strategy": "None"}), crd("cups.drinks.example"))
    )
    teas, cups = of_kind(manifests, "CustomResourceDefinition")

    assert teas["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {**SERVICE_REFERENCE, "path": then}},
            "conversionReviewVersions": ["v1"],
        },
    }
    assert teas["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "home/tea-operator-service-cert"}
    assert "conversion" not in cups["spec"]


def test_a_converted_crd_must_not_preserve_unknown_fields(tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match=r"'teas\.drinks\.example' must have spec\.preserveUnknownFields false"):
        rendered(read(tmp_path, converting(), crd(preserveUnknownFields=True)))


def test_old_crds_lose_what_the_current_types_do_not_know(tmp_path: Path) -> None:
    old = crd(version="v1", validation={"openAPIV3Schema": {}}, versions=None)
    [manifest] = of_kind(
        rendered(read(tmp_path, bundle_csv(), {**old, "apiVersion": "apiextensions.k8s.io/v1beta1"})),
        "CustomResourceDefinition",
    )

    assert manifest["apiVersion"] == "apiextensions.k8s.io/v1beta1"
    assert set(manifest["spec"]) == {"group", "names", "scope"}


def test_other_objects_are_taken_as_they_are_into_the_install_namespace(tmp_path: Path) -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s", "namespace": "x", "creationTimestamp": None},
        "spec": {"unknown": 1},
        "status": {"loadBalancer": {}},
    }
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
    manifests = rendered(read(tmp_path, bundle_csv(), service, role, {"apiVersion": "v1", "kind": "Secret"}))

    assert of_kind(manifests, "Service") == [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": HOME}, "spec": {"unknown": 1}}
    ]
    assert of_kind(manifests, "ClusterRole") == [role]
    assert of_kind(manifests, "Secret") == [{"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": HOME}}]


def test_a_status_that_says_something_is_taken_as_it_is(tmp_path: Path) -> None:
    names = {"kind": "Teas", "plural": "teas"}
    shipped = {**crd(), "status": {"acceptedNames": names, "conditions": [], "storedVersions": ["v1"]}}
    empty = {
        **crd("cups.drinks.example"),
        "status": {"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": None},
    }
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "status": {"currentHealthy": 0}}
    manifests = rendered(read(tmp_path, bundle_csv(), shipped, empty, budget))

    assert [manifest.get("status") for manifest in of_kind(manifests, "CustomResourceDefinition")] == [
        {"acceptedNames": names, "storedVersions": ["v1"]},
        None,
    ]
    assert of_kind(manifests, "PodDisruptionBudget")[0]["status"] == {"currentHealthy": 0}


@pytest.mark.parametrize("kind", sorted(NAMESPACED | CLUSTER_SCOPED))
def test_every_supported_kind_has_a_scope_and_a_place_in_the_order(tmp_path: Path, kind: str) -> None:
    manifests = rendered(read(tmp_path, bundle_csv(), {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "x"}}))
    [manifest] = of_kind(manifests, kind)

    assert manifest["metadata"].get("namespace") == (HOME if kind in NAMESPACED else None)
    assert kind in APPLY_ORDER


def test_manifests_stand_in_the_order_to_apply_them_in(tmp_path: Path) -> None:
    csv = rbac_csv()
    csv["spec"]["webhookdefinitions"] = [webhook(), webhook("MutatingAdmissionWebhook")]
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    kinds = [
        manifest["kind"] for manifest in rendered(read(tmp_path, csv, config_map, crd()), {"watchNamespace": "away"})
    ]

    assert list(dict.fromkeys(kinds)) == [
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "ConfigMap",
        "Service",
        "Issuer",
        "Certificate",
        "Deployment",
        "ValidatingWebhookConfiguration",
        "MutatingWebhookConfiguration",
    ]
