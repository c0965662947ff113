# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration, checked. There is no other way to one than `Config.parse`."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..bundle.yaml_text import parse_document
from ..errors import FleetError
from ..kubernetes.values import WrongType, number, plain
from .deployment_config import advice, effective
from .problems import InvalidConfig, type_name
from .schema import DEPLOYMENT_CONFIG, WATCH_NAMESPACE, ConfigSchema
from .validate import find_problems

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
        warnings: list[str] = []
        values = as_mapping(raw, warnings)
        if values and schema.document is None:
            raise InvalidConfig([f"bundle '{schema.bundle}' does not support configuration"])
        problems = find_problems(values, schema, install_namespace)
        if problems:
            raise InvalidConfig(problems)
        watch_namespace = values.get(WATCH_NAMESPACE) if schema.derived else None
        deployment_config: Mapping[str, Any] = {}
        if schema.derived and DEPLOYMENT_CONFIG in values:
            deployment_config = effective(values[DEPLOYMENT_CONFIG])
            warnings += advice(values[DEPLOYMENT_CONFIG])
        return cls(values, install_namespace, watch_namespace, deployment_config, tuple(warnings), BY_PARSE)


def as_mapping(raw: Any, warnings: list[str]) -> dict[str, Any]:
    """The configuration as plain data."""
    if raw is None or raw == {}:
        return {}
    try:
        data = parse_document(raw, "configuration", warnings) if isinstance(raw, str) else raw
        data = rounded(
            plain(json.loads(json.dumps(data, default=as_text, allow_nan=False, ensure_ascii=False).encode()))
        )
    except WrongType as error:
        raise InvalidConfig([str(error)]) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidConfig([f"it is no data that JSON can hold: {error}"]) from None
    except FleetError as error:
        raise InvalidConfig([str(error)]) from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise InvalidConfig([f"invalid type got {type_name(data)} expected object"])
    return data


def rounded(value: Any) -> Any:
    """The data with numbers as precise as OLM v1 holds those of a configuration: as 64-bit floats."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return number(value) if value.__class__ is int and abs(value) > 2**53 else value


def as_text(value: Any) -> str:
    """Dates are what YAML readers make of text that looks like one."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not allowed")
