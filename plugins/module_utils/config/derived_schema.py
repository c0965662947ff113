# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of a registry+v1 bundle's configuration, which follows from its install modes and from the Kubernetes types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ..kubernetes.types import kubernetes_notation, kubernetes_values
from .schema import (
    DEPLOYMENT_CONFIG,
    DEPLOYMENT_CONFIG_FIELDS,
    DRAFT_07,
    IS_INSTALL_NAMESPACE,
    IS_NOT_INSTALL_NAMESPACE,
    NAMESPACE_NAME,
    QUANTITY,
    WATCH_NAMESPACE,
    required_fields,
)

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


def registry_v1_schema(install_modes: Iterable[str]) -> dict[str, Any]:
    """The schema of a registry+v1 bundle that supports these install modes. Schemas share their parts: do not change them."""
    modes = set(install_modes)
    watch_namespace = watch_namespace_schema(modes)
    deployment_config, definitions = deployment_config_schema()
    properties: dict[str, Any] = {WATCH_NAMESPACE: watch_namespace} if watch_namespace else {}
    required = required_fields(modes)
    return {
        "$schema": DRAFT_07,
        "type": "object",
        "additionalProperties": False,
        "properties": {**properties, DEPLOYMENT_CONFIG: deployment_config},
        **({"required": list(required)} if required else {}),
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
        properties = {field.rstrip("!"): field_schema(inner, definitions) for field, inner in fields.items()}
        for field, values in kubernetes_values().get(kind, {}).items():
            # For editors to offer. OLM v1 takes any other text as well, so it is not for the schema to refuse it.
            holder = properties[field].get("items", properties[field])
            holder["examples"] = [value for value in values if value]
        definitions[kind] = {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
        }
    return {"$ref": f"#/definitions/{kind}"}
