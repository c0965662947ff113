# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters that Argo CD deploys to; each is a Secret with address and credentials."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import FleetError, OptionError
from ..nested import at
from .hub import metadata_labels, name_of, namespace_of, open_hub, secret_content, selected
from .kubeconfig_content import by_kubeconfig, one_context, refuse_program
from .model import Cluster, Reading, Settings
from .options import CONNECTION, connection_options, text
from .secret_options import with_secrets_apart

MARK = "argocd.argoproj.io/secret-type"
# How Argo CD calls the cluster that it runs on.
IN_CLUSTER = "https://kubernetes.default.svc"
OPTIONS = {**CONNECTION, "namespace": text, "label_selector": text}


def read_argocd(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """A cluster for each Secret that is marked as one."""
    namespace = given.get("namespace", "argocd")
    selector = ",".join(filter(None, [f"{MARK}=cluster", given.get("label_selector")]))
    with open_hub(given, where, settings) as client:
        found = list(client.each(f"/api/v1/namespaces/{namespace}/secrets", selected(selector)))
    own = connection_options(given, settings.base)
    clusters, warnings = [], []
    for secret in found:
        if secret_content(secret).get("server"):
            clusters.append(deployed_cluster(secret, own, where, settings))
        else:
            warnings.append(
                f"{where}: the Secret {namespace_of(secret)}/{name_of(secret)} has no key 'server' and is left out"
            )
    return Reading(tuple(clusters), tuple(warnings))


def deployed_cluster(secret: Mapping[str, Any], own: Mapping[str, Any], where: str, settings: Settings) -> Cluster:
    """One Secret; `own` are the options by which Argo CD's own cluster is reached."""
    content = secret_content(secret)
    server = content["server"]
    name = content.get("name") or server
    reached: dict[str, Any] = {}
    problem = ""
    try:
        described = _described(content.get("config") or "{}", f"{namespace_of(secret)}/{name_of(secret)}")
        if server == IN_CLUSTER and not _has_credentials(described):
            reached = with_secrets_apart(name, own, where, settings)
        else:
            reached = by_kubeconfig(_kubeconfig(name, server, described, settings))
    except FleetError as error:
        problem = str(error)
    return Cluster(
        name=name,
        source="argocd",
        place="argocd",
        **reached,
        labels={key: value for key, value in metadata_labels(secret).items() if key != MARK},
        problem=problem,
    )


def _described(text_of_config: str, secret: str) -> Mapping[str, Any]:
    try:
        described = json.loads(text_of_config)
    except (ValueError, RecursionError):
        described = None
    if not isinstance(described, Mapping):
        raise OptionError(f"the key 'config' of Secret {secret} is no JSON object")
    return described


def _has_credentials(described: Mapping[str, Any]) -> bool:
    certificate = at(described, "tlsClientConfig", "certData")
    return bool(certificate) or any(
        described.get(key) for key in ("bearerToken", "username", "awsAuthConfig", "execProviderConfig")
    )


def _kubeconfig(name: str, server: str, described: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    tls = described.get("tlsClientConfig")
    cluster = {
        "server": server,
        "certificate-authority-data": at(tls, "caData"),
        "insecure-skip-tls-verify": at(tls, "insecure") is True,
        "tls-server-name": at(tls, "serverName"),
        "proxy-url": described.get("proxyUrl"),
    }
    user = {
        "token": described.get("bearerToken"),
        "username": described.get("username"),
        "password": described.get("password"),
        "client-certificate-data": at(tls, "certData"),
        "client-key-data": at(tls, "keyData"),
        "exec": _program(described),
    }
    if user["exec"]:
        refuse_program(f"cluster {name} of Argo CD", allow_exec=settings.allow_exec)
    return one_context(name, cluster, user if any(user.values()) else {})


def _program(described: Mapping[str, Any]) -> dict[str, Any] | None:
    aws, program = described.get("awsAuthConfig"), described.get("execProviderConfig")
    if isinstance(aws, Mapping) and aws:
        arguments = ["eks", "get-token", "--output", "json", "--cluster-name", str(aws.get("clusterName"))]
        for key, option in (("roleARN", "--role-arn"), ("profile", "--profile")):
            arguments += [option, str(aws[key])] if aws.get(key) else []
        return {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "aws", "args": arguments}
    if isinstance(program, Mapping) and program:
        variables = program.get("env")
        pairs = variables.items() if isinstance(variables, Mapping) else ()
        return {
            "apiVersion": program.get("apiVersion") or "client.authentication.k8s.io/v1beta1",
            "command": str(program.get("command")),
            "args": program.get("args") or [],
            "env": [{"name": str(key), "value": str(value)} for key, value in pairs],
        }
    return None
