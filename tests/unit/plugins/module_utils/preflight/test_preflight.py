# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions, APIs, needs and roles, as far as they are decided without a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.cluster.discovery import Discovery, Resource
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.cluster.permissions import Action
from ansible_collections.fleet.olm.plugins.module_utils.preflight.apis import api_problems
from ansible_collections.fleet.olm.plugins.module_utils.preflight.certificates import certificate_problems
from ansible_collections.fleet.olm.plugins.module_utils.preflight.needs import Need, needed
from ansible_collections.fleet.olm.plugins.module_utils.preflight.roles import smallest_roles
from ansible_collections.fleet.olm.plugins.module_utils.preflight.versions import cluster_release, minimum_release
from ansible_collections.fleet.olm.plugins.module_utils.rbac.escalation import grantings_of


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("1.27.0", (1, 27, 0)),
        ("v1.27.3", (1, 27, 3)),
        ("1.16", (1, 16, 0)),
        ("1.19.0-0", (1, 19, 0)),
        ("1.19.0-rc.1+build", (1, 19, 0)),
        ("1", None),
        ("latest", None),
        ("1.27.x", None),
        (">=1.20.0", None),
        ("1.27.0.1", None),
    ],
)
def test_minimum_versions(text: str, release: tuple[int, int, int] | None) -> None:
    assert minimum_release(text) == release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.36.3", (1, 36, 3)),
        ("v1.29.3-gke.100", (1, 29, 3)),
        ("v1.27.4+abc", (1, 27, 4)),
        ("v1.30.0-eks-036c24b", (1, 30, 0)),
        ("v1.31.0-alpha.1", (1, 31, 0)),
        ("v1.28+", (1, 28, 0)),
        ("unknown", None),
    ],
)
def test_versions_of_clusters(text: str, release: tuple[int, int, int] | None) -> None:
    assert cluster_release(text) == release


def resource(group: str, plural: str, kind: str, version: str = "v1", namespaced: bool = True) -> Resource:
    return Resource(group, version, plural, kind, namespaced, ())


DISCOVERY = Discovery(
    (
        resource("apps", "deployments", "Deployment"),
        resource("policy", "poddisruptionbudgets", "PodDisruptionBudget"),
        resource("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False),
        resource("autoscaling.k8s.io", "verticalpodautoscalers", "VerticalPodAutoscaler"),
        resource("example.com", "parts", "Part", "v2"),
    )
)


def bundle(**spec: Any) -> Bundle:
    return Bundle("package", {"metadata": {"name": "package.v1"}, "spec": spec})


def manifest(api_version: str, kind: str, name: str = "one", namespace: str = "") -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}


def crd(group: str, plural: str, kind: str, version: str = "v1") -> dict[str, Any]:
    return {
        **manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.{group}"),
        "spec": {
            "group": group,
            "names": {"plural": plural, "kind": kind},
            "versions": [{"name": version, "served": True, "storage": True}],
        },
    }


