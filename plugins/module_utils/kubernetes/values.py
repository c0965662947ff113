# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Single values as Go reads them and writes them back: text, numbers, times, quantities.

Each function gives back the value as Go would write it, or raises WrongType.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ..errors import FleetError
from .quantity import canonical

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


def plain(value: Any) -> Any:
    """A value as it comes out of Go's JSON: text keys, whole numbers as integers, no infinity."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is dict:
        return {key if key.__class__ is str else key_text(key): plain(item) for key, item in value.items()}
    if kind is list:
        return [plain(item) for item in value]
    if kind is int:
        return value if -(2**63) <= value < 2**63 else number(value)
    if kind is float:
        return number(value)
    raise WrongType("text, a number, a boolean, a list or a mapping", value)


def key_text(key: Any) -> str:
    """A mapping's key as text; Go knows no other, and refuses what it cannot write as one."""
    if key is None or (key.__class__ is int and not -(2**63) <= key < 2**63):
        raise WrongType("a mapping with text as keys", key)
    return float_text(key, "f") if isinstance(key, float) else scalar_text(key)


def scalar_text(value: Any) -> str:
    """A scalar as text, where text is wanted and Go takes others for it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return float_text(value, "d") if isinstance(value, float) else str(value)


def float_text(value: float, precision: str) -> str:
    """A number as Go writes it with the fewest digits that tell it from others. Of keys it looks at a float32, `f`, else at a float64, `d`."""
    try:
        stored = struct.pack(precision, value)
    except OverflowError:
        stored = struct.pack(precision, math.copysign(math.inf, value))
    number = struct.unpack(precision, stored)[0]
    if not math.isfinite(number):
        return {"inf": ".inf", "-inf": "-.inf"}.get(repr(number), ".nan")
    written = (f"{number:.{digits}e}" for digits in range(17))
    text = next(text for text in written if struct.pack(precision, float(text)) == stored)
    mantissa, _e, exponent = text.partition("e")
    return f"{Decimal(text):f}" if -5 < int(exponent) < 6 else f"{mantissa}e{int(exponent):+03d}"


def number(value: Any) -> Any:
    """A number as Go's JSON writes a float64."""
    if value.__class__ is not int and value.__class__ is not float:
        raise WrongType("a number", value)
    try:
        value = float(value)
    except OverflowError:
        raise WrongType("a number that 64 bits can hold", value) from None
    if not math.isfinite(value):
        raise WrongType("a finite number", str(value))
    # Go pads the shortest digits that tell the value with zeros; int(value) would tell more digits.
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < 1e21 else value


def string(value: Any) -> str:
    """Text."""
    if value.__class__ is not str:
        raise WrongType("text", value)
    return value


def boolean(value: Any) -> bool:
    """True or false."""
    if value.__class__ is not bool:
        raise WrongType("true or false", value)
    return value


def integer(bits: int) -> Decoder:
    """A whole number. Go's converter cuts off what does not fit instead of refusing it."""

    def decode(value: Any) -> int:
        if value.__class__ is float and value.is_integer():
            value = int(value)
        if value.__class__ is not int:
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
        if value.__class__ is float and value.is_integer():
            value = int(value)
        if value.__class__ is not int or not -limit <= value < limit:
            raise WrongType(f"a whole number from {-limit} to {limit - 1}", value)
        return value

    return decode


def quantity(value: Any) -> str:
    """A quantity, canonical."""
    if value.__class__ is int or value.__class__ is float:
        value = str(number(value))
    if value.__class__ is not str:
        raise WrongType("a quantity such as 500m or 1Gi", value)
    try:
        return canonical(value)
    except ValueError:
        raise WrongType("a quantity such as 500m or 1Gi", value) from None


def int_or_string(value: Any) -> Any:
    """A whole number of 32 bits, or text."""
    return value if value.__class__ is str else strict_integer(32)(value)


TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII
)  # RFC 3339 as Go's time.Parse takes it


def time(value: Any) -> str:
    """A moment, in UTC and whole seconds."""
    match = TIME.fullmatch(value) if value.__class__ is str else None
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
