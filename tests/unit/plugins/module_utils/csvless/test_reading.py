# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What plain manifests come to: layouts, APIs, the ClusterServiceVersion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.parsed import pack, unpack
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import problems_of

from .given import api_service, binding, crd, deployment, olm, role, rule, service, webhooks, write

ROOT = Path(__file__).resolve().parents[5]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def from_manifests(*manifests: Any, metadata: Any = None, **how: Any) -> Bundle:
        return read_directory(write(tmp_path, metadata or olm(), *manifests, **how))

    return from_manifests


def kinds(bundle: Bundle) -> list[str]:
    return [f"{item['kind']} {item['metadata']['name']}" for item in bundle.others]


def test_the_example_of_the_proposal() -> None:
    bundle = read_directory(ROOT / "examples" / "bundles" / "kiali-k8sv1")
    facts = bundle_facts(bundle)
    assert problems_of(bundle) == []
    assert (bundle.package, bundle.name, bundle.version, bundle.format) == (
        "kiali-operator",
        "kiali-operator.v1.9.1",
        "1.9.1",
        "k8s+v1",
    )
    assert [api["kind"] for api in facts["provided_apis"]["crds"]] == ["Kiali", "MonitoringDashboard"]
    assert facts["required_apis"] == {"crds": [], "api_services": []}
    assert [api["kind"] for api in facts["optional_apis"]] == ["OAuthClient", "Route"]
    assert facts["native_apis"] == [
        {"group": "apps", "version": "v1", "kind": "Deployment"},
        {"nonResourceURL": "/version"},
    ]
    owned = bundle.owned_crds[0]
    assert [item["path"] for item in owned["specDescriptors"]] == [
        "auth.strategy",
        "deployment.namespace",
        "deployment.view_only_mode",
    ]
    assert [warning.partition(": was written")[0] for warning in bundle.warnings] == [
        "crd-kialis.yaml: CustomResourceDefinition 'kialis.kiali.io'",
        "crd-monitoringdashboards.yaml: CustomResourceDefinition 'monitoringdashboards.monitoring.kiali.io'",
    ]
    assert bundle.others == ()
    assert unpack(pack(bundle) or b"") == bundle


def test_both_layouts_read_alike(tmp_path: Path) -> None:
    manifests = (deployment(), crd(), role("r", rule()), binding("r", "tea"))
    flat = read_directory(
        write(tmp_path / "flat", olm(), *manifests, files={"README.md": "# tea", "Dockerfile": "FROM scratch"})
    )
    image = read_directory(write(tmp_path / "image", olm(), *manifests, image=True))
    assert (flat.csv, flat.crds, flat.others, flat.package) == (image.csv, image.crds, image.others, image.package)


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("kiali-operator.v1.9.1", "kiali-operator"),
        ("packageserver-v1.14.1", "packageserver"),
        ("tea", "tea"),
        ("a.b.v1", "a.b.v1"),
    ],
)
def test_a_flat_bundle_has_its_package_from_its_name(name: str, package: str, read: Any) -> None:
    assert read(deployment(), metadata=olm(name=name)).package == package


APIS = [{"apiVersion": "cups.example.com/v1", "kind": "Cup"}]
INFERRED = {
    "core": (rule("", "pods"), {}, "", "", "", ""),
    "*.k8s.io": (rule("networking.k8s.io", "ingresses"), {}, "", "", "", ""),
    "of the bundle": (rule("drinks.example.com", "teas/status"), {}, "", "", "", ""),
    "of Kubernetes": (rule("apps", "deployments"), {}, "", "", "", "Deployment"),
    "unknown": (rule("cups.example.com", "cups"), {}, "", "", "cups", ""),
    "described": (rule("cups.example.com", "cups"), {"apis": APIS}, "Cup", "", "", ""),
    "described, other spelling": (rule("cups.example.com", "cups"), {"apiDescriptions": APIS}, "Cup", "", "", ""),
    "described as a dependency": (rule("cups.example.com", "cups"), {"apiDependencies": APIS}, "Cup", "", "", ""),
    "described under its name": (
        rule("cups.example.com", "cuppas"),
        {"apis": [{**APIS[0], "name": "cuppas.cups.example.com"}]},
        "Cup",
        "",
        "",
        "",
    ),
    "under another name": (
        rule("cups.example.com", "cups"),
        {"apis": [{**APIS[0], "name": "cuppas.cups.example.com"}]},
        "",
        "",
        "cups",
        "",
    ),
    "optional": (rule("cups.example.com", "cups"), {"apis": APIS, "optional": True}, "", "Cup", "", ""),
    "unknown though optional": (rule("cups.example.com", "cups"), {"optional": True}, "", "", "cups", ""),
}


