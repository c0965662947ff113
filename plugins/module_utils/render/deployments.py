# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deployments from the install strategy of the ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.model import Bundle
from ..nested import at
from .certificates import NO_PROVIDER
from .deployment_config import containers, merge_deployment_config, pod
from .names import certificate_name
from .options import Options

# Name, where it is mounted, and what certificate and key are called there. Operators find them by these names.
CERTIFICATE_VOLUMES = (
    ("webhook-cert", "/tmp/k8s-webhook-server/serving-certs", "tls.crt", "tls.key"),  # noqa: S108 - a path in a container
    ("apiservice-cert", "/apiserver.local.config/certificates", "apiserver.crt", "apiserver.key"),
)


def deployments(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """The deployments, told which namespaces to watch, with certificates where they serve webhooks."""
    serving = {webhook.get("deploymentName", "") for webhook in bundle.webhooks}
    out = []
    for strategy in bundle.deployments:
        name = strategy.get("name", "")
        spec = changeable(strategy.get("spec", {}))
        metadata = spec["template"]["metadata"]
        metadata["annotations"] = {
            **(at(bundle.csv, "metadata", "annotations") or {}),
            **metadata.get("annotations", {}),
            "olm.targetNamespaces": ",".join(options.targets),
            "olm.operatorNamespace": options.install_namespace,
        }
        spec["revisionHistoryLimit"] = 1
        labels = {"labels": strategy["label"]} if strategy.get("label") else {}
        annotations = (bundle.deployment_annotations or {}).get(name)
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {
                "name": name,
                "namespace": options.install_namespace,
                **labels,
                **({"annotations": dict(annotations)} if annotations else {}),
            },
            "spec": spec,
        }
        if name in serving and options.certificate_provider != NO_PROVIDER:
            mount_certificates(deployment, certificate_name(name))
        merge_deployment_config(deployment, options.deployment_config)
        out.append(deployment)
    return out


def changeable(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of what rendering changes in the spec of a deployment; all else is shared with the bundle."""
    template = dict(spec.get("template", {}))
    template["metadata"] = dict(template.get("metadata", {}))
    if "spec" in template:
        template["spec"] = dict(template["spec"])
        if "containers" in template["spec"]:
            template["spec"]["containers"] = [dict(container) for container in template["spec"]["containers"]]
    return {**spec, "template": template}


def mount_certificates(deployment: dict[str, Any], secret: str) -> None:
    """Put the certificate where operators look for it, in place of what the bundle has there."""
    names = {name for name, *_rest in CERTIFICATE_VOLUMES}
    paths = {path for _name, path, *_rest in CERTIFICATE_VOLUMES}
    for container in containers(deployment):
        names |= {
            mount.get("name", "") for mount in container.get("volumeMounts", ()) if mount.get("mountPath") in paths
        }
    pod(deployment)["volumes"] = [
        *(volume for volume in pod(deployment).get("volumes", ()) if volume.get("name", "") not in names),
        *(certificate_volume(name, secret, certificate, key) for name, _path, certificate, key in CERTIFICATE_VOLUMES),
    ]
    for container in containers(deployment):
        container["volumeMounts"] = [
            *(mount for mount in container.get("volumeMounts", ()) if mount.get("name", "") not in names),
            *({"name": name, "mountPath": path} for name, path, *_rest in CERTIFICATE_VOLUMES),
        ]


def certificate_volume(name: str, secret: str, certificate: str, key: str) -> dict[str, Any]:
    """A volume with certificate and key under the file names that are wanted."""
    items = [{"key": "tls.crt", "path": certificate}, {"key": "tls.key", "path": key}]
    return {"name": name, "secret": {"secretName": secret, "items": items}}
