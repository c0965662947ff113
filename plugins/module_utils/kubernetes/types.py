# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Data read as the Go types of Kubernetes read it, and given back as they write it.

Fields that a type does not know are dropped, numbers and times come out canonical, what Go leaves
out when it is empty is left out, and a value of the wrong type is refused. That is what becomes of a
manifest on its way through OLM v1 or an API server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .go_json import exact
from .snapshot import TYPES, VALUES
from .values import (
    Decoder,
    WrongType,
    boolean,
    encoded_bytes,
    int_or_string,
    integer,
    key_text,
    number,
    plain,
    quantity,
    strict_integer,
    string,
    time,
)

TEXT = {str}  # most lists and maps hold nothing else, and need no look at each item
NOTHING: Mapping[str, Any] = {}  # the zero value of a struct, before its fields that are always written


def list_of(item: Decoder, zero: Any) -> Decoder:
    """A list; what is null in it is the zero value of its type."""

    def decode(value: Any) -> list[Any]:
        if value.__class__ is not list:
            raise WrongType("a list", value)
        if item is string and set(map(type, value)) == TEXT:
            return value
        out = []
        for index, element in enumerate(value):
            try:
                out.append(zero_of(item, zero) if element is None else item(element))
            except WrongType as error:
                error.path.insert(0, index)
                raise
        return out

    return decode


def zero_of(item: Decoder, zero: Any) -> Any:
    """What stands for null in a list or map: the zero value of the type."""
    return item({}) if zero is NOTHING else zero


def map_of(item: Decoder, zero: Any) -> Decoder:
    """A mapping from text."""

    def decode(value: Any) -> dict[str, Any]:
        if value.__class__ is not dict:
            raise WrongType("a mapping", value)
        if item is string and set(map(type, value)) == TEXT == set(map(type, value.values())):
            return value
        out = {}
        for key, element in value.items():
            name = key if key.__class__ is str else key_text(key)
            try:
                out[name] = zero_of(item, zero) if element is None else item(element)
            except WrongType as error:
                error.path.insert(0, name)
                raise
        return out

    return decode


@dataclass(frozen=True)
class Struct:
    """The fields of a Go struct. They are filled in after it was made, since types refer to each other."""

    decoders: dict[str, Decoder] = field(default_factory=dict)
    left_out: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    zeros: dict[str, Any] = field(default_factory=dict)
    folded: dict[str, str] = field(default_factory=dict)


def struct_of(struct: Struct, *, fold: bool) -> Decoder:
    """A mapping with the fields of a struct. Bundles hold thousands; a function is called faster than an object."""
    decoders, left_out, zeros, folded = struct.decoders, struct.left_out, struct.zeros, struct.folded

    def decode(value: Any) -> dict[str, Any]:
        if value.__class__ is not dict:
            raise WrongType("a mapping", value)
        out = {}
        for key, item in (exact(value, folded) if fold else value).items():
            decode_item = decoders.get(key)
            if decode_item is string and item.__class__ is str:
                out[key] = item
            elif decode_item is not None and item is not None:
                try:
                    decoded = decode_item(item)
                except WrongType as error:
                    error.path.insert(0, key)
                    raise
                if decoded or (decoded is not None and decoded not in left_out.get(key, ())):
                    out[key] = decoded
        for key in zeros:
            if key not in out:
                out[key] = zeros[key]
        return out

    return decode


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
        self.structs: dict[str, Decoder] = {}

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
        return self.struct(notation), NOTHING

    def struct(self, name: str) -> Decoder:
        """The decoder of a struct."""
        if name in self.structs:
            return self.structs[name]
        struct = Struct()
        self.structs[name] = struct_of(struct, fold=self.fold)
        for spelled, notation in self.notation[name].items():
            key, required = spelled.rstrip("!"), spelled.endswith("!")
            kind, _space, when = notation.partition(" ") if isinstance(notation, str) else (notation, "", "")
            struct.decoders[key], zero = self.typed(kind)
            if isinstance(notation, (list, dict)) and not required:
                struct.left_out[key] = EMPTY
            if when == "unless 0":
                struct.left_out[key] = (0,)
            if when == "or 0" or (required and kind in WRITTEN_ZERO):
                struct.zeros[key] = zero
            struct.folded[key.lower()] = key
        return self.structs[name]

    def schema_or(self, notation: str) -> Decoder:
        """The fields of a JSON schema that hold a schema or something else."""
        schema = self.struct("JSONSchemaProps")
        other: dict[str, Decoder] = {
            "schema-or-boolean": boolean,
            "schema-or-list": lambda value: (
                list_of(schema, NOTHING)(value) or None if value.__class__ is list else None
            ),
            "schema-or-names": lambda value: list_of(string, "")(value) or None if value.__class__ is list else None,
        }
        otherwise = other[notation]
        return lambda value: schema(value) if value.__class__ is dict else otherwise(value)


@cache
def kubernetes_notation() -> Mapping[str, Any]:
    """The snapshot of the Kubernetes types."""
    notation: Mapping[str, Any] = json.loads(TYPES)
    return notation


@cache
def kubernetes_values() -> Mapping[str, Mapping[str, list[str]]]:
    """By type and field: the only values that an API server takes there. Go's types take any text."""
    values: Mapping[str, Mapping[str, list[str]]] = json.loads(VALUES)
    return values


@cache
def kubernetes_types() -> Types:
    """The Kubernetes types as its own converter reads them."""
    return Types({**kubernetes_notation(), "AnyObject": ANY_OBJECT})


# What every object has, whatever its kind.
ANY_OBJECT = {"apiVersion": "string", "kind": "string", "metadata": "ObjectMeta"}
