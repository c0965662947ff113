# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which values an API server refuses: one check a keyword, each given a value and the schema that it is under.

A check answers True (refused), False (accepted) or None (it cannot be told from here).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from .formats import breaks_format
from .rule import Answer
from .schema import DEPTH_LIMIT, EMBEDDED, Node, mapping

Check = Callable[[Any, Mapping[str, Any]], Answer]


def worst(answers: Iterable[Answer]) -> Answer:
    """True if any is, else None if any is."""
    unsure = False
    for answer in answers:
        if answer:
            return True
        unsure = unsure or answer is None
    return None if unsure else False


def number(value: Any) -> int | float | None:
    """The value if it is a finite number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def type_of(value: Any) -> str:
    """The JSON type; a float without a fraction is an integer."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    for kind, name in ((float, "number"), (str, "string"), (Mapping, "object"), (list, "array"), (tuple, "array")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "unknown"


def identity(value: Any) -> str:
    """A text that is equal for equal JSON values only: 1 is 1.0, but not true."""
    try:
        plain = int(value) if isinstance(value, float) and value.is_integer() else value
        return json.dumps(plain, sort_keys=True, default=str, skipkeys=True)
    except (TypeError, ValueError, RecursionError):
        return repr(type(value))


def breaks_type(value: Any, schema: Mapping[str, Any]) -> Answer:
    """Null counts as a type of its own, which `nullable` allows."""
    types = Node(schema).types
    if types is None or (value is None and schema.get("nullable") is True):
        return False
    return type_of(value) not in types


def _breaks_enum(value: Any, schema: Mapping[str, Any]) -> Answer:
    accepted = schema.get("enum")
    return isinstance(accepted, list) and identity(value) not in {identity(item) for item in accepted}


def _breaks_minimum(value: Any, schema: Mapping[str, Any]) -> Answer:
    limit, seen = number(schema.get("minimum")), number(value)
    if limit is None or seen is None:
        return False
    return seen < limit or (seen == limit and schema.get("exclusiveMinimum") is True)


def _breaks_maximum(value: Any, schema: Mapping[str, Any]) -> Answer:
    limit, seen = number(schema.get("maximum")), number(value)
    if limit is None or seen is None:
        return False
    return seen > limit or (seen == limit and schema.get("exclusiveMaximum") is True)


def breaks_multiple_of(value: Any, schema: Mapping[str, Any]) -> Answer:
    """Multiples of zero and of less than it ask for nothing."""
    divisor, seen = number(schema.get("multipleOf")), number(value)
    if not divisor or seen is None or divisor < 0:
        return False
    # In decimal notation, as the two were written: 0.3 is a multiple of 0.1.
    dividend, by = (Fraction(item) if isinstance(item, int) else Fraction(str(item)) for item in (seen, divisor))
    return (dividend / by).denominator != 1


def _too_few(keyword: str, kind: type | tuple[type, ...]) -> Check:
    def check(value: Any, schema: Mapping[str, Any]) -> Answer:
        limit = number(schema.get(keyword))
        return limit is not None and isinstance(value, kind) and len(value) < limit  # type: ignore[arg-type]

    return check


def _too_many(keyword: str, kind: type | tuple[type, ...]) -> Check:
    def check(value: Any, schema: Mapping[str, Any]) -> Answer:
        limit = number(schema.get(keyword))
        return limit is not None and isinstance(value, kind) and len(value) > limit  # type: ignore[arg-type]

    return check


# What Go's regular expressions know and Python's do not, or understand otherwise.
_ONLY_IN_GO = re.compile(r"\\[pPQEzCx]|\[\[:|\(\?[a-zA-Z]*[sU-]|\(\?<[a-zA-Z]")
_ONLY_IN_PYTHON = re.compile(r"\(\?[=!#(]|\(\?<[=!]|\\[1-9Z]|[*+?}]\+")
# A repetition within a repetition can take Python, which tries all ways, for ever; Go does not mind.
_NESTED_REPETITION = re.compile(r"[+*}][^()]*\)[+*{]")
_HARMLESS_LENGTH = 20


def _breaks_pattern(value: Any, schema: Mapping[str, Any]) -> Answer:
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or not pattern or not isinstance(value, str):
        return False
    # Python's $ also matches before a line break at the end, Go's does not.
    if _ONLY_IN_GO.search(pattern) or _ONLY_IN_PYTHON.search(pattern) or ("$" in pattern and value.endswith("\n")):
        return None
    if len(value) > _HARMLESS_LENGTH and _NESTED_REPETITION.search(pattern):
        return None
    try:
        return re.search(pattern, value, re.ASCII) is None
    except (re.error, RecursionError, OverflowError):
        return None


def _breaks_unique_items(value: Any, schema: Mapping[str, Any]) -> Answer:
    return schema.get("uniqueItems") is True and isinstance(value, list) and _repeats(map(identity, value))


