# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data read as the Go types of Kubernetes read it, and given back as they write it.

Fields that a type does not know are dropped, numbers and times come out canonical, what Go leaves
out when it is empty is left out, and a value of the wrong type is refused. That is what becomes of a
manifest on its way through OLM v1 or an API server.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from ..errors import FleetError
from .quantity import canonical
from .snapshot import TYPES

Decoder = Callable[[Any], Any]


class WrongType(FleetError):
    """A value that the Kubernetes types cannot hold. `path` leads to it, outermost first."""

    def __init__(self, expected: str, seen: Any) -> None:
        super().__init__(expected)
        self.expected = expected
        self.seen = seen
        self.path: list[str | int] = []

    def __str__(self) -> str:
        what = f"field '{field_path(self.path)}'" if self.path else "it"
        return f"{what} must be {self.expected} but is {described(self.seen)}"


def field_path(path: list[str | int] | tuple[str | int, ...]) -> str:
    """A path as users write it: spec.containers[0].name."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def described(value: Any) -> str:
    """A value in few words, for a message."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:77] + "…"


# --- plain values -------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as it comes out of Go's JSON: text keys, whole numbers as integers, no infinity."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is dict:
        return {key if type(key) is str else key_text(key): plain(item) for key, item in value.items()}
    if kind is list:
        return [plain(item) for item in value]
    if kind is int:
        return value if -(2**63) <= value < 2**63 else number(value)
    if kind is float:
        return number(value)
    raise WrongType("text, a number, a boolean, a list or a mapping", value)


def key_text(key: Any) -> str:
    """A mapping's key as text; Go knows no other, and refuses what it cannot write as one."""
    if key is None or (type(key) is int and not -(2**63) <= key < 2**63):
        raise WrongType("a mapping with text as keys", key)
    return scalar_text(key)


def scalar_text(value: Any) -> str:
    """A scalar as text, where text is wanted and Go takes others for it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def number(value: Any) -> Any:
    """A number as Go's JSON writes a float64."""
    if type(value) is not int and type(value) is not float:
        raise WrongType("a number", value)
    try:
        value = float(value)
    except OverflowError:
        raise WrongType("a number that 64 bits can hold", value) from None
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - only NaN differs from itself
        raise WrongType("a finite number", str(value))
    # Go pads the shortest digits that tell the value with zeros; int(value) would tell more digits.
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < 1e21 else value


def string(value: Any) -> str:
    """Text."""
    if type(value) is not str:
        raise WrongType("text", value)
    return value


def boolean(value: Any) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise WrongType("true or false", value)
    return value


def integer(bits: int) -> Decoder:
    """A whole number. Go's converter cuts off what does not fit instead of refusing it."""

    def decode(value: Any) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise WrongType("a whole number", value)
        whole: int = (
            value if -(2**63) <= value < 2**63 else -(2**63)
        )  # what amd64 makes of a float that is out of range
        return whole if bits == 64 else (whole + 2**31) % 2**32 - 2**31

    return decode


def strict_integer(bits: int) -> Decoder:
    """A whole number that fits: Go's JSON refuses others."""
    limit = 2 ** (bits - 1)

    def decode(value: Any) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not -limit <= value < limit:
            raise WrongType(f"a whole number from {-limit} to {limit - 1}", value)
        return value

    return decode


def quantity(value: Any) -> str:
    """A quantity, canonical."""
    if type(value) is int or type(value) is float:
        value = str(number(value))
    if type(value) is not str:
        raise WrongType("a quantity such as 500m or 1Gi", value)
    try:
        return canonical(value)
    except ValueError:
        raise WrongType("a quantity such as 500m or 1Gi", value) from None


def int_or_string(value: Any) -> Any:
    """A whole number of 32 bits, or text."""
    return value if type(value) is str else strict_integer(32)(value)


TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII
)  # RFC 3339 as Go's time.Parse takes it


