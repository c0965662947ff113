# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration that was given: read as plain data, held against the schema of its bundle."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..bundle.yaml_text import parse_document
from ..errors import FleetError
from ..kubernetes.values import WrongType, number, plain
from .deployment_config import advice, effective
from .problems import InvalidConfig, type_name
from .schema import DEPLOYMENT_CONFIG, ConfigSchema
from .validate import find_problems


class Given(NamedTuple):
    """The values, what of their deploymentConfig takes effect, and what users should know."""

    values: dict[str, Any]
    deployment_config: Mapping[str, Any]
    warnings: tuple[str, ...]


def read_given(raw: Any, schema: ConfigSchema, install_namespace: str) -> Given:
    """The configuration, given as data or as text in YAML or JSON; InvalidConfig with every problem where it does not fit."""
    warnings: list[str] = []
    values = as_mapping(raw, warnings)
    if values and schema.document is None:
        raise InvalidConfig([f"bundle '{schema.bundle}' does not support configuration"])
    problems = find_problems(values, schema, install_namespace)
    if problems:
        raise InvalidConfig(problems)
    deployment_config: Mapping[str, Any] = {}
    if schema.derived and DEPLOYMENT_CONFIG in values:
        deployment_config = effective(values[DEPLOYMENT_CONFIG])
        warnings += advice(values[DEPLOYMENT_CONFIG])
    return Given(values, deployment_config, tuple(warnings))


def as_mapping(raw: Any, warnings: list[str]) -> dict[str, Any]:
    """The configuration as plain data."""
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
