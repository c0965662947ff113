# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rig as a whole: one etcd, any number of clusters, two registries, and the files that tell how to reach them."""

from __future__ import annotations

import base64
import json
import secrets
import shutil
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from . import binaries
from .cluster import (
    ADMIN,
    LIMITED,
    Cluster,
    Secrets,
    merged_kubeconfig,
    start_api_server,
    start_controllers,
    start_issuer,
    start_operator_controller,
)
from .definitions import add_crds
from .issuer import definitions
from .olm_definitions import olm_crds
from .olm_samples import example_shelf
from .processes import Ports, Process, listens
from .registry import Registry, start_closed_registry, start_open_registry


class Rig:
    """A running rig in a directory of its own; used in a `with` statement it leaves nothing behind."""

    def __init__(self, directory: Path, say: Callable[[str], None]) -> None:
        self.directory = directory.resolve()
        self._say = say
        self._ports = Ports()
        self._etcd: Process | None = None
        self._etcd_url = ""
        self._secrets: Secrets | None = None
        self.clusters: dict[str, Cluster] = {}
        self.registries: dict[str, Registry] = {}

    def __enter__(self) -> Rig:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def kubeconfig(self) -> Path:
        """A context a cluster, as admin."""
        return self.directory / "kubeconfig"

    @property
    def limited_kubeconfig(self) -> Path:
        """A context a cluster, as a user with the rights that every authenticated user has."""
        return self.directory / "limited.kubeconfig"

    @property
    def service_account_key(self) -> Path:
        """The private key that signs service account tokens."""
        return self.directory / "service-account.key"

    def program(self, name: str) -> Path:
        """The path of one of the rig's programs (kubectl, crane, …)."""
        return binaries.find([name], self._say)[name]

    def add_cluster(self, name: str, *, full: bool = False) -> Cluster:
        """Start one more cluster, empty: an API server, or with `full` also the controllers."""
        return self.add_clusters({name: full})[0]

    def add_clusters(self, wanted: Mapping[str, bool]) -> list[Cluster]:
        """Start several clusters side by side; the value says whether one is full."""
        secrets = self._secrets or self._start_etcd()
        started = [
            start_api_server(
                name, self._home(name), self._etcd_url, secrets, self._ports.take(), self.program, full=full
            )
            for name, full in wanted.items()
        ]
        self.clusters.update({cluster.name: cluster for cluster in started})
        for cluster in started:
            cluster.wait_until_ready()
        for name, full in wanted.items():
            if full:
                self.clusters[name] = start_controllers(self.clusters[name], self._home(name), secrets, self.program)
        self._write_files()
        return [self.clusters[name] for name in wanted]

    def add_issuer(self, name: str) -> Cluster:
        """Give a cluster somebody who signs certificates, and the CRDs to ask for them."""
        add_crds(self.clusters[name], *definitions())
        self.clusters[name] = start_issuer(self.clusters[name], self._home(name))
        return self.clusters[name]

    def add_olm(self, name: str) -> Cluster:
        """Give a cluster what plays the part of OLM v1, with the examples as its images."""
        cluster, shelf = self.clusters[name], example_shelf()
        full = len(cluster.processes) > 1
        add_crds(cluster, *olm_crds())
        images = {"catalogs": dict(shelf.catalogs), "bundles": dict(shelf.bundles)}
        self.clusters[name] = start_operator_controller(cluster, self._home(name), images, full=full)
        return self.clusters[name]

    def remove_cluster(self, name: str) -> None:
        """End a cluster."""
        self.clusters.pop(name).kill()
        self._forget(f"/{name}/")
        shutil.rmtree(self._home(name))
        self._write_files()

    def _forget(self, prefix: str) -> None:
        """Remove what a cluster kept in etcd, or the next one of its name would begin with it."""
        key = prefix.encode()
        span = {"key": key, "range_end": key[:-1] + bytes([key[-1] + 1])}
        body = json.dumps({name: base64.b64encode(value).decode() for name, value in span.items()})
        address = f"{self._etcd_url}/v3/kv/deleterange"
        urllib.request.urlopen(address, body.encode(), timeout=60).close()  # noqa: S310 - http to loopback

    def start_registries(self) -> Mapping[str, Registry]:
        """Start the registries `open` and `closed`."""
        program = self.program("registry")
        home = self.directory / "registries"
        self.registries["open"] = start_open_registry(home / "open", program, self._ports)
        self.registries["closed"] = start_closed_registry(home / "closed", program, self._ports)
        self._write_files()
        return self.registries

    def stop(self) -> None:
        """End every program and remove the directory."""
        for cluster in self.clusters.values():
            cluster.kill()
        for registry in self.registries.values():
            registry.process.kill()
        if self._etcd is not None:
            self._etcd.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _home(self, cluster: str) -> Path:
        return self.directory / "clusters" / cluster

    def _start_etcd(self) -> Secrets:
        home = self.directory / "etcd"
        home.mkdir(parents=True)
        client, peer = (f"http://127.0.0.1:{self._ports.take()}" for _number in range(2))
        command = [
            str(self.program("etcd")),
            "--name=rig",
            f"--data-dir={home / 'data'}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]
        command += [f"--listen-client-urls={client}", f"--advertise-client-urls={client}"]
        command += [
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=rig={peer}",
        ]
        self._etcd = Process("etcd", command, home / "etcd.log")
        self._etcd_url = client
        address = client.removeprefix("http://").split(":")
        self._etcd.wait_until(lambda: listens(address[0], int(address[1])))
        self._secrets = self._make_secrets()
        return self._secrets

    def _make_secrets(self) -> Secrets:
        tokens = {user: secrets.token_urlsafe(24) for user in (ADMIN, LIMITED)}
        token_file = self.directory / "tokens.csv"
        token_file.write_text(
            f"{tokens[ADMIN]},{ADMIN},1,system:masters\n{tokens[LIMITED]},{LIMITED},2\n", encoding="utf-8"
        )
        token_file.chmod(0o600)
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private, public = self.service_account_key, self.directory / "service-account.pub"
        private.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
            )
        )
        private.chmod(0o600)
        public.write_bytes(
            key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        )
        return Secrets(tokens, private, public, token_file)

    def _write_files(self) -> None:
        clusters = list(self.clusters.values())
        for path, user in ((self.kubeconfig, ADMIN), (self.limited_kubeconfig, LIMITED)):
            path.write_text(yaml.safe_dump(merged_kubeconfig(clusters, user)), encoding="utf-8")
            path.chmod(0o600)
        inventory = inventory_of(self.kubeconfig, list(self.clusters))
        (self.directory / "inventory.yml").write_text(yaml.safe_dump(inventory), encoding="utf-8")
        registries = {
            name: {"address": item.address, "user": item.user, "password": item.password, "ca_file": item.ca_file}
            for name, item in self.registries.items()
        }
        state = {"clusters": {item.name: item.url for item in clusters}, "registries": registries}
        (self.directory / "rig.json").write_text(json.dumps(state, indent=2), encoding="utf-8")
        (self.directory / "rig.json").chmod(0o600)


def inventory_of(kubeconfig: Path, contexts: list[str]) -> dict[str, object]:
    """An Ansible inventory with a host for each context of a kubeconfig."""
    hosts = {name: {"kubeconfig": str(kubeconfig), "context": name} for name in contexts}
    shared = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    return {"all": {"children": {"fleet": {"hosts": hosts, "vars": shared}}}}
