# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is rendered is accepted by a real API server, for bundles of every kind and configurations of every sort.

Objects go to the server as a server-side apply in a dry run; the CRDs of the bundle, and those of cert-manager and
monitoring that a rendering may need, are there first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.reach import connection_to

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT.parent / "shared" / "corpus" / "bundles"
NAMESPACE, WATCHED = "install-ns", "watch-ns"
CONFIGS: list[dict[str, Any]] = [
    {},
    {"watchNamespace": NAMESPACE},
    {"watchNamespace": WATCHED},
    {
        "deploymentConfig": {
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}],
            "resources": {"limits": {"cpu": "1500m", "memory": "1024Mi"}},
            "env": [
                {"name": "MODE", "value": "strict"},
                {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ],
            "envFrom": [{"configMapRef": {"name": "settings", "optional": True}}],
            "volumes": [{"name": "extra", "emptyDir": {"sizeLimit": "1Gi"}}],
            "volumeMounts": [{"name": "extra", "mountPath": "/extra"}],
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]
                    }
                }
            },
            "annotations": {"team": "platform"},
        }
    },
]
FOREIGN = (
    minimal_crd("cert-manager.io", "certificates", "Certificate", scope="Namespaced"),
    minimal_crd("cert-manager.io", "issuers", "Issuer", scope="Namespaced"),
)


@pytest.fixture(scope="module")
def prepared(rig: Any) -> Iterator[Cluster]:
    """A cluster with the namespaces and the foreign CRDs."""
    cluster: Cluster = rig.add_cluster("rendered")
    for name in (NAMESPACE, WATCHED):
        cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    add_crds(cluster, *FOREIGN)
    yield cluster
    rig.remove_cluster("rendered")


def bundles() -> list[Path]:
    """The examples, and where real bundles are at hand a few of those, too."""
    real = sorted(CORPUS.iterdir())[::8] if CORPUS.is_dir() else []
    return sorted((ROOT / "examples" / "bundles").iterdir()) + real


@pytest.mark.parametrize("path", bundles(), ids=lambda path: path.name)
def test_every_rendering_is_accepted_by_a_real_api_server(path: Path, prepared: Cluster) -> None:
    bundle = load_bundle(str(path), SourceOptions()).bundle
    if path.is_relative_to(CORPUS) and not _could_be_installed_today(bundle):
        pytest.skip(
            f"{path.name}: OLM v1 renders what no current API server takes (beta APIs, a webhook without a port)"
        )
    accepted = 0
    for config in CONFIGS:
        wanted = dict(config)
        if "watchNamespace" not in wanted and "AllNamespaces" not in bundle.supported_install_modes:
            wanted["watchNamespace"] = NAMESPACE if "OwnNamespace" in bundle.supported_install_modes else WATCHED
        if not _accepts(bundle, wanted):
            continue
        manifests = render(bundle, Config.parse(wanted, schema_of(bundle), NAMESPACE), NAMESPACE, "cert-manager")
        _apply(prepared, manifests)
        accepted += 1
    assert accepted >= 2


def _could_be_installed_today(bundle: Bundle) -> bool:
    current = all("beta" not in str(manifest.get("apiVersion")) for manifest in (*bundle.crds, *bundle.others))
    return current and all(webhook.get("containerPort") for webhook in bundle.webhooks)


def _accepts(bundle: Bundle, config: dict[str, Any]) -> bool:
    modes = bundle.supported_install_modes
    watched = config.get("watchNamespace")
    needed = {None: "AllNamespaces", NAMESPACE: "OwnNamespace", WATCHED: "SingleNamespace"}[watched]
    return needed in modes


def _apply(cluster: Cluster, manifests: tuple[dict[str, Any], ...]) -> None:
    crds = [manifest for manifest in manifests if manifest["kind"] == "CustomResourceDefinition"]
    add_crds(cluster, *({**crd, "spec": {**crd["spec"], "conversion": {"strategy": "None"}}} for crd in crds))
    with Client(connection_to(cluster), dry_run=True) as client:
        for manifest in manifests:
            client.apply(_path(client, manifest), json.loads(json.dumps(manifest)), force=True)


def _path(client: Client, manifest: dict[str, Any]) -> str:
    group, _slash, version = manifest["apiVersion"].rpartition("/")
    name = manifest["metadata"]["name"]
    if group:
        found = [
            item
            for item in client.discovery().in_group(group)
            if (item.version, item.kind) == (version, manifest["kind"])
        ]
        assert found, f"{manifest['apiVersion']} {manifest['kind']} is not served"
        plural, namespaced = found[0].plural, found[0].namespaced
    else:
        plural, namespaced = manifest["kind"].lower() + "s", True
    base = f"/apis/{group}/{version}" if group else f"/api/{version}"
    where = f"/namespaces/{manifest['metadata']['namespace']}" if namespaced else ""
    return f"{base}{where}/{plural}/{name}"