@pytest.mark.parametrize("case", INFERRED)
def test_apis_are_inferred_from_what_is_allowed(case: str, read: Any) -> None:
    allowed, said, required, optional, unknown, native = INFERRED[case]
    metadata = {key: value for key, value in said.items() if key != "optional"}
    facts = bundle_facts(
        read(
            deployment(),
            crd(),
            role("r", allowed),
            binding("r", "tea", optional=said.get("optional", False)),
            metadata=olm(**metadata),
        )
    )
    assert [api["kind"] for api in facts["required_apis"]["crds"]] == [required][: bool(required)]
    assert [api["kind"] for api in facts["optional_apis"]] == [optional][: bool(optional)]
    assert [api["resource"] for api in facts["unknown_apis"]] == [unknown][: bool(unknown)]
    assert [api["kind"] for api in facts["native_apis"]] == [native][: bool(native)]
    assert [warning for warning in facts["warnings"] if "is not known" in warning] == (
        [
            f"all.yaml (document 4): the kind of the resource '{unknown}' of the API group 'cups.example.com' is not known, so nothing is "
            "required of clusters; say group, version, kind and name under 'apis' in olm.yaml, or mark the binding as optional"
        ]
        if unknown
        else []
    )


def test_one_binding_that_is_not_optional_makes_an_api_required(read: Any) -> None:
    manifests = (
        role("r", rule("cups.example.com", "cups")),
        binding("one", "tea", to="r", optional=True),
        binding("two", "tea", to="r"),
    )
    facts = bundle_facts(read(deployment(), *manifests, metadata=olm(apis=APIS)))
    assert (len(facts["required_apis"]["crds"]), facts["optional_apis"]) == (1, [])


def test_other_subjects_may_have_wildcards_and_stay_as_they_are(read: Any) -> None:
    group = {"kind": "Group", "name": "drinkers", "apiGroup": "rbac.authorization.k8s.io"}
    bundle = read(deployment(), role("r", rule("*", "*", "*")), binding("r", subjects=[group]))
    assert kinds(bundle) == ["ClusterRole r", "ClusterRoleBinding r", "ServiceAccount tea"]
    assert bundle.cluster_permissions == []


def test_a_binding_of_both_is_divided(read: Any) -> None:
    group = {"kind": "Group", "name": "drinkers", "apiGroup": "rbac.authorization.k8s.io"}
    bundle = read(deployment(), role("r", rule()), binding("r", "tea", subjects=[group]))
    assert kinds(bundle) == ["ClusterRole r", "ClusterRoleBinding r"]
    assert bundle.others[1]["subjects"] == [group]
    assert bundle.cluster_permissions == [{"serviceAccountName": "tea", "rules": [rule()]}]


def in_namespace(manifest: dict[str, Any], namespace: str) -> dict[str, Any]:
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}


def account(namespace: str = "", name: str = "tea") -> dict[str, Any]:
    return {"kind": "ServiceAccount", "name": name, **({"namespace": namespace} if namespace else {})}


SERVICE_ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "tea"}}
HOMES = {
    "none says a namespace": (deployment(), SERVICE_ACCOUNT, account(), True),
    "only the subject does": (deployment(), SERVICE_ACCOUNT, account("kube-system"), True),
    "only the Deployment does": (in_namespace(deployment(), "home"), SERVICE_ACCOUNT, account(), True),
    "the same": (in_namespace(deployment(), "home"), SERVICE_ACCOUNT, account("home"), True),
    "another": (in_namespace(deployment(), "home"), SERVICE_ACCOUNT, account("kube-system"), False),
    "another than its ServiceAccount's": (
        deployment(),
        in_namespace(SERVICE_ACCOUNT, "home"),
        account("kube-system"),
        False,
    ),
}


@pytest.mark.parametrize("case", HOMES)
def test_an_account_of_the_same_name_in_another_namespace_is_not_the_operators(case: str, read: Any) -> None:
    *manifests, subject, own = HOMES[case]
    bundle = read(*manifests, role("r", rule("", "secrets")), binding("r", subjects=[subject]))
    assert bundle.cluster_permissions == (
        [{"serviceAccountName": "tea", "rules": [rule("", "secrets")]}] if own else []
    )
    assert [item["subjects"] for item in bundle.others if item["kind"] == "ClusterRoleBinding"] == (
        [] if own else [[subject]]
    )
    assert bundle.warnings == (
        ()
        if own
        else (
            "all.yaml (document 4): ClusterRoleBinding 'r': binds the service account 'tea' of the namespace 'kube-system', "
            "which is not the Deployment's of the namespace 'home'; it is applied as it is",
        )
    )


