# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ClusterServiceVersion as Go reads it, in the notation of the Kubernetes types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..kubernetes.types import Types, kubernetes_notation
from ..kubernetes.values import Decoder, WrongType

DESCRIPTOR = {
    "path!": "string",
    "displayName": "string",
    "description": "string",
    "x-descriptors": ["string"],
    "value": "json",
}
DESCRIPTION = {
    "name!": "string",
    "version!": "string",
    "kind!": "string",
    "displayName": "string",
    "description": "string",
    "resources": ["APIResourceReference"],
    "statusDescriptors": ["Descriptor"],
    "specDescriptors": ["Descriptor"],
    "actionDescriptors": ["Descriptor"],
}
NAME_AND_URL = {"name": "string", "url": "string"}
TIMES = {"lastUpdateTime": "time", "lastTransitionTime": "time"}
STATE = {"phase": "string", "message": "string", "reason": "string", **TIMES}
KIND = {"group!": "string", "version!": "string", "kind!": "string"}
DEPENDENT = {**KIND, "status!": "string", "uuid": "string", "message": "string"}

CSV_TYPES: Mapping[str, Any] = {
    "ClusterServiceVersion": {
        "apiVersion": "string",
        "kind": "string",
        "metadata!": "ObjectMeta",
        "spec!": "CSVSpec",
        "status": "CSVStatus",
    },
    "CSVSpec": {
        "install!": "InstallStrategy",
        "version": "version",
        "maturity": "string",
        "customresourcedefinitions": "CRDDescriptions",
        "apiservicedefinitions": "APIServiceDescriptions",
        "webhookdefinitions": ["WebhookDescription"],
        "nativeAPIs": ["Kind"],
        "minKubeVersion": "string",
        "displayName!": "string",
        "description": "string",
        "keywords": ["string"],
        "maintainers": ["Maintainer"],
        "provider": "NameAndURL",
        "links": ["NameAndURL"],
        "icon": ["Icon"],
        "installModes": ["InstallMode"],
        "replaces": "string",
        "labels": {"": "string"},
        "annotations": {"": "string"},
        "selector": "LabelSelector",
        "cleanup": "Cleanup",
        "skips": ["string"],
        "relatedImages": ["RelatedImage"],
    },
    "InstallStrategy": {"strategy!": "string", "spec": "StrategyDetails"},
    "StrategyDetails": {
        "deployments!": ["StrategyDeployment"],
        "permissions": ["StrategyPermissions"],
        "clusterPermissions": ["StrategyPermissions"],
    },
    "StrategyDeployment": {"name!": "string", "spec!": "DeploymentSpec", "label": {"": "string"}},
    "StrategyPermissions": {"serviceAccountName!": "string", "rules!": ["PolicyRule"]},
    "CRDDescriptions": {"owned": ["CRDDescription"], "required": ["CRDDescription"]},
    "CRDDescription": DESCRIPTION,
    "APIServiceDescriptions": {"owned": ["APIServiceDescription"], "required": ["APIServiceDescription"]},
    "APIServiceDescription": {
        **DESCRIPTION,
        "group!": "string",
        "deploymentName": "string",
        "containerPort": "int32 unless 0",
    },
    "APIResourceReference": {"name!": "string", "kind!": "string", "version!": "string"},
    "Descriptor": DESCRIPTOR,
    "WebhookDescription": {
        "generateName!": "string",
        "type!": "string",
        "deploymentName": "string",
        "containerPort": "int32 unless 0",
        "targetPort": "int-or-string",
        "rules": ["RuleWithOperations"],
        "failurePolicy": "string",
        "matchPolicy": "string",
        "objectSelector": "LabelSelector",
        "sideEffects!": "string",
        "timeoutSeconds": "int32",
        "admissionReviewVersions!": ["string"],
        "reinvocationPolicy": "string",
        "webhookPath": "string",
        "conversionCRDs": ["string"],
    },
    "Kind": KIND,
    "Maintainer": {"name": "string", "email": "string"},
    "NameAndURL": NAME_AND_URL,
    "Icon": {"base64data!": "string", "mediatype!": "string"},
    "InstallMode": {"type!": "string", "supported!": "boolean"},
    "Cleanup": {"enabled!": "boolean"},
    "RelatedImage": {"name!": "string", "image!": "string"},
    "CSVStatus": {
        **STATE,
        "conditions": ["CSVCondition"],
        "requirementStatus": ["RequirementStatus"],
        "certsLastUpdated": "time",
        "certsRotateAt": "time",
        "cleanup": "CleanupStatus",
    },
    "CSVCondition": STATE,
    "RequirementStatus": {**DEPENDENT, "name!": "string", "dependents": ["DependentStatus"]},
    "DependentStatus": DEPENDENT,
    "CleanupStatus": {"pendingDeletion": ["PendingDeletion"]},
    "PendingDeletion": {"group!": "string", "kind!": "string", "instances!": ["PendingInstance"]},
    "PendingInstance": {"name!": "string", "namespace": "string"},
}


class CSVTypes(Types):
    """The Kubernetes types and those of the ClusterServiceVersion."""

    def typed(self, notation: Any) -> tuple[Decoder, Any]:
        return (version, None) if notation == "version" else super().typed(notation)


@cache
def csv_decoder() -> Decoder:
    """What reads a ClusterServiceVersion."""
    return CSVTypes({**kubernetes_notation(), **CSV_TYPES}).decoder("ClusterServiceVersion")


IDENTIFIER = r"[0-9A-Za-z-]+"
NUMERIC_WITH_ZERO = re.compile(r"0[0-9]+")
VERSION = re.compile(
    rf"([0-9]+)\.([0-9]+)\.([0-9]+)(?:-({IDENTIFIER}(?:\.{IDENTIFIER})*))?(?:\+({IDENTIFIER}(?:\.{IDENTIFIER})*))?"
)


def version(value: Any) -> str:
    """A version, with the tolerance OLM has: a leading v, leading zeros, and missing minor and patch numbers."""
    if value.__class__ is not str:
        raise WrongType("a version such as 1.2.3", value)
    parts = value.strip().removeprefix("v").split(".", 2)
    parts = [without_leading_zeros(part) for part in parts]
    if len(parts) < 3 and not any(sign in parts[-1] for sign in "+-"):
        parts += ["0"] * (3 - len(parts))
    match = VERSION.fullmatch(".".join(parts))
    prerelease = (match[4] or "").split(".") if match else []
    numbers = [part for part in (*(match.groups()[:3] if match else ()), *prerelease) if part.isdecimal()]
    if (
        not match
        or any(len(part) > 20 or int(part) >= 2**64 for part in numbers)
        or any(map(NUMERIC_WITH_ZERO.fullmatch, prerelease))
    ):
        raise WrongType("a version such as 1.2.3", value)
    return match[0]


def without_leading_zeros(part: str) -> str:
    """007 is 7, 00-rc is 0-rc."""
    if len(part) < 2:
        return part
    stripped = part.lstrip("0")
    return stripped if stripped[:1].isdigit() else "0" + stripped
