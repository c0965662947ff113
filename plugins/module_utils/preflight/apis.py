# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the cluster serves every API that a bundle needs. No request beyond discovery."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..bundle.facts import apis, unsupported
from ..bundle.model import Bundle
from ..cluster.discovery import Discovery, Resource
from ..cluster.objects import collection_of
from ..crd.definition import V1BETA1, read_definition
from ..nested import at, mappings

# What to do where a whole group is missing.
_ADVICE = {
    "monitoring.coreos.com": "install the CRDs of the Prometheus operator",
    "cert-manager.io": "install cert-manager, or choose another certificate_provider",
    "console.openshift.io": "only clusters with the console of OpenShift serve it",
    "autoscaling.k8s.io": "install the Vertical Pod Autoscaler",
    "operators.coreos.com": "it belongs to OLM v0, which is not on this cluster",
}
_CRD = "CustomResourceDefinition"
_NAMED = 3


def api_problems(discovery: Discovery, bundle: Bundle, manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Required APIs, kinds of the manifests, and where objects without a namespace would have to have one."""
    discovery = discovery.expecting(apis_of(manifests))
    return [
        *_owned_api_services(bundle),
        *_required_crds(discovery, bundle),
        *_required_kinds(discovery, bundle),
        *kinds_not_served(discovery, manifests),
        *_without_namespace(discovery, manifests),
    ]


def _owned_api_services(bundle: Bundle) -> list[str]:
    return [
        f"{problem} nor here; only OLM v0 runs bundles that bring aggregated APIs" for problem in unsupported(bundle)
    ]


def _required_crds(discovery: Discovery, bundle: Bundle) -> list[str]:
    problems = []
    for crd in apis(bundle, "required")["crds"]:
        name, version, group = str(crd.get("name") or ""), str(crd.get("version") or ""), crd["group"]
        plural = name.partition(".")[0]
        served = [resource.version for resource in discovery.served(group, plural)]
        if not served:
            problems.append(f"the bundle requires the CRD {name}, which the cluster does not have; {_advice(group)}")
        elif version and version not in served:
            problems.append(
                f"the bundle requires version {version} of the CRD {name}; the cluster serves {_listed(served)}"
            )
    return problems


def _required_kinds(discovery: Discovery, bundle: Bundle) -> list[str]:
    """Aggregated and native APIs that the ClusterServiceVersion requires."""
    wanted = [*apis(bundle, "required")["api_services"], *mappings(at(bundle.csv, "spec", "nativeAPIs"))]
    problems = []
    for api in wanted:
        group, version, kind = (str(api.get(field) or "") for field in ("group", "version", "kind"))
        if group and not _is_served(discovery, group, version, kind):
            problems.append(f"the bundle requires {kind} of {group}/{version}; {_instead(discovery, group, kind)}")
    return problems


def kinds_not_served(discovery: Discovery, manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Kinds of the manifests that the cluster does not know."""
    problems: list[str] = []
    names: dict[tuple[str, str], list[str]] = {}
    for manifest in manifests:
        api_version, kind = _type_of(manifest)
        group, _slash, version = api_version.rpartition("/")
        if not version:
            # Published bundles have such objects, and OLM v1 renders them as they are.
            problems.append(f"{kind} {at(manifest, 'metadata', 'name')} has no apiVersion; the bundle has to name it")
        elif not _is_served(discovery, group, version, kind):
            names.setdefault((api_version, kind), []).append(str(at(manifest, "metadata", "name") or ""))
    return problems + [
        f"the cluster does not serve {kind} of {api_version}, needed for {_some(found)}; "
        f"{_instead(discovery, api_version.rpartition('/')[0], kind, api_version)}"
        for (api_version, kind), found in names.items()
    ]


def _without_namespace(discovery: Discovery, manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """An API server ignores the namespace of cluster-scoped objects, but has no place for the others without one."""
    problems = []
    for manifest in manifests:
        api_version, kind = _type_of(manifest)
        if at(manifest, "metadata", "namespace") or not _is_namespaced(discovery, api_version, kind):
            continue
        name = at(manifest, "metadata", "name")
        why = "; OLM treats this kind as cluster-scoped, which it is not" if kind == "VerticalPodAutoscaler" else ""
        problems.append(f"{kind} {name} has no namespace, and its kind needs one{why}; the bundle has to name it")
    return problems


def _is_served(discovery: Discovery, group: str, version: str, kind: str) -> bool:
    return collection_of(f"{group}/{version}" if group else version, kind, "", discovery) is not None


def _is_namespaced(discovery: Discovery, api_version: str, kind: str) -> bool:
    place = collection_of(api_version, kind, "somewhere", discovery)
    return place is not None and bool(place.namespace)


def _instead(discovery: Discovery, group: str, kind: str, api_version: str = "") -> str:
    """What the cluster has in place of an API, or what to do about it."""
    if api_version == V1BETA1:
        return "Kubernetes removed it in 1.22: the bundle has to bring its CRDs as apiextensions.k8s.io/v1"
    versions = [resource.version for resource in discovery.in_group(group) if resource.kind == kind]
    if versions:
        return f"it serves that kind as {_listed(f'{group}/{version}' for version in versions)}"
    return _advice(group)


def _advice(group: str) -> str:
    return _ADVICE.get(group, f"install what provides {group}" if group else "it is no kind of Kubernetes")


def apis_of(manifests: Iterable[Mapping[str, Any]]) -> tuple[Resource, ...]:
    """The APIs that the CRDs among some manifests are going to serve."""
    crds = map(read_definition, (manifest for manifest in manifests if manifest.get("kind") == _CRD))
    return tuple(
        Resource(
            group=crd.group,
            version=version.name,
            plural=str(crd.names.get("plural") or ""),
            kind=str(crd.names.get("kind") or ""),
            namespaced=crd.scope == "Namespaced",
            verbs=(),
        )
        for crd in crds
        for version in crd.versions
        if version.served
    )


def _type_of(manifest: Mapping[str, Any]) -> tuple[str, str]:
    return str(manifest.get("apiVersion") or ""), str(manifest.get("kind") or "")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
