# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a cluster is and has, as far as putting operators on it is concerned.

At most REQUEST_LIMIT requests. Three are always sent (version, APIs, who we are); what is
asked for in `may` comes next, and the rest reads details in the order of the table
DETAILS until the limit is reached. What could not be read, or was not for the sake of
the limit, is listed in `unknown` with the reason: an absent value is never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import Forbidden, NotFound, NotKubernetes
from ..nested import at, mappings, texts
from .client import METADATA_ONLY, Client
from .discovery import Discovery
from .engine import (
    NOBODY_SEEN,
    NOT_SERVED,
    OLM_V1_CONTROLLER,
    OLM_V1_GROUP,
    Choice,
    by_catalogs,
    by_controllers,
    olm_v1_catalogs,
    olm_v1_controllers,
)
from .permissions import Action, Verdict, requests_for, review

REQUEST_LIMIT = 6
TOO_MANY = f"not read: it would have taken more than {REQUEST_LIMIT} requests"

OLM_V0_GROUP = "operators.coreos.com"
OPENSHIFT_GROUP = "config.openshift.io"


@dataclass
class Kubernetes:
    """The Kubernetes release."""

    version: str
    platform: str


@dataclass
class OpenShift:
    """The OpenShift release, and the infrastructure platform below it (AWS, BareMetal, None, …)."""

    version: str | None = None
    platform: str | None = None


@dataclass
class OlmV0:
    """OLM v0: Subscriptions and ClusterServiceVersions."""

    installed: bool
    crds: dict[str, list[str]]
    version: str | None = None


@dataclass
class OlmV1:
    """OLM v1: ClusterExtensions and ClusterCatalogs."""

    installed: bool
    crds: dict[str, list[str]]
    version: str | None = None
    ready: bool | None = None
    config_supported: bool | None = None
    feature_gates: dict[str, bool] | None = None


@dataclass
class Identity:
    """Who the API server takes us for."""

    username: str
    groups: list[str]


@dataclass
class Unknown:
    """Something that was not found out, and why."""

    what: str
    why: str


@dataclass
class ClusterInfo:
    """The answer of `cluster_info`."""

    host: str
    kubernetes: Kubernetes
    openshift: OpenShift | None
    olm_v0: OlmV0
    olm_v1: OlmV1
    certificate_providers: list[str]
    engine: dict[str, str | None] | None = None
    identity: Identity | None = None
    may: list[dict[str, Any]] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)


def cluster_info(client: Client, may: tuple[Action, ...] = ()) -> dict[str, Any]:
    """Look at a cluster; plain data, ready to be returned to a user."""
    kubernetes = read_kubernetes(client)
    discovery = client.discovery()
    info = ClusterInfo(
        host=client.host,
        kubernetes=kubernetes,
        openshift=OpenShift() if discovery.served(OPENSHIFT_GROUP, "clusterversions") else None,
        olm_v0=OlmV0(bool(discovery.served(OLM_V0_GROUP, "subscriptions")), _crds(discovery, OLM_V0_GROUP)),
        olm_v1=OlmV1(bool(discovery.served(OLM_V1_GROUP, "clusterextensions")), _crds(discovery, OLM_V1_GROUP)),
        certificate_providers=certificate_providers(discovery),
    )
    info.identity = _identity(client, discovery, info)
    info.may = [_told(verdict) for verdict in review(client, may)] if may else []
    left = REQUEST_LIMIT - 3 - requests_for(may)
    for what, applies, read in DETAILS:
        if not applies(info):
            continue
        if left <= 0:
            info.unknown.append(Unknown(what, TOO_MANY))
            continue
        left -= 1
        try:
            read(client, info)
        except (Forbidden, NotFound) as refused:
            info.unknown.append(Unknown(what, str(refused)))
    info.engine = info.engine or _without_signs(info)
    return asdict(info)


