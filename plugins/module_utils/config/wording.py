# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What jsonschema finds wrong with a configuration, in one line for each problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..kubernetes.values import field_path
from ..similar import did_you_mean
from .problems import seen, type_name
from .schema import IS_INSTALL_NAMESPACE, IS_NOT_INSTALL_NAMESPACE, NAMESPACE_NAME, QUANTITY

NAME_RULE = "1 to 63 lower-case letters, digits and '-', beginning and ending with a letter or digit"


def alternatives(values: Iterable[Any]) -> str:
    """Values for a message: a, b or c."""
    texts = [value if isinstance(value, str) else seen(value) for value in values]
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1]))) if texts else "nothing"


def problems_in(error: Any, install_namespace: str) -> list[tuple[str, str]]:
    """The problems that one error of jsonschema tells: the path of each, and its line."""
    path = list(error.absolute_path)
    here = field_path(path)
    if error.validator in ("additionalProperties", "unevaluatedProperties") and isinstance(error.instance, dict):
        return unknown_keys(error, path)
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return [(at, f"missing required field '{at}'") for at in (field_path([*path, name]) for name in missing)]
    if error.validator == "type":
        wanted = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        field = f" for field '{here}'" if here else ""
        return [(here, f"invalid type{field} got {type_name(error.instance)} expected {alternatives(wanted)}")]
    if error.validator in ("anyOf", "oneOf") and error.context:
        return [(here, f"invalid value{for_field(here)} matches none of the allowed forms: {forms(error.context)}")]
    describe = WISHES.get(error.validator)
    wish = (
        describe(error.validator_value, install_namespace) if describe else f"satisfy '{error.validator}' of the schema"
    )
    return [(here, f"invalid value{for_field(here)} must {wish} but got {seen(error.instance)}")]


def unknown_keys(error: Any, path: list[str | int]) -> list[tuple[str, str]]:
    """Keys that the schema does not know."""
    known = error.schema.get("properties", {})
    patterns = error.schema.get("patternProperties", {})
    unknown = [key for key in error.instance if key not in known] if not patterns else []
    if not unknown:
        return [(field_path(path), f"unknown key in '{field_path(path)}': {error.message}")]
    return [
        (field_path([*path, key]), f"unknown key '{field_path([*path, key])}'{did_you_mean(key, known)}")
        for key in sorted(unknown)
    ]


def forms(context: Iterable[Any]) -> str:
    """Why each of several allowed forms does not fit."""
    return "; ".join(dict.fromkeys(error.message for error in context))


def for_field(here: str) -> str:
    """The field that a problem is about; none for the configuration as a whole."""
    return f" for field '{here}'" if here else ""


def format_wish(name: str, install_namespace: str) -> str:
    """What a format wants."""
    wishes = {
        NAMESPACE_NAME: f"be the name of a namespace ({NAME_RULE})",
        IS_INSTALL_NAMESPACE: f"be the install namespace '{install_namespace}'",
        IS_NOT_INSTALL_NAMESPACE: f"be the name of a namespace other than the install namespace '{install_namespace}'",
        QUANTITY: "be a quantity such as 500m, 2 or 1Gi",
        "date-time": "be a time such as 2026-01-31T12:00:00Z",
        "byte": "be text in base64",
    }
    return wishes.get(name, f"have the format '{name}'")


WISHES: Mapping[str, Callable[[Any, str], str]] = {
    "enum": lambda values, _: f"be one of {alternatives(map(seen, values))}",
    "const": lambda value, _: f"be {seen(value)}",
    "minimum": lambda limit, _: f"be greater than or equal to {limit}",
    "maximum": lambda limit, _: f"be less than or equal to {limit}",
    "exclusiveMinimum": lambda limit, _: f"be greater than {limit}",
    "exclusiveMaximum": lambda limit, _: f"be less than {limit}",
    "multipleOf": lambda number, _: f"be a multiple of {number}",
    "minLength": lambda limit, _: f"have {limit} or more characters",
    "maxLength": lambda limit, _: f"have {limit} or fewer characters",
    "pattern": lambda pattern, _: f"match {pattern}",
    "format": format_wish,
    "minItems": lambda limit, _: f"have {limit} or more items",
    "maxItems": lambda limit, _: f"have {limit} or fewer items",
    "uniqueItems": lambda _value, _: "have no item twice",
    "minProperties": lambda limit, _: f"have {limit} or more keys",
    "maxProperties": lambda limit, _: f"have {limit} or fewer keys",
    "not": lambda _value, _: "not be what the schema forbids",
}
