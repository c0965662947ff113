# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration, checked. There is no other way to one than `Config.parse`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .schema import WATCH_NAMESPACE, ConfigSchema

BY_PARSE = object()


@dataclass(frozen=True)
class Config:
    """A configuration that a bundle accepts when it is installed in `install_namespace`.

    `deployment_config` is what of the deploymentConfig takes effect: read as the Kubernetes types read it.
    """

    values: Mapping[str, Any]
    install_namespace: str
    watch_namespace: str | None
    deployment_config: Mapping[str, Any]
    warnings: tuple[str, ...]
    made: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.made is not BY_PARSE:
            raise TypeError("a Config is made by Config.parse, which validates it")

    @classmethod
    def parse(cls, raw: Any, schema: ConfigSchema, install_namespace: str) -> Config:
        """The configuration, given as data or as text in YAML or JSON; InvalidConfig with every problem where it does not fit."""
        if schema.derived and not schema.required and (raw is None or raw == {}):
            return cls({}, install_namespace, None, {}, (), BY_PARSE)
        # Only here: where nothing is given, nothing has to be read and validated.
        from .given import read_given

        given = read_given(raw, schema, install_namespace)
        watch_namespace = given.values.get(WATCH_NAMESPACE) if schema.derived else None
        return cls(given.values, install_namespace, watch_namespace, given.deployment_config, given.warnings, BY_PARSE)
