# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plays cert-manager's part on a cluster of the rig: `python -m …tests.rig.issuer KUBECONFIG CONTEXT`.

cert-manager's own programs are not to be had as modules. This one signs what Certificates ask for, tells that it is ready,
and puts the authority where `cert-manager.io/inject-ca-from` wants it.
"""

from __future__ import annotations

import base64
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import trustme
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.errors import ClusterError
from ansible_collections.fleet.olm.plugins.module_utils.nested import at

from .definitions import minimal_crd

INJECT = "cert-manager.io/inject-ca-from"
_WEBHOOKS = "/apis/admissionregistration.k8s.io/v1"
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_READY = {"type": "Ready", "status": "True", "reason": "Ready", "message": "signed by the rig"}


def definitions() -> list[dict[str, Any]]:
    """The CRDs of cert-manager, as far as webhooks of operators need them."""
    found = [
        minimal_crd("cert-manager.io", plural, kind, scope="Namespaced")
        for plural, kind in (("certificates", "Certificate"), ("issuers", "Issuer"))
    ]
    for crd in found:
        crd["spec"]["versions"][0]["subresources"] = {"status": {}}
    return found


class Issuer:
    """Signs for one cluster."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._authority = trustme.CA()

    def run(self) -> None:
        """Until the process ends."""
        work: dict[str, Callable[[Client, str, dict[str, Any]], None]] = {
            "/apis/cert-manager.io/v1/issuers": self._is_ready,
            "/apis/cert-manager.io/v1/certificates": self._sign,
            f"{_WEBHOOKS}/validatingwebhookconfigurations": self._inject_into_webhooks,
            f"{_WEBHOOKS}/mutatingwebhookconfigurations": self._inject_into_webhooks,
            _CRDS: self._inject_into_crd,
        }
        threads = [threading.Thread(target=self._follow, args=item, daemon=True) for item in work.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _follow(self, path: str, work: Callable[[Client, str, dict[str, Any]], None]) -> None:
        with Client(self._connection, connections=2) as client:
            while True:
                try:
                    with closing(client.watch(path, seconds=300)) as events:
                        for event in events:
                            content = event["object"]
                            items = content.get("items", []) if event["type"] == "LISTED" else [content]
                            if event["type"] in ("LISTED", "ADDED", "MODIFIED"):
                                for item in items:
                                    work(client, path, item)
                except ClusterError:
                    # Somebody was faster, or the object is gone: the next look tells.
                    continue

    def _is_ready(self, client: Client, path: str, item: dict[str, Any]) -> None:
        if not at(item, "status", "conditions"):
            self._set_ready(client, path, item)

    def _sign(self, client: Client, path: str, item: dict[str, Any]) -> None:
        if at(item, "status", "conditions"):
            return
        namespace = item["metadata"]["namespace"]
        leaf = self._authority.issue_cert(*item["spec"]["dnsNames"])
        chain = b"".join(part.bytes() for part in leaf.cert_chain_pems)
        data = {"tls.crt": chain, "tls.key": leaf.private_key_pem.bytes(), "ca.crt": self._authority.cert_pem.bytes()}
        name = item["spec"]["secretName"]
        client.apply(
            f"/api/v1/namespaces/{namespace}/secrets/{name}",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {
                    "name": name,
                    "namespace": namespace,
                    "annotations": {"cert-manager.io/certificate-name": item["metadata"]["name"]},
                },
                "type": "kubernetes.io/tls",
                "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
            },
            manager="cert-manager-certificates",
        )
        self._set_ready(client, path, item)

    def _set_ready(self, client: Client, path: str, item: dict[str, Any]) -> None:
        metadata = item["metadata"]
        base, plural = path.rsplit("/", 1)
        condition = {**_READY, "observedGeneration": metadata["generation"]}
        client.merge(
            f"{base}/namespaces/{metadata['namespace']}/{plural}/{metadata['name']}/status",
            {"status": {"conditions": [condition]}},
        )

    @property
    def _bundle(self) -> str:
        return base64.b64encode(self._authority.cert_pem.bytes()).decode()

    def _inject_into_webhooks(self, client: Client, path: str, item: dict[str, Any]) -> None:
        if not (item["metadata"].get("annotations") or {}).get(INJECT):
            return
        webhooks = item.get("webhooks") or []
        if all(at(webhook, "clientConfig", "caBundle") == self._bundle for webhook in webhooks):
            return
        for webhook in webhooks:
            webhook["clientConfig"]["caBundle"] = self._bundle
        metadata = {"resourceVersion": item["metadata"]["resourceVersion"]}
        client.merge(f"{path}/{item['metadata']['name']}", {"metadata": metadata, "webhooks": webhooks})

    def _inject_into_crd(self, client: Client, path: str, item: dict[str, Any]) -> None:
        if not (item["metadata"].get("annotations") or {}).get(INJECT):
            return
        if at(item, "spec", "conversion", "webhook", "clientConfig", "caBundle") != self._bundle:
            patch = {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": self._bundle}}}}}
            client.merge(f"{path}/{item['metadata']['name']}", patch)


def main() -> None:
    """Entry of the program."""
    kubeconfig, context = sys.argv[1:]
    Issuer(Connection(kubeconfig=kubeconfig, context=context)).run()


if __name__ == "__main__":
    main()
