# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is to know about a bundle."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    deployment,
    strategy,
    webhook,
    write_bundle,
)

RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def test_the_facts_of_a_bundle(tmp_path: Path) -> None:
    pod = {
        "initContainers": [{"name": "init", "image": "a/init:1"}],
        "containers": [
            {
                "name": "c",
                "image": "a/op:1",
                "env": [{"name": "RELATED_IMAGE_DB", "value": "a/db:1"}, {"name": "X", "value": "y"}],
            }
        ],
    }
    csv = bundle_csv(
        minKubeVersion="1.25.0",
        install=strategy(
            deployments=[deployment(**pod)],
            permissions=[{"serviceAccountName": "tea", "rules": [RULE]}],
            clusterPermissions=[{"rules": [RULE]}, {"serviceAccountName": "tea", "rules": [RULE, RULE]}],
        ),
        customresourcedefinitions={
            "owned": [{"name": "teas.drinks.example", "kind": "Tea", "version": "v1", "displayName": "Tea"}],
            "required": [{"name": "cups.drinks.example", "kind": "Cup", "version": "v2"}],
        },
        apiservicedefinitions={
            "owned": [
                {
                    "name": "x",
                    "group": "brew.example",
                    "version": "v1",
                    "kind": "Brew",
                    "deploymentName": "tea-operator",
                }
            ]
        },
        nativeAPIs=[{"group": "apps", "version": "v1", "kind": "Deployment"}],
        relatedImages=[{"name": "db", "image": "a/db:1"}],
        webhookdefinitions=[webhook()],
    )
    csv["metadata"]["annotations"]["operatorframework.io/suggested-namespace"] = "tea-system"
    facts = bundle_facts(read_bundle(write_bundle(tmp_path, csv)))

    assert {
        name: facts[name]
        for name in ("package", "name", "version", "format", "min_kube_version", "suggested_namespace", "certificates")
    } == {
        "package": "tea",
        "name": "tea.v1.2.3",
        "version": "1.2.3",
        "format": "registry+v1",
        "min_kube_version": "1.25.0",
        "suggested_namespace": "tea-system",
        "certificates": ["tea-operator"],
    }
    assert facts["install_modes"] == {
        "AllNamespaces": True,
        "MultiNamespace": False,
        "OwnNamespace": True,
        "SingleNamespace": True,
    }
    assert facts["channels"] == {"names": ["stable", "fast"], "default": "stable"}
    assert facts["provided_apis"] == {
        "crds": [
            {
                "name": "teas.drinks.example",
                "kind": "Tea",
                "version": "v1",
                "displayName": "Tea",
                "group": "drinks.example",
            }
        ],
        "api_services": [
            {"name": "x", "group": "brew.example", "version": "v1", "kind": "Brew", "deploymentName": "tea-operator"}
        ],
    }
    assert facts["required_apis"]["crds"] == [
        {"name": "cups.drinks.example", "kind": "Cup", "version": "v2", "group": "drinks.example"}
    ]
    assert facts["native_apis"] == [{"group": "apps", "version": "v1", "kind": "Deployment"}]
    assert facts["images"] == [
        {
            "image": "a/db:1",
            "used_by": ["deployment tea-operator, container c, variable RELATED_IMAGE_DB", "related image db"],
        },
        {"image": "a/init:1", "used_by": ["deployment tea-operator, container init"]},
        {"image": "a/op:1", "used_by": ["deployment tea-operator, container c"]},
    ]
    assert facts["permissions"] == {
        "default": {"namespaced": [], "cluster": [RULE]},
        "tea": {"namespaced": [RULE], "cluster": [RULE, RULE]},
    }
    assert [one["generateName"] for one in facts["webhooks"]] == ["vtea.drinks.example"]
    assert facts["unsupported"] == ["the APIService 'v1.brew.example' is not installed by OLM v1"]


def test_a_bundle_that_says_little(tmp_path: Path) -> None:
    facts = bundle_facts(read_bundle(write_bundle(tmp_path, {"kind": "ClusterServiceVersion"})))

    assert (facts["version"], facts["min_kube_version"], facts["suggested_namespace"], facts["images"]) == (
        "0.0.0",
        None,
        None,
        [],
    )
