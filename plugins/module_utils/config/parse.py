# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration, checked. There is no other way to one than `Config.parse`."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..bundle.yaml_text import parse_document
from ..errors import FleetError, MissingLibrary
from ..kubernetes.types import Types, WrongType, encoded_bytes, field_path, kubernetes_notation, plain, quantity, time
from .problems import InvalidConfig, problems_in, seen, type_name
from .schema import (
    DEPLOYMENT_CONFIG,
    DEPLOYMENT_CONFIG_FIELDS,
    DRAFT_2020_12,
    IS_INSTALL_NAMESPACE,
    IS_NOT_INSTALL_NAMESPACE,
    NAMESPACE_NAME,
    QUANTITY,
    WATCH_NAMESPACE,
    ConfigSchema,
    draft_of,
)

BY_PARSE = object()
# Where several rules are broken at one place, the first of these tells enough.
TELLING = ("type", "enum", "const", "minLength", "maxLength", "format", "pattern")


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
    try:
        data = parse_document(raw, "configuration", warnings) if isinstance(raw, str) else raw
        data = plain(json.loads(json.dumps(data, default=as_text, allow_nan=False, ensure_ascii=False).encode()))
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


def as_text(value: Any) -> str:
    """Dates are what YAML readers make of text that looks like one."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not allowed")


def find_problems(values: dict[str, Any], schema: ConfigSchema, install_namespace: str) -> list[str]:
    """Every problem, sorted by the place where it is."""
    if schema.document is None:
        return []
    if schema.derived and not values:
        # Nothing can be wrong with nothing but what is missing; it takes no library to see that.
        return [f"missing required field '{name}'" for name in schema.document.get("required", ())]
    found = sorted(
        (
            (path, rank(error), line)
            for error in errors_of(values, schema, install_namespace)
            for path, line in problems_in(error, install_namespace)
        ),
    )
    lines: dict[str, None] = {}
    told: set[str] = set()
    for path, telling, line in found:
        if telling < len(TELLING) and path in told:
            continue
        if telling < len(TELLING):
            told.add(path)
        lines[line] = None
    return list(lines)


def rank(error: Any) -> int:
    """How telling an error is among those at one place."""
    return TELLING.index(error.validator) if error.validator in TELLING else len(TELLING)


def errors_of(values: dict[str, Any], schema: ConfigSchema, install_namespace: str) -> list[Any]:
    """What jsonschema finds."""
    try:
        import jsonschema
        import referencing
    except ImportError:
        raise MissingLibrary(
            "jsonschema is not installed; it is needed to check a configuration: pip install jsonschema"
        ) from None
    document = dict(schema.document or {})
    draft = draft_of(schema.bundle, document)
    validator_class = jsonschema.Draft202012Validator if draft == DRAFT_2020_12 else jsonschema.Draft7Validator
    try:
        if not schema.derived:
            validator_class.check_schema(document)
        # A registry of our own keeps jsonschema from fetching schemas that a bundle refers to.
        validator = validator_class(
            document, registry=referencing.Registry(), format_checker=format_checker(jsonschema, install_namespace)
        )
        return list(validator.iter_errors(values))
    except jsonschema.SchemaError as error:
        raise InvalidConfig([f"the schema of bundle '{schema.bundle}' is not valid: {error.message}"]) from None
    except referencing.exceptions.Unresolvable as error:
        raise InvalidConfig(
            [f"the schema of bundle '{schema.bundle}' refers to what it does not hold: {error.ref}"]
        ) from None
    except RecursionError:
        raise InvalidConfig([f"the schema of bundle '{schema.bundle}' refers to itself without end"]) from None


def format_checker(jsonschema: Any, install_namespace: str) -> Any:
    """The formats that schemas may use, besides those of the draft."""
    checker = jsonschema.FormatChecker(formats=())

    def check(name: str, accepts: Any) -> None:
        checker.checks(name, raises=WrongType)(lambda value: not isinstance(value, str) or accepts(value))

    check(NAMESPACE_NAME, is_namespace_name)
    check(IS_INSTALL_NAMESPACE, lambda value: value == install_namespace)
    check(IS_NOT_INSTALL_NAMESPACE, lambda value: is_namespace_name(value) and value != install_namespace)
    check(QUANTITY, quantity)
    check("date-time", time)
    check("byte", lambda value: encoded_bytes(value) is not None)
    return checker


def is_namespace_name(value: str) -> bool:
    """Whether text can name a namespace."""
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    return 0 < len(value) <= 63 and set(value) <= allowed and value[0] != "-" and value[-1] != "-"


@cache
def deployment_config_types() -> Types:
    """The types of the deploymentConfig, read as encoding/json reads them."""
    return Types({**kubernetes_notation(), DEPLOYMENT_CONFIG: DEPLOYMENT_CONFIG_FIELDS}, fold=True)


def effective(given: Mapping[str, Any]) -> dict[str, Any]:
    """The deploymentConfig as OLM v1 holds it: unknown fields dropped, quantities canonical."""
    try:
        decoded: dict[str, Any] = deployment_config_types().decoder(DEPLOYMENT_CONFIG)(dict(given))
    except WrongType as error:
        error.path.insert(0, DEPLOYMENT_CONFIG)
        raise InvalidConfig(
            [f"invalid value for field '{field_path(error.path)}' must be {error.expected} but got {seen(error.seen)}"]
        ) from None
    # An empty selector replaces, too; decoding leaves it out.
    return {**decoded, **({"nodeSelector": {}} if given.get("nodeSelector") == {} else {})}


def advice(given: Mapping[str, Any]) -> list[str]:
    """What OLM v1 accepts although it has no effect, or will not work."""
    dropped = [
        f"configuration: OLM v1 drops the unknown field '{field_path((DEPLOYMENT_CONFIG, *path))}' without a word"
        for path in unknown_fields(given, DEPLOYMENT_CONFIG_FIELDS)
    ]
    both = [
        f"configuration: '{DEPLOYMENT_CONFIG}.env[{number}]' has both value and valueFrom; the API server will refuse the deployment"
        for number, variable in enumerate(given.get("env", ()))
        if variable.get("value") and variable.get("valueFrom")
    ]
    return dropped + both


def unknown_fields(value: Any, notation: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of fields that their types do not know, whatever the case of their letters."""
    if isinstance(notation, str):
        notation = kubernetes_notation().get(notation.partition(" ")[0])
        if notation is None:
            return
    if isinstance(notation, list):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from unknown_fields(item, notation[0], (*path, index))
    elif isinstance(value, dict) and set(notation) == {""}:
        for key, item in value.items():
            yield from unknown_fields(item, notation[""], (*path, key))
    elif isinstance(value, dict):
        known = {field.rstrip("!").lower(): inner for field, inner in notation.items()}
        for key, item in value.items():
            if key.lower() not in known:
                yield (*path, key)
            else:
                yield from unknown_fields(item, known[key.lower()], (*path, key))
