# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin, run by Ansible on real clusters: one of them is the hub that knows the other."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster, merged_kubeconfig
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.rig import Rig

OCM, CAPI = "cluster.open-cluster-management.io", "cluster.x-k8s.io"
# Port 9 is the one for discarding: nothing listens there.
DEAD = "https://127.0.0.1:9"


@dataclass(frozen=True)
class Desk:
    """A folder with inventory files, and Ansible at work in it."""

    folder: Path

    def write(self, name: str, content: Any) -> Path:
        path = self.folder / name
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return path

    def inventory(self, *sources: Any, **options: Any) -> str:
        self.write("clusters.yml", {"plugin": "fleet.olm.clusters", "sources": list(sources), **options})
        return "clusters.yml"

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "ANSIBLE_NOCOLOR": "1",
                "ANSIBLE_HOME": str(self.folder / "ansible"),
                "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1",
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                "HOME": str(self.folder),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def listed(self, *arguments: str) -> tuple[dict[str, Any], dict[str, set[str]], str]:
        """Host variables, groups with their hosts, and all that was printed."""
        ran = self.run("ansible-inventory", "-i", "clusters.yml", "--list", *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        found = json.loads(ran.stdout)
        variables = {host: _without_marks(values) for host, values in found.pop("_meta")["hostvars"].items()}
        return variables, {name: set(group.get("hosts", [])) for name, group in found.items()}, ran.stdout + ran.stderr


def _without_marks(value: Any) -> Any:
    """Ansible marks texts that are no templates."""
    if isinstance(value, dict):
        if set(value) == {"__ansible_unsafe"}:
            return value["__ansible_unsafe"]
        return {key: _without_marks(item) for key, item in value.items()}
    return [_without_marks(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="module")
def hub(rig: Rig) -> Iterator[Cluster]:
    """A cluster with the CRDs of two hubs on it."""
    found = rig.add_cluster("hub")
    add_crds(
        found,
        minimal_crd(OCM, "managedclusters", "ManagedCluster", "v1"),
        minimal_crd(CAPI, "clusters", "Cluster", "v1beta1", scope="Namespaced"),
    )
    for namespace in ("argocd", "edge", "gone", "production"):
        found.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    yield found
    rig.remove_cluster("hub")


def add_secret(hub: Cluster, namespace: str, name: str, content: dict[str, str], **labels: str) -> None:
    body = {"metadata": {"name": name, "labels": labels}, "stringData": content}
    hub.request("POST", f"/api/v1/namespaces/{namespace}/secrets", body)


def bundled(cluster: Cluster) -> dict[str, Any]:
    """A kubeconfig as hubs keep it: with the certificate authority in it."""
    config = cluster.kubeconfig()
    authority = base64.b64encode(cluster.ca_file.read_bytes()).decode()
    config["clusters"][0]["cluster"] = {"server": cluster.url, "certificate-authority-data": authority}
    return config


def add_managed_cluster(hub: Cluster, name: str, url: str, authority: bytes, **labels: str) -> None:
    api = f"/apis/{OCM}/v1/managedclusters"
    status = {
        "version": {"kubernetes": "v1.30.0"},
        "clusterClaims": [
            {"name": "region.open-cluster-management.io", "value": "eu-west-1"},
            {"name": "platform.open-cluster-management.io", "value": "AWS"},
        ],
    }
    reached = {"url": url, "caBundle": base64.b64encode(authority).decode()}
    body = {
        "apiVersion": f"{OCM}/v1",
        "kind": "ManagedCluster",
        "metadata": {"name": name, "labels": labels},
        "spec": {"hubAcceptsClient": True, "managedClusterClientConfigs": [reached]},
        "status": status,
    }
    hub.request("POST", api, body)


def test_contexts_of_a_kubeconfig_and_a_cluster_that_is_dead(desk: Desk, cluster: Cluster, hub: Cluster) -> None:
    config = merged_kubeconfig([cluster, hub])
    config["clusters"].append({"name": "dead", "cluster": {"server": DEAD}})
    config["contexts"].append({"name": "dead", "context": {"cluster": "dead", "user": "shared-admin"}})
    config["contexts"].append({"name": "torn", "context": {"cluster": "nowhere", "user": "shared-admin"}})
    desk.write("fleet.yaml", config)
    desk.inventory({"kubeconfig": "*.yaml", "labels": {"env": "prod"}}, keyed_groups=[{"key": "labels.env"}])
    variables, groups, printed = desk.listed()
    assert groups["fleet"] == groups["prod"] == {"shared", "hub", "dead", "torn"}
    assert groups["version_1_36"] == {"shared", "hub"}
    assert groups["unreachable"] == {"dead", "torn"}
    assert variables["dead"]["unreachable_reason"].startswith(f"cannot reach cluster dead ({DEAD}): connection refused")
    assert "has no cluster named 'nowhere'" in variables["torn"]["unreachable_reason"]
    assert variables["shared"] == {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "cluster_source": "kubeconfig",
        "context": "shared",
        "kubeconfig": str(desk.folder / "fleet.yaml"),
        "kubernetes_version": "1.36.3",
        "labels": {"env": "prod"},
    }
    assert cluster.tokens["admin"] not in printed
    graph = desk.run("ansible-inventory", "-i", "clusters.yml", "--graph")
    assert "@unreachable:\n  |  |--dead\n" in graph.stdout


def test_clusters_of_three_hubs_are_worked_on(desk: Desk, cluster: Cluster, hub: Cluster) -> None:
    authority = cluster.ca_file.read_bytes()
    add_managed_cluster(hub, "edge", cluster.url, authority, env="prod")
    add_managed_cluster(hub, "gone", DEAD, authority, env="prod")
    add_managed_cluster(hub, "bare", cluster.url, authority, env="prod")
    add_managed_cluster(hub, "other", cluster.url, authority, env="test")
    add_secret(hub, "edge", "fleet", {"token": cluster.tokens["admin"]})
    add_secret(hub, "gone", "fleet", {"token": cluster.tokens["admin"]})
    for name in ("made", "late"):
        body = {
            "apiVersion": f"{CAPI}/v1beta1",
            "kind": "Cluster",
            "metadata": {"name": name, "labels": {"env": "prod"}},
            "spec": {"infrastructureRef": {"kind": "DockerCluster"}},
            "status": {"phase": "Provisioning"},
        }
        hub.request("POST", f"/apis/{CAPI}/v1beta1/namespaces/production/clusters", body)
    add_secret(hub, "production", "made-kubeconfig", {"value": yaml.safe_dump(bundled(cluster))})
    mark = {"argocd.argoproj.io/secret-type": "cluster"}
    credentials = {
        "bearerToken": cluster.tokens["admin"],
        "tlsClientConfig": {"caData": base64.b64encode(authority).decode()},
    }
    described = {"name": "deployed", "server": cluster.url, "config": json.dumps(credentials)}
    add_secret(hub, "argocd", "deployed", described, env="prod", **mark)
    add_secret(hub, "argocd", "own", {"name": "in-cluster", "server": "https://kubernetes.default.svc"}, **mark)
    add_secret(hub, "argocd", "torn", {"name": "torn"}, **mark)

    desk.write("hub.yaml", hub.kubeconfig())
    desk.inventory(
        {"managed_clusters": {"kubeconfig": "hub.yaml", "label_selector": "env=prod", "secret": "fleet"}},
        {"cluster_api": {"kubeconfig": "hub.yaml", "namespaces": "production"}},
        {"argocd": {"kubeconfig": "hub.yaml"}},
        keyed_groups=[{"key": "labels.env"}],
    )
    variables, groups, printed = desk.listed()
    assert groups["fleet"] == {"edge", "gone", "bare", "made", "late", "deployed", "in-cluster"}
    assert groups["unreachable"] == {"gone", "bare", "late"}
    assert groups["prod"] == {"edge", "gone", "bare", "made", "late", "deployed"}
    assert groups["region_eu_west_1"] == groups["provider_aws"] == {"edge", "gone", "bare"}
    assert groups["provider_docker"] == {"made", "late"}
    # What the hub said of a cluster that does not answer stands; one that answers says it itself.
    assert groups["version_1_30"] == {"gone", "bare"}
    assert groups["version_1_36"] == {"edge", "made", "deployed", "in-cluster"}
    assert variables["edge"]["claims"]["platform.open-cluster-management.io"] == "AWS"
    assert variables["bare"]["unreachable_reason"] == "the hub has no Secret bare/fleet with its credentials"
    assert "the Secret argocd/torn has no key 'server'" in " ".join(printed.split())
    for secret in (cluster.tokens["admin"], "certificate-authority-data", "bearerToken"):
        assert secret not in printed
    files = [Path(values["kubeconfig"]) for host, values in variables.items() if host in ("edge", "made", "deployed")]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    assert {file.parent.stat().st_mode & 0o777 for file in files} == {0o700}

    play = {
        "hosts": "fleet:!unreachable",
        "gather_facts": False,
        "tasks": [
            {"fleet.olm.cluster_info": {"kubeconfig": "{{ kubeconfig }}", "context": "{{ context | default(omit) }}"}}
        ],
    }
    desk.write("play.yml", [play])
    ran = desk.run("ansible-playbook", "-i", "clusters.yml", "play.yml")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("ok=1") == 4

    desk.inventory({"argocd": {"kubeconfig": "hub.yaml"}}, inline_credentials=True)
    variables, _groups, printed = desk.listed()
    assert variables["deployed"]["kubeconfig"]["users"][0]["user"] == {"token": cluster.tokens["admin"]}


def test_the_cache_answers_without_any_source_and_holds_no_secret(desk: Desk, cluster: Cluster) -> None:
    listed = {"name": "lab", "host": cluster.url, "ca_cert": str(cluster.ca_file), "labels": {"env": "test"}}
    caching = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(desk.folder / "kept")}
    token = "{{ lookup('ansible.builtin.file', 'token') }}"
    secret = {**listed, "api_key": token}
    (desk.folder / "token").write_text(cluster.tokens["admin"], encoding="utf-8")
    desk.inventory({"clusters": [secret]}, keyed_groups=[{"key": "labels.env"}], **caching)
    first = desk.listed()
    assert first[0]["lab"]["kubernetes_version"] == "1.36.3"
    kept = [path.read_text(encoding="utf-8") for path in (desk.folder / "kept").iterdir()]
    assert len(kept) == 1
    assert "lab" in kept[0]
    assert cluster.tokens["admin"] not in kept[0]
    (desk.folder / "token").unlink()
    assert desk.listed()[:2] == first[:2]
    # Without the file that it leads to, what is kept is of no use: the sources are asked, and the token is missing.
    Path(first[0]["lab"]["kubeconfig"]).unlink()
    refused = desk.run("ansible-inventory", "-i", "clusters.yml", "--list")
    assert refused.returncode != 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"sources": [{"kubeconfig": "none.yaml"}]}, "sources[0].kubeconfig: there is no file "),
        ({"sources": [{"kubeconfig": "none.yaml"}], "prob": False}, "unknown key 'prob', did you mean 'probe'?"),
        ({"sources": [{"argocd": {"host": DEAD, "api_key": "t0p"}}]}, "sources[0].argocd: cannot reach cluster"),
    ],
)
def test_mistakes_are_one_line_with_file_and_place(desk: Desk, content: dict[str, Any], message: str) -> None:
    desk.write("clusters.yml", {"plugin": "fleet.olm.clusters", **content})
    ran = desk.run("ansible-inventory", "-i", "clusters.yml", "--list")
    assert ran.returncode != 0
    assert message in " ".join(ran.stderr.split())
    assert "clusters.yml: " in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "t0p" not in ran.stderr


def test_a_hub_that_is_none_is_named(desk: Desk, cluster: Cluster) -> None:
    desk.write("hub.yaml", cluster.kubeconfig())
    desk.inventory({"managed_clusters": {"kubeconfig": "hub.yaml"}})
    ran = desk.run("ansible-inventory", "-i", "clusters.yml", "--list")
    assert f"serves no managedclusters.{OCM}; is it the hub?" in " ".join(ran.stderr.split())