@pytest.mark.parametrize(
    ("spec", "manifests", "expected"),
    [
        pytest.param({}, [manifest("apps/v1", "Deployment", namespace="a")], [], id="served"),
        pytest.param({}, [manifest("v1", "Secret", namespace="a")], [], id="core"),
        pytest.param(
            {},
            [manifest("v1", "Secret")],
            ["Secret one has no namespace, and its kind needs one; the bundle has to name it"],
            id="no namespace",
        ),
        pytest.param(
            {},
            [manifest("", "ClusterRole")],
            ["ClusterRole one has no apiVersion; the bundle has to name it"],
            id="no apiVersion",
        ),
        pytest.param(
            {},
            [manifest("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")],
            [
                "VerticalPodAutoscaler one has no namespace, and its kind needs one; OLM treats this kind as cluster-scoped, "
                "which it is not; the bundle has to name it"
            ],
            id="VerticalPodAutoscaler",
        ),
        pytest.param(
            {},
            [manifest("monitoring.coreos.com/v1", "ServiceMonitor", name, "a") for name in ("a", "b", "c", "d")],
            [
                "the cluster does not serve ServiceMonitor of monitoring.coreos.com/v1, needed for a, b, c and 1 more; "
                "install the CRDs of the Prometheus operator"
            ],
            id="monitoring",
        ),
        pytest.param(
            {},
            [manifest("cert-manager.io/v1", "Certificate", namespace="a")],
            [
                "the cluster does not serve Certificate of cert-manager.io/v1, needed for one; "
                "install cert-manager, or choose another certificate_provider"
            ],
            id="cert-manager",
        ),
        pytest.param(
            {},
            [manifest("console.openshift.io/v1", "ConsolePlugin")],
            [
                "the cluster does not serve ConsolePlugin of console.openshift.io/v1, needed for one; "
                "only clusters with the console of OpenShift serve it"
            ],
            id="console",
        ),
        pytest.param(
            {},
            [manifest("policy/v1beta1", "PodDisruptionBudget", namespace="a")],
            [
                "the cluster does not serve PodDisruptionBudget of policy/v1beta1, needed for one; "
                "it serves that kind as policy/v1"
            ],
            id="another version",
        ),
        pytest.param(
            {},
            [manifest("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition")],
            [
                "the cluster does not serve CustomResourceDefinition of apiextensions.k8s.io/v1beta1, needed for one; "
                "Kubernetes removed it in 1.22: the bundle has to bring its CRDs as apiextensions.k8s.io/v1"
            ],
            id="beta CRDs",
        ),
        pytest.param(
            {},
            [crd("new.io", "things", "Thing"), manifest("new.io/v1", "Thing", namespace="a")],
            [],
            id="brought by the bundle",
        ),
        pytest.param(
            {},
            [crd("new.io", "things", "Thing"), manifest("new.io/v1", "Thing")],
            ["Thing one has no namespace, and its kind needs one; the bundle has to name it"],
            id="brought, without a namespace",
        ),
        pytest.param(
            {
                "customresourcedefinitions": {
                    "required": [{"name": "parts.example.com", "version": "v2", "kind": "Part"}]
                }
            },
            [],
            [],
            id="required and there",
        ),
        pytest.param(
            {
                "customresourcedefinitions": {
                    "required": [{"name": "parts.example.com", "version": "v1", "kind": "Part"}]
                }
            },
            [],
            ["the bundle requires version v1 of the CRD parts.example.com; the cluster serves v2"],
            id="required in another version",
        ),
        pytest.param(
            {"customresourcedefinitions": {"required": [{"name": "wheels.cars.io", "version": "v1", "kind": "Wheel"}]}},
            [],
            [
                "the bundle requires the CRD wheels.cars.io, which the cluster does not have; install what provides cars.io"
            ],
            id="required and missing",
        ),
        pytest.param(
            {"customresourcedefinitions": {"required": [{"name": "things.new.io", "version": "v1", "kind": "Thing"}]}},
            [crd("new.io", "things", "Thing")],
            [],
            id="required and brought",
        ),
        pytest.param(
            {
                "apiservicedefinitions": {"required": [{"group": "metrics.io", "version": "v1", "kind": "Metric"}]},
                "nativeAPIs": [{"group": "apps", "version": "v1", "kind": "Deployment"}],
            },
            [],
            ["the bundle requires Metric of metrics.io/v1; install what provides metrics.io"],
            id="required aggregated API",
        ),
        pytest.param(
            {"apiservicedefinitions": {"owned": [{"group": "metrics.io", "version": "v1", "kind": "Metric"}]}},
            [],
            [
                "the APIService 'v1.metrics.io' is not installed by OLM v1 nor here; "
                "only OLM v0 runs bundles that bring aggregated APIs"
            ],
            id="owned aggregated API",
        ),
    ],
)
def test_apis(spec: dict[str, Any], manifests: list[dict[str, Any]], expected: list[str]) -> None:
    assert api_problems(DISCOVERY, bundle(**spec), manifests) == expected


WEBHOOKS = {"webhookdefinitions": [{"deploymentName": "stamper"}, {"deploymentName": "stamper"}]}