def read_kubernetes(client: Client) -> Kubernetes:
    """The Kubernetes release of a cluster: one request."""
    document = client.read("/version")
    version = document.get("gitVersion")
    if not isinstance(version, str) or not re.match(r"v\d+\.\d+", version):
        raise NotKubernetes(
            f"{client.name} does not say its version as a Kubernetes API server does; check the address"
        )
    return Kubernetes(version=version.removeprefix("v"), platform=str(document.get("platform", "")))


def _identity(client: Client, discovery: Discovery, info: ClusterInfo) -> Identity | None:
    versions = discovery.served("authentication.k8s.io", "selfsubjectreviews")
    if not versions:
        info.unknown.append(
            Unknown("identity", "the cluster does not serve SelfSubjectReview (Kubernetes 1.27 and newer do)")
        )
        return None
    api = f"authentication.k8s.io/{versions[0].version}"
    answer = client.ask(f"/apis/{api}/selfsubjectreviews", {"apiVersion": api, "kind": "SelfSubjectReview"})
    user = at(answer, "status", "userInfo")
    return Identity(username=str(at(user, "username") or ""), groups=texts(at(user, "groups")))


def certificate_providers(discovery: Discovery) -> list[str]:
    """Who issues certificates for webhooks on a cluster, the one to prefer first."""
    found = []
    if discovery.served("cert-manager.io", "certificates") and discovery.served("cert-manager.io", "issuers"):
        found.append("cert-manager")
    if discovery.served("operator.openshift.io", "servicecas"):
        found.append("openshift-service-ca")
    return found


def _crds(discovery: Discovery, group: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for resource in discovery.in_group(group):
        found.setdefault(f"{resource.plural}.{group}", []).append(resource.version)
    return dict(sorted(found.items()))


def _told(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict.action), "allowed": verdict.allowed}


def _read_openshift_version(client: Client, info: ClusterInfo) -> None:
    info.openshift = info.openshift or OpenShift()
    info.openshift.version = openshift_version(client)


def openshift_version(client: Client) -> str | None:
    """The OpenShift release that was last completed, of a cluster that is one. One request."""
    cluster_version = client.read(f"/apis/{OPENSHIFT_GROUP}/v1/clusterversions/version")
    history = mappings(at(cluster_version, "status", "history"))
    completed = [item.get("version") for item in history if item.get("state") == "Completed"]
    found = completed[0] if completed else at(cluster_version, "status", "desired", "version")
    return str(found) if found else None


def _read_openshift_platform(client: Client, info: ClusterInfo) -> None:
    infrastructure = client.read(f"/apis/{OPENSHIFT_GROUP}/v1/infrastructures/cluster")
    info.openshift = info.openshift or OpenShift()
    info.openshift.platform = at(infrastructure, "status", "platformStatus", "type") or at(
        infrastructure, "status", "platform"
    )


def _read_config_support(client: Client, info: ClusterInfo) -> None:
    """From the published schema, which everybody may read, not from the CRD, which few may."""
    versions = info.olm_v1.crds[f"clusterextensions.{OLM_V1_GROUP}"]
    document = client.read(f"/openapi/v3/apis/{OLM_V1_GROUP}/{versions[0]}")
    schemas = at(document, "components", "schemas")
    for schema in mappings(list(schemas.values()) if isinstance(schemas, Mapping) else []):
        kinds = mappings(schema.get("x-kubernetes-group-version-kind"))
        if any(kind.get("kind") == "ClusterExtension" for kind in kinds):
            info.olm_v1.config_supported = at(schema, "properties", "spec", "properties", "config") is not None


def controller_gates(client: Client) -> dict[str, bool] | None:
    """The feature gates of operator-controller that its command line sets; None where there is no such Deployment."""
    found = olm_v1_controllers(client)
    return _feature_gates(mappings(at(found[0], "spec", "template", "spec", "containers"))) if found else None


