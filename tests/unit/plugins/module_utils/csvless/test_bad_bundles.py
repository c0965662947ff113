# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles that are refused, each with the message that says where and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError

from .given import api_service, binding, crd, deployment, olm, role, rule, service, webhooks, write

STAR = rule("*", "pods")
LONG = "tea" * 20


def behind_tea_service() -> dict[str, Any]:
    return webhooks(clientConfig={"service": {"name": "tea-service", "namespace": "elsewhere", "port": 443}})


def service_with_metrics(name: str) -> dict[str, Any]:
    both = service(name)
    both["spec"]["ports"].append({"name": "metrics", "port": 8443})
    return both


BAD: dict[str, tuple[Any, list[Any], str]] = {
    "no deployment": (olm(), [crd()], "no file has a Deployment; an operator has at least one"),
    "no name": (olm(name=None), [deployment()], "olm.yaml: missing required key 'name'"),
    "no version": (olm(version=None), [deployment()], "olm.yaml: missing required key 'version'"),
    "no minKubeVersion": (olm(minKubeVersion=None), [deployment()], "olm.yaml: missing required key 'minKubeVersion'"),
    "no installModes": (olm(installModes=None), [deployment()], "olm.yaml: missing required key 'installModes'"),
    "misspelt key": (olm(displayname="x"), [deployment()], "olm.yaml: unknown key 'displayname', did you mean 'displayName'?"),
    "misspelt inner key": (
        olm(maintainers=[{"nmae": "x"}]),
        [deployment()],
        "olm.yaml: unknown key 'maintainers[0].nmae', did you mean 'name'?",
    ),
    "number for a version": (olm(version=1.2), [deployment()], "olm.yaml: 'version' must be a version such as 1.2.3, seen 1.2; put it in quotes"),
    "no version at all": (olm(version="latest"), [deployment()], "olm.yaml: 'version' must be a version such as 1.2.3, seen 'latest'"),
    "unknown install mode": (
        olm(installModes=[{"type": "AllNamespace", "supported": True}]),
        [deployment()],
        "olm.yaml: 'installModes[0].type' must be one of AllNamespaces, MultiNamespace, OwnNamespace, SingleNamespace, seen 'AllNamespace'"
        ", did you mean 'AllNamespaces'?",
    ),
    "both spellings": (
        olm(apis=[], apiDescriptions=[]),
        [deployment()],
        "olm.yaml: 'apis' and 'apiDescriptions' are two spellings of one key; use one of them",
    ),
    "an API without kind": (
        olm(apis=[{"group": "x.example.com"}]),
        [deployment()],
        "olm.yaml: 'apis[0]' must have 'kind' and either 'group' and 'version' or 'apiVersion'",
    ),
    "contradicting API": (
        olm(apis=[{"apiVersion": "a.example.com/v1", "version": "v2", "kind": "A"}]),
        [deployment()],
        "olm.yaml: 'apis[0]': 'apiVersion' is a.example.com/v1, which 'group' or 'version' contradicts",
    ),
    "both spellings of a descriptor": (
        olm(apis=[{"apiVersion": "a.example.com/v1", "kind": "A", "descriptors": [{"path": "spec.a", "capabilities": [], "x-descriptors": []}]}]),
        [deployment()],
        "olm.yaml: 'apis[0].descriptors[0]': 'capabilities' and 'x-descriptors' are two spellings of one key; use one of them",
    ),
    "not a mapping": ("- a\n", [deployment()], "olm.yaml: must be a mapping with name, version, minKubeVersion, installModes"),
    "unaccepted kind": (
        olm(),
        [deployment(), {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}}],
        "all.yaml (document 2): Job 'j': this kind is not accepted; accepted are APIService,",
    ),
    "misspelt kind": (
        olm(),
        [{**deployment(), "kind": "Deploymant"}],
        "all.yaml: Deploymant 'tea': this kind is not accepted, did you mean 'Deployment'?",
    ),
    "a CSV": (
        olm(),
        [deployment(), {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": {"name": "c"}}],
        "all.yaml (document 2): ClusterServiceVersion 'c': a bundle of the format k8s+v1 has none",
    ),
    "an old Deployment": (
        olm(),
        [{**deployment(), "apiVersion": "extensions/v1beta1"}],
        "all.yaml: Deployment 'tea': has the apiVersion extensions/v1beta1; accepted is apps/v1",
    ),
    "no metadata.name": (olm(), [{**deployment(), "metadata": {}}], "all.yaml: Deployment: has no metadata.name"),
    "the same twice": (olm(), [deployment(), deployment()], "all.yaml (document 2): Deployment 'tea': stands in all.yaml (document 1) already"),
    "two namespaces": (
        olm(),
        [
            {**deployment(), "metadata": {"name": "tea", "namespace": "one"}},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "two"}},
        ],
        "all.yaml (document 2): ConfigMap 'c': is in the namespace 'two', others in 'one'",
    ),
    "wrong type": (
        olm(),
        [{**deployment(), "spec": {"replicas": "many"}}],
        "all.yaml: Deployment 'tea': ",
    ),
    "wildcard resource": (
        olm(),
        [deployment(), role("r", rule("", "pods"), rule("apps", "*")), binding("r", "tea")],
        "all.yaml (document 2): ClusterRole 'r': rules[1].resources has '*', and ClusterRoleBinding 'r' gives it to the Deployment's "
        "service account 'tea'; wildcards are not accepted there, name what is needed",
    ),
    "wildcard group": (olm(), [deployment(), role("r", STAR), binding("r", "tea")], "ClusterRole 'r': rules[0].apiGroups has '*'"),
    "wildcard subresource": (olm(), [deployment(), role("r", rule("", "*/status")), binding("r", "tea")], "rules[0].resources has '*/status'"),
    "wildcard URL": (
        olm(),
        [deployment(), role("r", {"nonResourceURLs": ["*"], "verbs": ["get"]}), binding("r", "tea")],
        "rules[0].nonResourceURLs has '*'",
    ),
    "wildcard verb": (
        olm(),
        [deployment(), role("r", rule("", "pods", "get", "*")), binding("r", "tea")],
        "rules[0].verbs has '*', and ClusterRoleBinding 'r' gives it to the Deployment's service account 'tea'",
    ),
    "wildcard below a URL": (
        olm(),
        [deployment(), role("r", {"nonResourceURLs": ["/metrics/*"], "verbs": ["get"]}), binding("r", "tea")],
        "rules[0].nonResourceURLs has '/metrics/*'",
    ),
    "gathered wildcard": (
        olm(),
        [
            deployment(),
            role("all", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"x": "z"}}]}),
            role("part", STAR, labels={"x": "z"}),
            binding("all", "tea"),
        ],
        "ClusterRole 'all': rules[0].apiGroups has '*'",
    ),
    "cluster-admin": (
        olm(),
        [deployment(), binding("b", "tea", to="cluster-admin")],
        "ClusterRoleBinding 'b': binds a Deployment's service account to cluster-admin, which allows everything",
    ),
    "a Role of kube-system": (
        olm(),
        [deployment(), binding("b", "tea", kind="RoleBinding", to="extension-apiserver-authentication-reader")],
        "RoleBinding 'b': binds the Role 'extension-apiserver-authentication-reader' of kube-system, where a bundle puts nothing",
    ),
    "roleRef without a kind": (
        olm(),
        [deployment(), {**binding("b", "tea"), "roleRef": {"name": "b"}}],
        "all.yaml (document 2): ClusterRoleBinding 'b': roleRef must have the kind Role or ClusterRole and a name",
    ),
    "rules of a wrong type": (
        olm(),
        [deployment(), {**role("r"), "rules": {"a": 1}}, binding("r", "tea")],
        "all.yaml (document 2): ClusterRole 'r': rules must be a list",
    ),
    "webhook without Service": (
        olm(),
        [deployment(), webhooks()],
        "all.yaml (document 2): ValidatingWebhookConfiguration 'tea': webhooks[0].clientConfig names the Service 'tea-webhook', which is not in the bundle",
    ),
    "webhook by URL": (
        olm(),
        [deployment(), webhooks(clientConfig={"url": "https://example.com"})],
        "webhooks[0].clientConfig must name a Service of the bundle under 'service'",
    ),
    "webhook on another port": (
        olm(),
        [deployment(), webhooks(), service(port=80)],
        "webhooks[0].clientConfig names the port 443 of the Service 'tea-webhook', which has 80",
    ),
    "webhook of no Deployment": (
        olm(),
        [deployment(), webhooks(), service(app="coffee")],
        "whose selector must fit the pods of exactly one Deployment; it fits none",
    ),
    "webhook with namespaceSelector": (
        olm(),
        [deployment(), webhooks(namespaceSelector={"matchLabels": {"a": "b"}}), service()],
        "webhooks[0].namespaceSelector cannot be kept: OLM selects the watched namespaces itself; select objects with objectSelector",
    ),
    "Service with the name of the one for webhooks": (
        olm(),
        [deployment(), webhooks(), service(), service("tea-service", port=8443)],
        "all.yaml (document 4): Service 'tea-service': OLM makes a Service of this name itself, for the webhooks or APIs of the Deployment 'tea'",
    ),
    "Service with the name of the one for webhooks, cut": (
        olm(),
        [deployment(LONG), webhooks(), service(app=LONG), service(f"{LONG[:55]}-service", app=LONG, port=8443)],
        f"all.yaml (document 4): Service '{LONG[:55]}-service': OLM makes a Service of this name itself",
    ),
    "Service with the name of the one for aggregated APIs": (
        olm(apis=[{"apiVersion": "cups.example.com/v1", "kind": "Cup"}]),
        [deployment(), api_service(), service(), service("tea-service", port=8443)],
        "all.yaml (document 4): Service 'tea-service': OLM makes a Service of this name itself",
    ),
    "Service with other ports and the name of the one for webhooks": (
        olm(),
        [deployment(), behind_tea_service(), service_with_metrics("tea-service")],
        "all.yaml (document 3): Service 'tea-service': OLM makes a Service of this name itself, for the webhooks or APIs of the Deployment 'tea'; "
        "give the ports that are for others a Service of another name",
    ),
    "APIService without Service": (
        olm(),
        [deployment(), api_service()],
        "APIService 'v1.cups.example.com': spec names the Service 'tea-webhook', which is not in the bundle",
    ),
    "APIService on a port that is not there": (
        olm(apis=[{"apiVersion": "cups.example.com/v1", "kind": "Cup"}]),
        [deployment(), api_service(), service(targetPort="https")],
        "APIService 'v1.cups.example.com': spec.service leads to the port 'https', which no container of the Deployment 'tea' has",
    ),
    "APIService without kinds": (
        olm(),
        [deployment(), api_service(), service()],
        "the APIService 'v1.cups.example.com' serves kinds that only olm.yaml can name; list them there under 'apis'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_bundle_is_refused_with_place_and_reason(case: str, tmp_path: Path) -> None:
    metadata, manifests, message = BAD[case]
    with pytest.raises(FleetError) as refused:
        read_directory(write(tmp_path, metadata, *manifests))
    assert message in str(refused.value)


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FleetError) as refused:
        read_directory(write(tmp_path, olm(nmae="x", keywords="tea", icon={"a": 1}), deployment()))
    assert sorted(str(refused.value).splitlines()) == [
        "invalid bundle 'tea.v1.2.3': olm.yaml: 'icon' must be a list, seen {\"a\": 1}",
        "invalid bundle 'tea.v1.2.3': olm.yaml: 'keywords' must be a list, seen 'tea'",
        "invalid bundle 'tea.v1.2.3': olm.yaml: unknown key 'nmae', did you mean 'name'?",
    ]


def test_an_image_needs_annotations_of_the_same_format(tmp_path: Path) -> None:
    root = write(tmp_path, olm(), deployment(), image=True)
    annotations = root / "metadata" / "annotations.yaml"
    annotations.write_text(annotations.read_text().replace("k8s+v1", "registry+v1"))
    with pytest.raises(FleetError, match=r"is 'registry\+v1', but there is an olm.yaml, which only k8s\+v1 has"):
        read_directory(root)
    annotations.unlink()
    with pytest.raises(FleetError, match=r"metadata/annotations.yaml: no such file; an image of a bundle has one"):
        read_directory(root)


def test_an_image_of_this_format_needs_olm_yaml(tmp_path: Path) -> None:
    root = write(tmp_path, olm(), deployment(), image=True)
    (root / "metadata" / "olm.yaml").unlink()
    with pytest.raises(FleetError, match=r"the format is k8s\+v1, but metadata/olm.yaml is not there"):
        read_directory(root)


def test_a_folder_among_the_manifests_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path, olm(), deployment(), image=True, files={"manifests/more/x.yaml": yaml.safe_dump(crd())})
    with pytest.raises(FleetError, match=r"manifests/more: a directory; accepted are files"):
        read_directory(root)
