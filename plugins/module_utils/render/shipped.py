# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a bundle ships as manifests: CustomResourceDefinitions and other objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.kinds import NAMESPACED
from ..bundle.model import K8S_V1, Bundle
from ..bundle.problems import InvalidBundle
from ..nested import mappings, texts
from .certificates import trusting
from .options import Options
from .validators import conversion_webhooks, crd_name
from .webhooks import service_reference

BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def crds(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions; those that a webhook converts are told so."""
    converters = {
        name: webhook for webhook in conversion_webhooks(bundle) for name in texts(webhook.get("conversionCRDs"))
    }
    out = []
    for crd in bundle.crds:
        manifest = as_shipped(crd)
        webhook = converters.get(crd_name(crd))
        if webhook is not None:
            manifest = converted(bundle, manifest, webhook, options)
        out.append(manifest)
    return out


def converted(bundle: Bundle, crd: dict[str, Any], webhook: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """A CustomResourceDefinition whose versions a webhook converts."""
    spec = crd.get("spec", {})
    if spec.get("preserveUnknownFields"):
        raise InvalidBundle(
            bundle.name,
            [
                f"the CustomResourceDefinition '{crd_name(crd)}' must have spec.preserveUnknownFields false, "
                "or the API server does not call its conversion webhook"
            ],
        )
    webhook_conversion: dict[str, Any] = {
        "clientConfig": {"service": service_reference(webhook, options.install_namespace, default_path="/")},
        "conversionReviewVersions": webhook.get("admissionReviewVersions", []),
    }
    conversion = {"strategy": "Webhook", "webhook": webhook_conversion}
    manifest = {**crd, "spec": {**spec, "conversion": conversion}}
    return trusting(
        manifest, options.certificate_provider, options.install_namespace, webhook.get("deploymentName", "")
    )


def other_manifests(bundle: Bundle, options: Options) -> list[dict[str, Any]]:
    """The other objects, in the install namespace where they have one."""
    out = []
    for shipped in bundle.others:
        manifest = as_shipped(shipped)
        if manifest["kind"] in NAMESPACED:
            manifest["metadata"] = {**manifest["metadata"], "namespace": options.install_namespace}
        if bundle.format == K8S_V1 and manifest["kind"] in BINDINGS:
            manifest["subjects"] = [subject_in(options, subject) for subject in mappings(manifest.get("subjects"))]
        out.append(manifest)
    return out


def subject_in(options: Options, subject: Mapping[str, Any]) -> dict[str, Any]:
    """A subject of a binding; service accounts without a namespace are the operator's own."""
    own = subject.get("kind") == "ServiceAccount" and not subject.get("namespace")
    return {**subject, **({"namespace": options.install_namespace} if own else {})}


def as_shipped(shipped: Mapping[str, Any]) -> dict[str, Any]:
    """An object as it is, without what generators of manifests leave behind: an empty status, a null creation time."""
    manifest = {key: value for key, value in shipped.items() if key != "status" or says_something(value)}
    metadata = manifest.get("metadata")
    manifest["metadata"] = {
        key: value
        for key, value in (metadata if isinstance(metadata, dict) else {}).items()
        if key != "creationTimestamp" or value is not None
    }
    return manifest


def says_something(value: Any) -> bool:
    """Whether there is anything in a value but empty text, lists and mappings."""
    if isinstance(value, dict):
        return any(map(says_something, value.values()))
    if isinstance(value, list):
        return any(map(says_something, value))
    return value is not None and value != ""