def test_a_binding_to_accounts_of_the_same_name_in_two_namespaces_is_divided(read: Any) -> None:
    bound = binding("r", subjects=[account("home"), account("kube-system")])
    bundle = read(in_namespace(deployment(), "home"), role("r", rule()), bound)
    assert bundle.cluster_permissions == [{"serviceAccountName": "tea", "rules": [rule()]}]
    assert bundle.others[1]["subjects"] == [account("kube-system")]


def test_an_account_that_is_brought_keeps_its_namesakes_apart(read: Any) -> None:
    brought = in_namespace({**SERVICE_ACCOUNT, "metadata": {"name": "agent"}}, "home")
    subjects = [account("home", "agent"), account("kube-system", "agent")]
    bundle = read(in_namespace(deployment(), "home"), brought, role("r", rule()), binding("r", subjects=subjects))
    bound = next(item for item in bundle.others if item["kind"] == "ClusterRoleBinding")
    assert bound["subjects"] == [account("", "agent"), account("kube-system", "agent")]


def test_namesakes_that_cannot_be_told_apart_are_said(read: Any) -> None:
    bundle = read(
        deployment(),
        role("r", rule()),
        binding("r", subjects=[account("home")]),
        binding("s", to="r", subjects=[account("kube-system")]),
    )
    assert bundle.warnings == (
        "all.yaml (document 4): ClusterRoleBinding 's': service accounts with the names of the bundle's are bound in the namespaces home, kube-system, "
        "and no manifest says in which of them its own are; all are taken for its own unless the Deployment has a metadata.namespace",
    )


def test_scopes_stay_apart(read: Any) -> None:
    bundle = read(
        deployment(),
        role("everywhere", rule("", "nodes")),
        binding("everywhere", "tea"),
        role("here", rule("", "secrets"), kind="Role"),
        binding("here", "tea", kind="RoleBinding"),
        binding("also", "tea", kind="RoleBinding", role_kind="ClusterRole", to="everywhere"),
    )
    assert bundle.cluster_permissions == [{"serviceAccountName": "tea", "rules": [rule("", "nodes")]}]
    assert bundle.permissions == [
        {"serviceAccountName": "tea", "rules": [rule("", "secrets")]},
        {"serviceAccountName": "tea", "rules": [rule("", "nodes")]},
    ]
    assert kinds(bundle) == []


@pytest.mark.parametrize(("modes", "warned"), [(["AllNamespaces"], True), (["AllNamespaces", "OwnNamespace"], False)])
def test_a_role_that_will_hold_everywhere_is_said(modes: list[str], warned: bool, read: Any) -> None:
    metadata = olm(installModes=[{"type": mode, "supported": True} for mode in modes])
    bundle = read(
        deployment(), role("r", rule(), kind="Role"), binding("r", "tea", kind="RoleBinding"), metadata=metadata
    )
    assert bundle.warnings == (
        (
            "all.yaml (document 3): what this RoleBinding allows 'tea' will be allowed in all namespaces, "
            "because the operator watches all of them and nothing else",
        )
        if warned
        else ()
    )


def test_gathered_roles_are_granted_and_said(read: Any) -> None:
    bundle = read(
        deployment(),
        role("all", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"x": "z"}}]}),
        role("part", rule("", "pods"), labels={"x": "z"}),
        role(
            "for-users", rule("", "secrets"), labels={"x": "z", "rbac.authorization.k8s.io/aggregate-to-admin": "true"}
        ),
        binding("all", "tea"),
    )
    assert bundle.cluster_permissions[0]["rules"] == [rule("", "pods"), rule("", "secrets")]
    assert kinds(bundle) == ["ClusterRole for-users"]
    assert any("gathers the rules of other roles by label" in warning for warning in bundle.warnings)


def test_a_role_of_the_cluster_stays_a_binding_to_where_the_operator_is(read: Any) -> None:
    bundle = read(deployment(), binding("v", "tea", to="view"))
    assert kinds(bundle) == ["ClusterRoleBinding v", "ServiceAccount tea"]
    assert bundle.others[0]["subjects"] == [{"kind": "ServiceAccount", "name": "tea"}]
    assert any("binds the ClusterRole 'view', which is not in the bundle" in warning for warning in bundle.warnings)