@pytest.mark.parametrize(
    ("spec", "provider", "served", "expected"),
    [
        pytest.param({}, None, (), [], id="no webhooks"),
        pytest.param(WEBHOOKS, "none", (), [], id="somebody else sees to it"),
        pytest.param(
            WEBHOOKS,
            None,
            (),
            [
                "Deployment stamper serves webhooks, and nothing on the cluster makes a certificate for it; install "
                "cert-manager, or set certificate_provider to none and see to the certificate yourself"
            ],
            id="none there",
        ),
        pytest.param(
            WEBHOOKS,
            "openshift-service-ca",
            (),
            ["the certificate_provider openshift-service-ca is not on the cluster; those that are: none"],
            id="another one",
        ),
        pytest.param(WEBHOOKS, "cert-manager", (), [], id="said of its kinds"),
        pytest.param(
            WEBHOOKS,
            "openshift-service-ca",
            (resource("operator.openshift.io", "servicecas", "ServiceCA"),),
            [],
            id="there",
        ),
    ],
)
def test_certificates(
    spec: dict[str, Any], provider: str | None, served: tuple[Resource, ...], expected: list[str]
) -> None:
    assert certificate_problems(Discovery(served), bundle(**spec), provider) == expected


CONFIG_MAP = ObjectKey(Collection("", "v1", "configmaps", "ConfigMap", "home"), "settings")


def actions(needs: tuple[Need, ...], *, optional: bool = False) -> set[tuple[str, str, str, str]]:
    return {
        (need.action.verb, need.action.resource, need.action.name, need.action.namespace)
        for need in needs
        if need.optional is optional
    }


def test_what_an_installer_does() -> None:
    found = needed([crd("new.io", "things", "Thing")], [CONFIG_MAP], namespace="home", watched=["", "away"])
    assert actions(found) == {
        ("get", "namespaces", "home", "home"),
        ("get", "namespaces", "away", "away"),
        *((verb, "secrets", "", "home") for verb in ("get", "list", "create", "patch", "delete")),
        *((verb, "configmaps", "settings", "home") for verb in ("get", "patch", "delete")),
        *((verb, "configmaps", "", "home") for verb in ("list", "create")),
    }
    optional = actions(found, optional=True)
    assert {
        ("list", "things", "", ""),
        ("watch", "pods", "", "home"),
        ("list", "resourcequotas", "", "home"),
    } <= optional


def test_a_namespace_to_be_created() -> None:
    found = actions(needed([], [], namespace="home", creates_namespace=True))
    assert {
        ("create", "namespaces", "", ""),
        ("patch", "namespaces", "home", "home"),
        ("delete", "namespaces", "home", "home"),
    } <= found


def rule(verbs: str, resources: str, group: str = "", names: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"apiGroups": [group], "resources": resources.split(), "verbs": verbs.split()}
    return {**found, "resourceNames": names.split()} if names else found


def need(verb: str, plural: str, namespace: str = "", name: str = "") -> Need:
    return Need(Action(verb, plural, name=name, namespace=namespace))


def rules_by_place(*roles: dict[str, Any]) -> dict[str, Any]:
    return {role["metadata"].get("namespace", role["kind"]): role["rules"] for role in roles}


def test_no_role_without_rules() -> None:
    assert smallest_roles((), (), name="me") == ()


def test_a_role_a_namespace_and_none_says_what_the_cluster_role_says() -> None:
    needs = [need("get", "pods"), need("get", "pods", "a"), need("list", "pods", "a"), need("list", "pods", "b")]
    assert rules_by_place(*smallest_roles(needs, (), name="me")) == {
        "ClusterRole": [rule("get", "pods")],
        "a": [rule("list", "pods")],
        "b": [rule("list", "pods")],
    }


def test_what_is_needed_in_a_namespace_that_is_not_there_is_needed_everywhere() -> None:
    roles = smallest_roles([need("get", "pods", "a", "one")], (), name="me", absent=["a"])
    assert rules_by_place(*roles) == {"ClusterRole": [rule("get", "pods", names="one")]}


def test_optional_needs_are_left_out_unless_asked_for() -> None:
    needs = [Need(Action("list", "events", namespace="a"), optional=True)]
    assert smallest_roles(needs, (), name="me") == ()
    assert rules_by_place(*smallest_roles(needs, (), name="me", optional=True)) == {"a": [rule("list", "events")]}


def test_what_is_handed_out_is_held() -> None:
    role = {**manifest("rbac.authorization.k8s.io/v1", "Role", "r", "a"), "rules": [rule("*", "configmaps")]}
    needs = [need("create", "configmaps", "a"), need("get", "configmaps", "a", "one")]
    roles = smallest_roles(needs, grantings_of([role]), name="me")
    assert rules_by_place(*roles) == {"a": [rule("*", "configmaps")]}
