# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One cluster of the rig: a real API server, and on demand the controllers and kwok."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from .binaries import kwok_stages
from .processes import Process

ADMIN, LIMITED = "admin", "limited"

_NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "node-1",
        "labels": {
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": "node-1",
            "topology.kubernetes.io/zone": "zone-1",
        },
    },
    "status": {"allocatable": {"cpu": "1000", "memory": "4Ti", "pods": "10000"}},
}


@dataclass(frozen=True)
class Secrets:
    """What all clusters of a rig share: tokens of their users and the key of service account tokens."""

    tokens: Mapping[str, str]
    service_account_key: Path
    service_account_public_key: Path
    token_file: Path


@dataclass(frozen=True)
class Cluster:
    """A running cluster."""

    name: str
    url: str
    ca_file: Path
    tokens: Mapping[str, str]
    processes: tuple[Process, ...]

    def kubeconfig(self, user: str = ADMIN) -> dict[str, Any]:
        """A kubeconfig for this cluster alone."""
        return merged_kubeconfig([self], user)

    def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Any:
        """One request as admin, for tests to arrange and to look; not the client under test."""
        request = urllib.request.Request(  # noqa: S310 - https to loopback
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode()
        )
        request.add_header("Authorization", f"Bearer {self.tokens[ADMIN]}")
        request.add_header("Content-Type", content_type)
        context = ssl.create_default_context(cafile=str(self.ca_file))
        with urllib.request.urlopen(request, context=context, timeout=30) as response:  # noqa: S310
            text = response.read()
        return json.loads(text) if response.headers.get_content_type() == "application/json" else text

    def wait_until_ready(self) -> None:
        """Wait until the API server serves."""
        self.processes[0].wait_until(self._is_ready)

    def _is_ready(self) -> bool:
        if not self.ca_file.exists():
            return False
        try:
            self.request("GET", "/readyz")
        except (OSError, ssl.SSLError):
            return False
        return True

    def kill(self) -> None:
        """End the cluster."""
        for process in reversed(self.processes):
            process.kill()


def merged_kubeconfig(clusters: list[Cluster], user: str = ADMIN) -> dict[str, Any]:
    """A kubeconfig with a context a cluster, each for the same user."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": clusters[0].name if clusters else "",
        "clusters": [
            {"name": item.name, "cluster": {"server": item.url, "certificate-authority": str(item.ca_file)}}
            for item in clusters
        ],
        "users": [{"name": f"{item.name}-{user}", "user": {"token": item.tokens[user]}} for item in clusters],
        "contexts": [
            {"name": item.name, "context": {"cluster": item.name, "user": f"{item.name}-{user}"}} for item in clusters
        ],
    }


def start_api_server(
    name: str,
    directory: Path,
    etcd_url: str,
    secrets: Secrets,
    port: int,
    program: Callable[[str], Path],
    *,
    full: bool,
) -> Cluster:
    """Start an API server with a key space of its own in etcd; it is not ready yet."""
    directory.mkdir(parents=True)
    certificates = directory / "certificates"
    command = [
        str(program("kube-apiserver")),
        f"--etcd-servers={etcd_url}",
        f"--etcd-prefix=/{name}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        # Endpoints on loopback are refused; this address is reserved for documentation and never dialled.
        "--advertise-address=192.0.2.1",
        f"--cert-dir={certificates}",
        f"--service-account-key-file={secrets.service_account_public_key}",
        f"--service-account-signing-key-file={secrets.service_account_key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--token-auth-file={secrets.token_file}",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--allow-privileged=true",
        # Nobody makes the default service accounts that this plugin asks for without the controller manager.
        *([] if full else ["--disable-admission-plugins=ServiceAccount"]),
    ]
    server = Process(f"API server of {name}", command, directory / "kube-apiserver.log")
    return Cluster(name, f"https://127.0.0.1:{port}", certificates / "apiserver.crt", secrets.tokens, (server,))


def start_controllers(cluster: Cluster, directory: Path, secrets: Secrets, program: Callable[[str], Path]) -> Cluster:
    """Add what makes objects live: the controller manager, the scheduler, and kwok with a node."""
    kubeconfig = directory / "controllers.kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
    access = [f"--{kind}kubeconfig={kubeconfig}" for kind in ("", "authentication-", "authorization-")]
    manager = [
        str(program("kube-controller-manager")),
        *access,
        "--secure-port=0",
        "--leader-elect=false",
        f"--service-account-private-key-file={secrets.service_account_key}",
        f"--root-ca-file={cluster.ca_file}",
    ]
    scheduler = [str(program("kube-scheduler")), *access, "--secure-port=0", "--leader-elect=false"]
    kwok = [str(program("kwok")), f"--kubeconfig={kubeconfig}", "--manage-all-nodes=true"]
    kwok += [f"--config={stage}" for stage in kwok_stages()]
    processes = [
        Process(f"{Path(command[0]).name} of {cluster.name}", command, directory / f"{Path(command[0]).name}.log")
        for command in (manager, scheduler, kwok)
    ]
    cluster.request("POST", "/api/v1/nodes", _NODE)
    complete = Cluster(cluster.name, cluster.url, cluster.ca_file, cluster.tokens, (*cluster.processes, *processes))
    processes[0].wait_until(lambda: _node_is_usable(complete))
    return complete


def start_issuer(cluster: Cluster, directory: Path) -> Cluster:
    """Add what signs certificates, in the place of cert-manager."""
    kubeconfig = directory / "issuer.kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
    package = (__package__ or "").split(".")
    command = [sys.executable, "-m", ".".join([*package, "issuer"]), str(kubeconfig), cluster.name]
    issuer = Process(f"issuer of {cluster.name}", command, directory / "issuer.log")
    return replace(cluster, processes=(*cluster.processes, issuer))


def start_operator_controller(cluster: Cluster, directory: Path, shelf: Mapping[str, Any], *, full: bool) -> Cluster:
    """Add what plays the part of OLM v1; `shelf` is what its images hold."""
    kubeconfig, images = directory / "olm.kubeconfig", directory / "shelf.json"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()), encoding="utf-8")
    images.write_text(json.dumps(shelf), encoding="utf-8")
    package = (__package__ or "").split(".")
    command = [sys.executable, "-m", ".".join([*package, "operator_controller"]), str(kubeconfig), cluster.name]
    command += [str(images), *([] if full else ["--lets-go"])]
    controller = Process(f"operator-controller of {cluster.name}", command, directory / "olm.log")
    return replace(cluster, processes=(*cluster.processes, controller))


def _node_is_usable(cluster: Cluster) -> bool:
    node = cluster.request("GET", "/api/v1/nodes/node-1")
    ready = [
        item for item in node["status"].get("conditions", []) if item["type"] == "Ready" and item["status"] == "True"
    ]
    accounts = cluster.request("GET", "/api/v1/namespaces/default/serviceaccounts")["items"]
    return bool(ready) and not node["spec"].get("taints") and bool(accounts)