def _read_olm_v1_controller(client: Client, info: ClusterInfo) -> None:
    found = olm_v1_controllers(client)
    if not found:
        info.olm_v1.ready = False
        info.unknown.append(Unknown("olm_v1.version", f"no Deployment {OLM_V1_CONTROLLER} on the cluster"))
        return
    containers = mappings(at(found[0], "spec", "template", "spec", "containers"))
    info.olm_v1.ready = any(at(item, "status", "availableReplicas") for item in found)
    info.engine = _engine(by_controllers(found))
    info.olm_v1.feature_gates = _feature_gates(containers)
    info.olm_v1.version = next(filter(None, (_version_in_tag(str(item.get("image", ""))) for item in containers)), None)
    if info.olm_v1.version is None:
        info.unknown.append(Unknown("olm_v1.version", "the controller's image carries no version in its tag"))


def _read_signs_of_life(client: Client, info: ClusterInfo) -> None:
    info.engine = _engine(by_catalogs(olm_v1_catalogs(client)))


def _engine(choice: Choice | None) -> dict[str, str | None] | None:
    return {"name": choice.engine, "why": choice.why} if choice is not None else None


def _without_signs(info: ClusterInfo) -> dict[str, str | None] | None:
    """The engine where no controller of OLM v1 was seen: there is none, or there was no room to look."""
    if not info.olm_v1.installed:
        return _engine(NOT_SERVED)
    if any(item.what in (_CONTROLLER, _ENGINE) and item.why == TOO_MANY for item in info.unknown):
        return {"name": None, "why": TOO_MANY}
    return _engine(NOBODY_SEEN)


def _read_olm_v0_version(client: Client, info: ClusterInfo) -> None:
    """OLM v0's own ClusterServiceVersion (packageserver) carries the release as a label."""
    found = client.read(
        f"/apis/{OLM_V0_GROUP}/v1alpha1/clusterserviceversions", {"labelSelector": "olm.version"}, accept=METADATA_ONLY
    )
    versions = [at(item, "metadata", "labels", "olm.version") for item in mappings(found.get("items"))]
    info.olm_v0.version = str(versions[0]).removeprefix("v") if versions else None
    if not versions:
        info.unknown.append(Unknown("olm_v0.version", "no ClusterServiceVersion carries the label olm.version"))


# What is read, when it applies, and how; the most useful first.
_CONTROLLER, _ENGINE, _CATALOGS = "olm_v1.feature_gates", "engine", f"clustercatalogs.{OLM_V1_GROUP}"
DETAILS: tuple[tuple[str, Callable[[ClusterInfo], bool], Callable[[Client, ClusterInfo], None]], ...] = (
    (_CONTROLLER, lambda info: info.olm_v1.installed, _read_olm_v1_controller),
    (
        _ENGINE,
        lambda info: info.olm_v1.installed and info.engine is None and _CATALOGS in info.olm_v1.crds,
        _read_signs_of_life,
    ),
    ("openshift.version", lambda info: info.openshift is not None, _read_openshift_version),
    ("olm_v1.config_supported", lambda info: info.olm_v1.installed, _read_config_support),
    ("openshift.platform", lambda info: info.openshift is not None, _read_openshift_platform),
    ("olm_v0.version", lambda info: info.olm_v0.installed, _read_olm_v0_version),
)


def _feature_gates(containers: list[Mapping[str, Any]]) -> dict[str, bool]:
    """Gates set on the command line; those at their default are not there to be read."""
    words = [word for item in containers for word in texts(item.get("command")) + texts(item.get("args"))]
    gates: dict[str, bool] = {}
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == "--feature-gates":
            value = value if equals else "".join(words[position + 1 : position + 2])
            for gate in value.split(","):
                key, _equals, setting = gate.partition("=")
                if key.strip():
                    gates[key.strip()] = setting.strip().lower() == "true"
    return gates


def _version_in_tag(image: str) -> str | None:
    matched = re.search(r":v?(\d+\.\d+\.\d+[^@/]*)(?:@|$)", image)
    return matched.group(1) if matched else None