def time(value: Any) -> str:
    """A moment, in UTC and whole seconds."""
    match = TIME.fullmatch(value) if type(value) is str else None
    try:
        if not match:
            raise ValueError
        zone = "+00:00" if match[7] == "Z" else match[7]
        moment = datetime.fromisoformat(f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:{match[5]}:{match[6]}{zone}")
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise WrongType("a time such as 2026-01-31T12:00:00Z", value) from None


def encoded_bytes(value: Any) -> str:
    """Bytes in base64."""
    try:
        return base64.b64encode(base64.b64decode(re.sub(r"[\r\n]", "", string(value)), validate=True)).decode()
    except (binascii.Error, ValueError):
        raise WrongType("text in base64", value) from None


# --- lists, maps and structs --------------------------------------------------------------------


TEXT = {str}  # most lists and maps hold nothing else, and need no look at each item


def list_of(item: Decoder, zero: Any) -> Decoder:
    """A list; what is null in it is the zero value of its type."""

    def decode(value: Any) -> list[Any]:
        if type(value) is not list:
            raise WrongType("a list", value)
        if item is string and set(map(type, value)) == TEXT:
            return value
        out = []
        for index, element in enumerate(value):
            try:
                out.append(zero if element is None else item(element))
            except WrongType as error:
                error.path.insert(0, index)
                raise
        return out

    return decode


def map_of(item: Decoder, zero: Any) -> Decoder:
    """A mapping from text."""

    def decode(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise WrongType("a mapping", value)
        if item is string and set(map(type, value)) == TEXT == set(map(type, value.values())):
            return value
        out = {}
        for key, element in value.items():
            name = key if type(key) is str else key_text(key)
            try:
                out[name] = zero if element is None else item(element)
            except WrongType as error:
                error.path.insert(0, name)
                raise
        return out

    return decode


class Struct:
    """A Go struct. Its fields are filled in after it was made, since types refer to each other."""

    def __init__(self, fold: bool) -> None:
        self.fields: dict[str, Decoder] = {}
        self.left_out: dict[str, tuple[Any, ...]] = {}
        self.zeros: dict[str, Any] = {}
        self.folded: dict[str, str] | None = {} if fold else None

    def __call__(self, value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise WrongType("a mapping", value)
        if self.folded is not None:
            value = self.exact(value)
        out = {}
        fields = self.fields
        for key, item in value.items():
            decode = fields.get(key)
            if decode is None or item is None:
                continue
            if decode is string and type(item) is str:
                out[key] = item
                continue
            try:
                decoded = decode(item)
            except WrongType as error:
                error.path.insert(0, key)
                raise
            if decoded or (decoded is not None and decoded not in self.left_out.get(key, ())):
                out[key] = decoded
        for key, zero in self.zeros.items():
            if key not in out:
                out[key] = zero
        return out

    def exact(self, value: dict[str, Any]) -> dict[str, Any]:
        """The mapping with its keys spelled as the fields are: encoding/json takes any case, the last one wins."""
        folded = self.folded or {}
        return {folded.get(key.lower(), key): value[key] for key in sorted(value)}


EMPTY: tuple[Any, ...] = ([], {})
SCALARS: Mapping[str, tuple[Decoder, Any]] = {
    "string": (string, ""),
    "boolean": (boolean, False),
    "int32": (integer(32), 0),
    "int64": (integer(64), 0),
    "number": (number, 0),
    "quantity": (quantity, "0"),
    "int-or-string": (int_or_string, 0),
    "time": (time, None),
    "bytes": (encoded_bytes, None),
    "json": (plain, None),
    "object": (plain, None),
}
STRICT_SCALARS = {**SCALARS, "int32": (strict_integer(32), 0), "int64": (strict_integer(64), 0)}
# Go writes these numbers even when they are zero, because their fields are neither pointers nor `omitempty`.
WRITTEN_ZERO = ("int32", "int64", "int-or-string")


class Types:
    """Decoders by the name of their type, made when first asked for.

    With `fold`, fields are found whatever the case of their letters and numbers must fit:
    encoding/json does that, Kubernetes' own converter does not.
    """

    def __init__(self, notation: Mapping[str, Any], *, fold: bool = False) -> None:
        self.notation = notation
        self.fold = fold
        self.scalars = STRICT_SCALARS if fold else SCALARS
        self.structs: dict[str, Struct] = {}

    def decoder(self, name: str) -> Decoder:
        """The decoder of a named type."""
        return self.typed(name)[0]

    def typed(self, notation: Any) -> tuple[Decoder, Any]:
        """The decoder of a type in the snapshot's notation, and its zero value."""
        if isinstance(notation, list):
            return list_of(*self.typed(notation[0])), None
        if isinstance(notation, dict):
            return map_of(*self.typed(notation[""])), None
        if notation in self.scalars:
            return self.scalars[notation]
        if notation.startswith("schema-or-"):
            return self.schema_or(notation), None
        return self.struct(notation), {}

    def struct(self, name: str) -> Struct:
        """The decoder of a struct."""
        if name in self.structs:
            return self.structs[name]
        struct = self.structs[name] = Struct(self.fold)
        for field, notation in self.notation[name].items():
            key, required = field.rstrip("!"), field.endswith("!")
            kind, _, when = notation.partition(" ") if isinstance(notation, str) else (notation, "", "")
            struct.fields[key], zero = self.typed(kind)
            if isinstance(notation, (list, dict)) and not required:
                struct.left_out[key] = EMPTY
            if when == "unless 0":
                struct.left_out[key] = (0,)
            if when == "or 0" or (required and kind in WRITTEN_ZERO):
                struct.zeros[key] = zero
            if struct.folded is not None:
                struct.folded[key.lower()] = key
        return struct

    def schema_or(self, notation: str) -> Decoder:
        """The fields of a JSON schema that hold a schema or something else."""
        schema = self.struct("JSONSchemaProps")
        other: dict[str, Decoder] = {
            "schema-or-boolean": boolean,
            "schema-or-list": lambda value: list_of(schema, {})(value) or None if type(value) is list else None,
            "schema-or-names": lambda value: list_of(string, "")(value) or None if type(value) is list else None,
        }
        otherwise = other[notation]
        return lambda value: schema(value) if type(value) is dict else otherwise(value)


@cache
def kubernetes_notation() -> Mapping[str, Any]:
    """The snapshot of the Kubernetes types."""
    notation: Mapping[str, Any] = json.loads(TYPES)
    return notation


@cache
def kubernetes_types() -> Types:
    """The Kubernetes types as its own converter reads them."""
    return Types({**kubernetes_notation(), "AnyObject": ANY_OBJECT})


# What every object has, whatever its kind.
ANY_OBJECT = {"apiVersion": "string", "kind": "string", "metadata": "ObjectMeta"}