def _breaks_list_type(value: Any, schema: Mapping[str, Any]) -> Answer:
    """Items of a set, and the keys of a list of type map, must not repeat; a key that is missing counts as null."""
    kind, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys")
    if not isinstance(value, list):
        return False
    if kind == "set":
        return _repeats(map(identity, value))
    if kind != "map" or not isinstance(keys, list):
        return False
    defaults = {
        key: mapping(node).get("default") for key, node in Node(mapping(schema.get("items"))).properties.items()
    }
    entries = [mapping(item) for item in value]
    names = [str(key) for key in keys]
    return _repeats(identity([entry.get(name, defaults.get(name)) for name in names]) for entry in entries)


def _repeats(texts: Iterable[str]) -> bool:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return True
        seen.add(text)
    return False


def _breaks_required(value: Any, schema: Mapping[str, Any]) -> Answer:
    required = schema.get("required")
    if not isinstance(required, list) or not isinstance(value, Mapping):
        return False
    return any(lacks(value, str(name), schema) for name in required)


def lacks(value: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> bool:
    """Whether a field is missing after the API server filled in defaults and took out nulls that may not be."""
    node = mapping(Node(schema).properties.get(name))
    if node.get("default") is not None:
        return False
    return name not in value or (value[name] is None and bool(node) and node.get("nullable") is not True)


def breaks_embedded_resource(value: Any, schema: Mapping[str, Any]) -> Answer:
    """An embedded resource must say what it is."""
    if schema.get(EMBEDDED) is not True or not isinstance(value, Mapping):
        return False
    return not (value.get("apiVersion") and value.get("kind"))


def _breaks_any_of(value: Any, schema: Mapping[str, Any]) -> Answer:
    answers = [violates(value, branch) for branch in _branches(schema, "anyOf")]
    if not answers or False in answers:
        return False
    return None if None in answers else True


def _breaks_all_of(value: Any, schema: Mapping[str, Any]) -> Answer:
    return worst(violates(value, branch) for branch in _branches(schema, "allOf"))


def _breaks_one_of(value: Any, schema: Mapping[str, Any]) -> Answer:
    answers = [violates(value, branch) for branch in _branches(schema, "oneOf")]
    if not answers:
        return False
    return None if None in answers else answers.count(False) != 1


def _breaks_not(value: Any, schema: Mapping[str, Any]) -> Answer:
    unwanted = schema.get("not")
    if not isinstance(unwanted, Mapping):
        return False
    answer = violates(value, unwanted)
    return None if answer is None else not answer


def _branches(schema: Mapping[str, Any], keyword: str) -> list[Mapping[str, Any]]:
    branches = schema.get(keyword)
    return [mapping(branch) for branch in branches] if isinstance(branches, list) else []


def _breaks_validations(_value: Any, schema: Mapping[str, Any]) -> Answer:
    """Rules in CEL are evaluated by API servers only."""
    return None if schema.get("x-kubernetes-validations") else False


CHECKS: Mapping[str, Check] = {
    "type": breaks_type,
    "format": breaks_format,
    "enum": _breaks_enum,
    "minimum": _breaks_minimum,
    "maximum": _breaks_maximum,
    "multipleOf": breaks_multiple_of,
    "minLength": _too_few("minLength", str),
    "maxLength": _too_many("maxLength", str),
    "pattern": _breaks_pattern,
    "minItems": _too_few("minItems", list),
    "maxItems": _too_many("maxItems", list),
    "uniqueItems": _breaks_unique_items,
    "minProperties": _too_few("minProperties", Mapping),
    "maxProperties": _too_many("maxProperties", Mapping),
    "required": _breaks_required,
    "anyOf": _breaks_any_of,
    "allOf": _breaks_all_of,
    "oneOf": _breaks_one_of,
    "not": _breaks_not,
    "x-kubernetes-list-type": _breaks_list_type,
    "x-kubernetes-embedded-resource": breaks_embedded_resource,
    "x-kubernetes-validations": _breaks_validations,
}


def violates(value: Any, schema: Mapping[str, Any], depth: int = 0) -> Answer:
    """Whether a value, with all that is in it, breaks any keyword of a schema."""
    if depth > DEPTH_LIMIT:
        return None
    if value is None:
        return breaks_type(value, schema)
    here = [check(value, schema) for keyword, check in CHECKS.items() if keyword in schema]
    if "type" not in schema:
        here.append(breaks_type(value, schema))
    return worst([*here, *(violates(item, below, depth + 1) for item, below in _parts(value, schema))])


def _parts(value: Any, schema: Mapping[str, Any]) -> Iterable[tuple[Any, Mapping[str, Any]]]:
    if isinstance(value, list):
        return [(item, mapping(schema.get("items"))) for item in value]
    if not isinstance(value, Mapping):
        return []
    properties, others = Node(schema).properties, mapping(schema.get("additionalProperties"))
    # Nulls in fields are taken out before validation where they may not be; whether one is missed says `required`.
    return [
        (item, mapping(properties.get(name, others)))
        for name, item in value.items()
        if item is not None or name not in properties
    ]