def test_a_role_that_is_not_there_stays_a_binding(read: Any) -> None:
    bundle = read(deployment(), binding("b", "tea", kind="RoleBinding"))
    assert kinds(bundle) == ["RoleBinding b", "ServiceAccount tea"]
    assert any("binds the Role 'b', which is not in the bundle" in warning for warning in bundle.warnings)


@pytest.mark.parametrize(
    ("account", "shipped"),
    [
        ({}, []),
        ({"imagePullSecrets": [{"name": "x"}]}, ["ServiceAccount tea"]),
    ],
)
def test_a_service_account_is_applied_once(account: dict[str, Any], shipped: list[str], read: Any) -> None:
    manifest = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "tea"}, **account}
    assert kinds(read(deployment(), manifest, role("r", rule()), binding("r", "tea"))) == shipped


def test_webhooks_become_definitions_and_their_service_goes(read: Any) -> None:
    bundle = read(
        deployment(), webhooks(), webhooks("MutatingWebhookConfiguration", reinvocationPolicy="Never"), service()
    )
    assert [(item["type"], item["generateName"]) for item in bundle.webhooks] == [
        ("ValidatingAdmissionWebhook", "vtea.drinks.example.com"),
        ("MutatingAdmissionWebhook", "vtea.drinks.example.com"),
    ]
    first = bundle.webhooks[0]
    assert {
        key: first[key] for key in ("deploymentName", "containerPort", "targetPort", "webhookPath", "failurePolicy")
    } == {
        "deploymentName": "tea",
        "containerPort": 443,
        "targetPort": 9443,
        "webhookPath": "/v",
        "failurePolicy": "Fail",
    }
    assert kinds(bundle) == ["ServiceAccount tea"]
    assert problems_of(bundle) == []


def test_other_ports_of_a_service_stay(read: Any) -> None:
    both = service()
    both["spec"]["ports"].append({"name": "metrics", "port": 8080})
    bundle = read(deployment(), webhooks(), both)
    assert bundle.others[0]["spec"]["ports"] == [{"name": "metrics", "port": 8080}]


def test_a_service_named_after_a_deployment_without_webhooks_stays(read: Any) -> None:
    bundle = read(deployment(), deployment("cup"), webhooks(), service(), service("cup-service", app="cup", port=8443))
    assert "Service cup-service" in kinds(bundle)


def test_a_conversion_webhook_becomes_a_definition(read: Any) -> None:
    client = {"service": {"name": "tea-webhook", "namespace": "elsewhere", "path": "/convert", "port": 443}}
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    modes = [{"type": "AllNamespaces", "supported": True}]
    bundle = read(deployment(), crd(conversion=conversion), service(), metadata=olm(installModes=modes))
    assert bundle.webhooks == [
        {
            "type": "ConversionWebhook",
            "generateName": "cteas.drinks.example.com",
            "deploymentName": "tea",
            "containerPort": 443,
            "targetPort": 9443,
            "webhookPath": "/convert",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "conversionCRDs": ["teas.drinks.example.com"],
        }
    ]
    assert problems_of(bundle) == []


def test_an_aggregated_api_becomes_a_definition(read: Any) -> None:
    reader = binding("reader", "tea", kind="RoleBinding", to="extension-apiserver-authentication-reader")
    reader["metadata"]["namespace"] = "kube-system"
    manifests = (
        deployment(),
        api_service(),
        service(),
        role("r", rule("cups.example.com", "cups")),
        binding("r", "tea"),
        binding("delegator", "tea", to="system:auth-delegator"),
        reader,
    )
    descriptor = {"path": "status.catalogSource", "capabilities": ["urn:alm:descriptor:text"]}
    bundle = read(*manifests, metadata=olm(apis=[{**APIS[0], "descriptors": [descriptor]}]))
    assert bundle.csv["spec"]["apiservicedefinitions"] == {
        "owned": [
            {
                "group": "cups.example.com",
                "version": "v1",
                "kind": "Cup",
                "name": "cups",
                "deploymentName": "tea",
                "containerPort": 9443,
                "statusDescriptors": [{"path": "catalogSource", "x-descriptors": ["urn:alm:descriptor:text"]}],
            }
        ]
    }
    assert kinds(bundle) == []
    assert bundle_facts(bundle)["required_apis"] == {"crds": [], "api_services": []}


def test_the_binding_in_kube_system_says_nothing_of_where_the_operator_is(read: Any) -> None:
    reader = binding("reader", "tea", kind="RoleBinding", to="extension-apiserver-authentication-reader")
    home = in_namespace(SERVICE_ACCOUNT, "elsewhere")
    manifests = (in_namespace(reader, "kube-system"), home, deployment(), api_service(), service())
    assert kinds(read(*manifests, metadata=olm(apis=[APIS[0]]))) == ["ServiceAccount tea"]


