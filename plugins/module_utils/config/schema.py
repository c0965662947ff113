# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration that a bundle accepts, as a JSON Schema.

A registry+v1 bundle brings no schema; it follows from the bundle's install modes and from the Kubernetes
types. Other formats bring one, in draft-07 or 2020-12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..bundle.model import REGISTRY_V1, Bundle
from ..bundle.problems import InvalidBundle
from ..kubernetes.types import kubernetes_notation

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFTS = {
    "json-schema.org/draft-07/schema": DRAFT_07,
    "json-schema.org/draft/2020-12/schema": DRAFT_2020_12,
}

NAMESPACE_NAME = "namespaceName"
IS_INSTALL_NAMESPACE = "isInstallNamespace"
IS_NOT_INSTALL_NAMESPACE = "isNotInstallNamespace"
QUANTITY = "quantity"

WATCH_NAMESPACE = "watchNamespace"
DEPLOYMENT_CONFIG = "deploymentConfig"
DEPLOYMENT_CONFIG_FIELDS: Mapping[str, Any] = {
    "nodeSelector": {"": "string"},
    "tolerations": ["Toleration"],
    "resources": "ResourceRequirements",
    "env": ["EnvVar"],
    "envFrom": ["EnvFromSource"],
    "volumes": ["Volume"],
    "volumeMounts": ["VolumeMount"],
    "affinity": "Affinity",
    "annotations": {"": "string"},
}

INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
SCALARS: Mapping[str, Mapping[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32", **INT32},
    "int64": {"type": "integer", "format": "int64", **INT64},
    "quantity": {"type": ["string", "number"], "format": QUANTITY},
    "int-or-string": {"type": ["integer", "string"], "format": "int-or-string", **INT32},
    "time": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
    "object": {"type": "object"},
}


@dataclass(frozen=True)
class ConfigSchema:
    """The schema of a bundle's configuration; `document` is None where the bundle takes none."""

    bundle: str
    document: Mapping[str, Any] | None
    derived: bool = False


def schema_of(bundle: Bundle) -> ConfigSchema:
    """The schema that a bundle brings, or that follows from it."""
    if bundle.brought_schema is not None:
        draft_of(bundle.name, bundle.brought_schema)
        return ConfigSchema(bundle.name, bundle.brought_schema)
    if bundle.format == REGISTRY_V1:
        return ConfigSchema(bundle.name, registry_v1_schema(bundle.supported_install_modes), derived=True)
    return ConfigSchema(bundle.name, None)


def draft_of(bundle: str, document: Mapping[str, Any]) -> str:
    """The draft that a schema is written in; one that says nothing is taken for draft-07."""
    declared = document.get("$schema", DRAFT_07)
    key = str(declared).partition("://")[2].rstrip("#")
    if key not in DRAFTS:
        raise InvalidBundle(
            bundle,
            [f"its configuration schema is written in '{declared}'; supported are {DRAFT_07} and {DRAFT_2020_12}"],
        )
    return DRAFTS[key]


def registry_v1_schema(install_modes: Iterable[str]) -> dict[str, Any]:
    """The schema of a registry+v1 bundle that supports these install modes. Schemas share their parts: do not change them."""
    modes = set(install_modes)
    watch_namespace = watch_namespace_schema(modes)
    deployment_config, definitions = deployment_config_schema()
    properties: dict[str, Any] = {WATCH_NAMESPACE: watch_namespace} if watch_namespace else {}
    required = {"required": [WATCH_NAMESPACE]} if watch_namespace and "AllNamespaces" not in modes else {}
    return {
        "$schema": DRAFT_07,
        "type": "object",
        "additionalProperties": False,
        "properties": {**properties, DEPLOYMENT_CONFIG: deployment_config},
        **required,
        "definitions": definitions,
    }


@cache
def deployment_config_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of the deploymentConfig, which is the same for all bundles, and the definitions that it refers to."""
    definitions: dict[str, Any] = {}
    schema = {
        "description": "Changes to the operator's deployments",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: field_schema(notation, definitions) for name, notation in DEPLOYMENT_CONFIG_FIELDS.items()
        },
    }
    return schema, dict(sorted(definitions.items()))


def watch_namespace_schema(modes: set[str]) -> dict[str, Any] | None:
    """What the watched namespace may be; None where it cannot be set. MultiNamespace counts for nothing."""
    own, single = "OwnNamespace" in modes, "SingleNamespace" in modes
    if not own and not single:
        return None
    only_own = (IS_INSTALL_NAMESPACE, "The namespace that the operator watches: the one it is installed in")
    only_single = (IS_NOT_INSTALL_NAMESPACE, "The namespace that the operator watches: not the one it is installed in")
    either = (NAMESPACE_NAME, "The namespace that the operator watches")
    name_format, description = either if own and single else only_own if own else only_single
    return {
        "description": description + ("; all namespaces where it is not set" if "AllNamespaces" in modes else ""),
        "type": ["string", "null"] if "AllNamespaces" in modes else "string",
        "minLength": 1,
        "maxLength": 63,
        "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "format": name_format,
    }


def field_schema(notation: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field in the snapshot's notation; types that it refers to become definitions."""
    if isinstance(notation, list):
        return {"type": "array", "items": field_schema(notation[0], definitions)}
    if isinstance(notation, dict):
        return {"type": "object", "additionalProperties": field_schema(notation[""], definitions)}
    kind = notation.partition(" ")[0]
    if kind in SCALARS:
        return dict(SCALARS[kind])
    if kind not in definitions:
        definitions[kind] = {}
        fields = kubernetes_notation()[kind]
        required = [field[:-1] for field in fields if field.endswith("!")]
        definitions[kind] = {
            "type": "object",
            "properties": {field.rstrip("!"): field_schema(inner, definitions) for field, inner in fields.items()},
            **({"required": required} if required else {}),
        }
    return {"$ref": f"#/definitions/{kind}"}
