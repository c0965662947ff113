# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who issues the certificates of webhooks, and what that takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import OptionError
from .names import certificate_name, service_name, with_suffix

CERT_MANAGER = "cert-manager"
OPENSHIFT_SERVICE_CA = "openshift-service-ca"
NO_PROVIDER = "none"
CERTIFICATE_PROVIDERS = (CERT_MANAGER, OPENSHIFT_SERVICE_CA, NO_PROVIDER)


def known_provider(name: str | None) -> str:
    """The provider, checked."""
    if name is None:
        return NO_PROVIDER
    if name not in CERTIFICATE_PROVIDERS:
        raise OptionError(f"unknown certificate provider '{name}'; known are {', '.join(CERTIFICATE_PROVIDERS)}")
    return name


def trusting(manifest: Mapping[str, Any], provider: str, namespace: str, deployment: str) -> dict[str, Any]:
    """A webhook configuration or CRD into which the provider puts the CA of the deployment's certificate."""
    annotations = {
        CERT_MANAGER: {"cert-manager.io/inject-ca-from": f"{namespace}/{certificate_name(deployment)}"},
        OPENSHIFT_SERVICE_CA: {"service.beta.openshift.io/inject-cabundle": "true"},
    }
    return annotated(manifest, annotations.get(provider, {}))


def serving(service: Mapping[str, Any], provider: str, deployment: str) -> dict[str, Any]:
    """The Service of a deployment with webhooks, for which the provider makes a certificate."""
    wanted = {"service.beta.openshift.io/serving-cert-secret-name": certificate_name(deployment)}
    return annotated(service, wanted if provider == OPENSHIFT_SERVICE_CA else {})


def annotated(manifest: Mapping[str, Any], annotations: Mapping[str, str]) -> dict[str, Any]:
    """The object with annotations added."""
    if not annotations:
        return dict(manifest)
    metadata = manifest["metadata"]
    return {**manifest, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}


def certificate_objects(provider: str, namespace: str, deployment: str) -> list[dict[str, Any]]:
    """The objects with which the provider is asked for a certificate."""
    if provider != CERT_MANAGER:
        return []
    service, certificate = service_name(deployment), certificate_name(deployment)
    issuer = with_suffix(certificate, "selfsigned-issuer")
    host = f"{service}.{namespace}"
    return [
        {
            "apiVersion": "cert-manager.io/v1",
            "kind": "Issuer",
            "metadata": {"name": issuer, "namespace": namespace},
            "spec": {"selfSigned": {}},
        },
        {
            "apiVersion": "cert-manager.io/v1",
            "kind": "Certificate",
            "metadata": {"name": certificate, "namespace": namespace},
            "spec": {
                "commonName": host,
                "dnsNames": [host, f"{host}.svc", f"{host}.svc.cluster.local"],
                "duration": "17520h0m0s",
                "issuerRef": {"name": issuer},
                "renewBefore": "24h0m0s",
                "secretName": certificate,
                "usages": ["server auth"],
            },
        },
    ]