def test_a_named_port_of_an_aggregated_api_becomes_its_number(read: Any) -> None:
    named = {"name": "manager", "image": "tea", "ports": [{"name": "https", "containerPort": 8443}]}
    metadata = olm(apis=[APIS[0]])
    bundle = read(deployment(containers=[named]), api_service(), service(targetPort="https"), metadata=metadata)
    assert bundle.csv["spec"]["apiservicedefinitions"]["owned"][0]["containerPort"] == 8443


def test_what_objects_that_are_made_anew_lose_is_said(read: Any) -> None:
    served = api_service()
    served["spec"].update({"groupPriorityMinimum": 1000, "versionPriority": 15})
    labelled = {**service(), "metadata": {"name": "tea-webhook", "annotations": {"a": "b"}}}
    kept = {**service("front"), "metadata": {"name": "front", "labels": {"a": "b"}}}
    bundle = read(
        deployment(),
        served,
        labelled,
        kept,
        role("r", rule(), labels={"a": "b"}),
        binding("r", "tea", optional=True),
        metadata=olm(apis=[APIS[0]]),
    )
    assert bundle.warnings == (
        "all.yaml (document 2): APIService 'v1.cups.example.com': spec.groupPriorityMinimum is 1000, "
        "which a ClusterServiceVersion cannot say; OLM makes it 2000",
        "labels and annotations of Service 'tea-webhook', ClusterRole 'r' are not applied: these objects are made anew, as OLM makes them",
    )


def test_an_api_that_nothing_provides_or_uses_is_said(read: Any) -> None:
    apis = [{"apiVersion": f"drinks.example.com/{version}", "kind": "Tea"} for version in ("v1", "v2")]
    assert read(deployment(), crd(), metadata=olm(apis=apis)).warnings == (
        "olm.yaml: Tea of drinks.example.com/v2 is described, but the bundle neither provides nor uses it; it is left out",
    )


def test_an_unqualified_descriptor_is_taken_for_one_of_spec(read: Any) -> None:
    api = {"group": "drinks.example.com", "version": "v1", "kind": "Tea", "descriptors": [{"path": "title"}]}
    bundle = read(deployment(), crd(), metadata=olm(apis=[api]))
    assert bundle.owned_crds[0]["specDescriptors"] == [{"path": "title"}]
    assert bundle.warnings == (
        "olm.yaml: 'apis[0].descriptors[0].path' is 'title', which does not begin with spec or status; taken for spec.title",
    )


def test_dependencies_are_where_catalogs_look_for_them(read: Any) -> None:
    metadata = olm(
        packageDependencies=[{"packageName": "kettle", "version": ">=1.0.0"}],
        apiDependencies=APIS,
        annotations={"a": "b"},
    )
    annotations = read(deployment(), metadata=metadata).csv["metadata"]["annotations"]
    assert annotations == {
        "a": "b",
        "olm.properties": '[{"type":"olm.package.required","value":{"packageName":"kettle","versionRange":"\\u003e=1.0.0"}},'
        '{"type":"olm.gvk.required","value":{"group":"cups.example.com","kind":"Cup","version":"v1"}}]',
    }


OLD = {
    "apiVersion": "apiextensions.k8s.io/v1beta1",
    "spec": {
        "group": "drinks.example.com",
        "names": {"kind": "Tea", "plural": "teas"},
        "version": "v1",
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "A", "type": "string", "JSONPath": ".spec.a"}],
    },
}


@pytest.mark.parametrize(
    ("changed", "schema"),
    [
        ({}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        (
            {"validation": {"openAPIV3Schema": {"properties": {"spec": {"type": "object"}}}}},
            {
                "type": "object",
                "properties": {"spec": {"type": "object"}},
                "x-kubernetes-preserve-unknown-fields": True,
            },
        ),
        (
            {"preserveUnknownFields": False, "validation": {"openAPIV3Schema": {"type": "object", "description": "d"}}},
            {"type": "object", "description": "d"},
        ),
    ],
)
def test_an_old_crd_accepts_the_same_in_v1(changed: dict[str, Any], schema: dict[str, Any], read: Any) -> None:
    old = {**crd(), **OLD, "spec": {**OLD["spec"], **changed}}  # type: ignore[dict-item]
    bundle = read(deployment(), old)
    assert bundle.crds[0]["apiVersion"] == "apiextensions.k8s.io/v1"
    assert bundle.crds[0]["spec"]["versions"] == [
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
        }
    ]
