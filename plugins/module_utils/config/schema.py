# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration that a bundle accepts, as a JSON Schema.

A registry+v1 bundle brings no schema; it follows from the bundle's install modes and from the Kubernetes
types. Other formats bring one, in draft-07 or 2020-12.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..bundle.model import WITH_CSV, Bundle
from ..bundle.problems import InvalidBundle

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


@dataclass(frozen=True)
class ConfigSchema:
    """The schema of a bundle's configuration: the one it brings, or the one that follows from its install modes."""

    bundle: str
    brought: Mapping[str, Any] | None = None
    install_modes: tuple[str, ...] | None = None

    @property
    def derived(self) -> bool:
        return self.install_modes is not None

    @property
    def required(self) -> tuple[str, ...]:
        """The fields that a configuration by a derived schema must have."""
        return required_fields(self.install_modes or ())

    @cached_property
    def document(self) -> Mapping[str, Any] | None:
        """The schema itself; None where the bundle takes no configuration."""
        if self.install_modes is None:
            return self.brought
        # Only here: rendering without a configuration does not need it.
        from .derived_schema import registry_v1_schema

        return registry_v1_schema(self.install_modes)


def schema_of(bundle: Bundle) -> ConfigSchema:
    """The schema that a bundle brings, or that follows from it."""
    if bundle.brought_schema is not None:
        draft_of(bundle.name, bundle.brought_schema)
        return ConfigSchema(bundle.name, bundle.brought_schema)
    if bundle.format in WITH_CSV:
        return ConfigSchema(bundle.name, install_modes=bundle.supported_install_modes)
    return ConfigSchema(bundle.name)


def required_fields(install_modes: Collection[str]) -> tuple[str, ...]:
    """What must be configured: the watched namespace, where not watching all and one can be set."""
    sets_namespace = "OwnNamespace" in install_modes or "SingleNamespace" in install_modes
    return (WATCH_NAMESPACE,) if sets_namespace and "AllNamespaces" not in install_modes else ()


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
