# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What OLM v1 checks in a registry+v1 bundle before it renders it. Each check returns its problems, sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..bundle.kinds import CLUSTER_SCOPED, NAMESPACED
from ..bundle.model import Bundle
from ..nested import mappings, texts
from .names import is_subdomain

CONVERSION = "ConversionWebhook"
FORBIDDEN_GROUPS = ("olm.operatorframework.io", "*")
ADMISSION_GROUP = "admissionregistration.k8s.io"
FORBIDDEN_RESOURCES = (
    "*",
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
)
SUBDOMAIN_RULE = (
    "it must be lower-case letters, digits, '-' and '.', begin and end with a letter or digit, 253 characters at most"
)


def duplicate_deployments(bundle: Bundle) -> list[str]:
    """Each deployment of the install strategy has a name of its own."""
    names = duplicates(name_of(deployment) for deployment in bundle.deployments)
    return [f"the ClusterServiceVersion has more than one deployment named '{name}'" for name in names]


def deployment_names(bundle: Bundle) -> list[str]:
    """Names of deployments are DNS-1123 subdomains."""
    names = sorted({name_of(deployment) for deployment in bundle.deployments})
    return [f"the deployment name '{name}' is not valid: {SUBDOMAIN_RULE}" for name in names if not is_subdomain(name)]


def duplicate_crds(bundle: Bundle) -> list[str]:
    """Each CustomResourceDefinition stands in the bundle once."""
    names = duplicates(crd_name(crd) for crd in bundle.crds)
    return [f"the CustomResourceDefinition '{name}' stands in the bundle more than once" for name in names]


def missing_owned_crds(bundle: Bundle) -> list[str]:
    """The CustomResourceDefinitions that the ClusterServiceVersion owns are there."""
    present = {crd_name(crd) for crd in bundle.crds}
    missing = sorted({name_of(owned) for owned in bundle.owned_crds} - present)
    return [
        f"the ClusterServiceVersion owns the CustomResourceDefinition '{name}', but the bundle has none of that name"
        for name in missing
    ]


def package_name(bundle: Bundle) -> list[str]:
    """The bundle says which package it belongs to."""
    return [] if bundle.package else ["the package name in metadata/annotations.yaml is empty"]


def conversion_needs_all_namespaces(bundle: Bundle) -> list[str]:
    """Conversion webhooks act on the whole cluster, so the operator must do so too, and in no other way."""
    modes = bundle.supported_install_modes
    if modes == ("AllNamespaces",):
        return []
    return [
        f"the conversion webhook '{generate_name(webhook)}' needs a bundle that supports AllNamespaces only; it supports {listed(modes)}"
        for webhook in conversion_webhooks(bundle)
    ]


def webhook_deployments(bundle: Bundle) -> list[str]:
    """The deployments that webhooks name are there."""
    present = {name_of(deployment) for deployment in bundle.deployments}
    missing = sorted(
        (deployment_name(webhook), kind(webhook), generate_name(webhook))
        for webhook in bundle.webhooks
        if deployment_name(webhook) not in present
    )
    return [
        f"the {kind} '{name}' names the deployment '{deployment}', which is not there"
        for deployment, kind, name in missing
    ]


def duplicate_webhooks(bundle: Bundle) -> list[str]:
    """Of each type of webhook, names are unique."""
    found = duplicates((kind(webhook), generate_name(webhook)) for webhook in bundle.webhooks)
    return [f"more than one {kind} is named '{name}'" for kind, name in found]


def webhook_names(bundle: Bundle) -> list[str]:
    """Names of webhooks are DNS-1123 subdomains."""
    names = sorted({(kind(webhook), generate_name(webhook)) for webhook in bundle.webhooks})
    return [
        f"the name '{name}' of a {kind} is not valid: {SUBDOMAIN_RULE}"
        for kind, name in names
        if not is_subdomain(name)
    ]


def one_conversion_a_crd(bundle: Bundle) -> list[str]:
    """Each CustomResourceDefinition is converted by one webhook."""
    converters: dict[str, list[str]] = {}
    for webhook in conversion_webhooks(bundle):
        for crd in texts(webhook.get("conversionCRDs")):
            converters.setdefault(crd, []).append(generate_name(webhook))
    return [
        f"the CustomResourceDefinition '{crd}' is converted by more than one webhook: {listed(sorted(names))}"
        for crd, names in sorted(converters.items())
        if len(names) > 1
    ]


def conversion_of_owned_crds(bundle: Bundle) -> list[str]:
    """Conversion webhooks convert what the bundle owns."""
    owned = {name_of(crd) for crd in bundle.owned_crds}
    return [
        f"the conversion webhook '{generate_name(webhook)}' converts the CustomResourceDefinition '{crd}', which the bundle does not own"
        for webhook in sorted(conversion_webhooks(bundle), key=generate_name)
        for crd in sorted(texts(webhook.get("conversionCRDs")))
        if crd not in owned
    ]


def webhook_rules(bundle: Bundle) -> list[str]:
    """Webhooks do not look at what OLM itself needs to repair a cluster."""
    problems = []
    for webhook in bundle.webhooks:
        if kind(webhook) == CONVERSION:
            continue
        for rule in mappings(webhook.get("rules")):
            for group in texts(rule.get("apiGroups")):
                if group in FORBIDDEN_GROUPS:
                    problems.append(
                        f"a rule of the webhook '{generate_name(webhook)}' is on the API group '{group}', which is forbidden"
                    )
                if group == ADMISSION_GROUP:
                    problems += [
                        f"a rule of the webhook '{generate_name(webhook)}' is on '{resource}' of the API group '{group}', which is forbidden"
                        for resource in texts(rule.get("resources"))
                        if resource.lower() in FORBIDDEN_RESOURCES
                    ]
    return problems


def supported_kinds(bundle: Bundle) -> list[str]:
    """Only kinds that OLM knows stand beside the ClusterServiceVersion."""
    return [
        f'unsupported resource "{(manifest.get("metadata") or {}).get("name", "")}" with kind "{manifest["kind"]}"'
        for manifest in bundle.others
        if manifest["kind"] not in NAMESPACED and manifest["kind"] not in CLUSTER_SCOPED
    ]


def conversion_webhooks(bundle: Bundle) -> list[Mapping[str, Any]]:
    """The webhooks that convert custom resources between versions."""
    return [webhook for webhook in bundle.webhooks if kind(webhook) == CONVERSION]


def duplicates(names: Iterable[Any]) -> list[Any]:
    """What is there more than once, sorted."""
    listed = list(names)
    return (
        [] if len(set(listed)) == len(listed) else sorted(name for name, count in Counter(listed).items() if count > 1)
    )


def listed(names: Iterable[str]) -> str:
    """Names for a message."""
    return ", ".join(names) or "none"


def name_of(item: Mapping[str, Any]) -> str:
    """The name of a deployment or CRD description."""
    return str(item.get("name", ""))


def crd_name(crd: Mapping[str, Any]) -> str:
    """The name of a CustomResourceDefinition."""
    return str(crd.get("metadata", {}).get("name", ""))


def kind(webhook: Mapping[str, Any]) -> str:
    """The type of a webhook."""
    return str(webhook.get("type", ""))


def generate_name(webhook: Mapping[str, Any]) -> str:
    """The name of a webhook."""
    return str(webhook.get("generateName", ""))


def deployment_name(webhook: Mapping[str, Any]) -> str:
    """The deployment that serves a webhook."""
    return str(webhook.get("deploymentName", ""))
