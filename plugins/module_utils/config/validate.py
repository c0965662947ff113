# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checking a configuration against a schema. jsonschema does the validating; the words are ours."""

from __future__ import annotations

from typing import Any

from ..errors import MissingLibrary, OptionError
from ..kubernetes.values import WrongType, encoded_bytes, quantity, time
from .problems import InvalidConfig
from .schema import (
    DRAFT_2020_12,
    IS_INSTALL_NAMESPACE,
    IS_NOT_INSTALL_NAMESPACE,
    NAMESPACE_NAME,
    QUANTITY,
    ConfigSchema,
    draft_of,
)
from .wording import problems_in

# Where several rules are broken at one place, the first of these tells enough.
TELLING = ("type", "enum", "const", "minLength", "maxLength", "format", "pattern")


def find_problems(values: dict[str, Any], schema: ConfigSchema, install_namespace: str) -> list[str]:
    """Every problem, sorted by the place where it is."""
    if schema.derived and not values:
        # Nothing can be wrong with nothing but what is missing; it takes no library to see that.
        return [f"missing required field '{name}'" for name in schema.required]
    if schema.document is None:
        return []
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


def checked_namespace(name: str) -> str:
    """The name of a namespace, from an option."""
    if not is_namespace_name(name):
        raise OptionError(
            f"namespace: '{name}' cannot be the name of a namespace; use lower case letters, digits and '-', at most 63 characters"
        )
    return name


def is_namespace_name(value: str) -> bool:
    """Whether text can name a namespace."""
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    return 0 < len(value) <= 63 and set(value) <= allowed and value[0] != "-" and value[-1] != "-"
