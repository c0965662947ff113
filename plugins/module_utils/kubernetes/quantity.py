# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Quantities such as 500m or 1Gi, written the way Kubernetes writes them."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context, Decimal

DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in DECIMAL.items()}
BINARY_SUFFIX = {exponent: suffix for suffix, exponent in BINARY.items()}

QUANTITY = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[+-]?|[+-])?[0-9]*)")
EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,4})")
SMALLEST = Decimal("1e-9")
LARGEST_BINARY = Decimal(2**63 - 1)
EXACT = Context(prec=5000)


def canonical(text: str) -> str:
    """The quantity as Kubernetes writes it; ValueError where it is none."""
    sign, number, suffix = _parts(text)
    if suffix in BINARY and number >= 1024 and number == number.to_integral_value():
        return sign + binary(int(number))
    mantissa, power = thousands(number)
    if EXPONENT.fullmatch(suffix):
        return f"{sign}{mantissa}e{power}" if power else f"{sign}{mantissa}"
    return f"{sign}{mantissa}{DECIMAL_SUFFIX.get(power, '')}"


def amount(quantity: object) -> Decimal:
    """How much a quantity is; ValueError where it is none."""
    sign, number, _suffix = _parts(str(quantity))
    return -number if sign else number


def _parts(text: str) -> tuple[str, Decimal, str]:
    """A minus or nothing, how much it is without that, and the suffix."""
    text = text.strip()
    match = QUANTITY.fullmatch(text)
    if not match or not text or len(text) > 512:
        raise ValueError(f"'{text}' is no quantity: write a number with an optional suffix, such as 500m, 2 or 1Gi")
    sign, whole, fraction, suffix = match[1], match[2] or "0", match[3] or "", match[4]
    exponent = EXPONENT.fullmatch(suffix)
    if suffix not in DECIMAL and suffix not in BINARY and not exponent:
        raise ValueError(f"'{text}' is no quantity: the suffix '{suffix}' is none of {' '.join([*DECIMAL, *BINARY])}")
    number = Decimal(f"{whole}.{fraction or 0}")
    if suffix in BINARY:
        number = EXACT.multiply(number, Decimal(1 << BINARY[suffix]))
    else:
        number = number.scaleb(int(exponent[1]) if exponent else DECIMAL[suffix], EXACT)
    if number and number.as_tuple().exponent < -9:  # type: ignore[operator]  # never a NaN
        number = number.quantize(SMALLEST, ROUND_UP, EXACT)
    if suffix in BINARY:
        number = min(number, LARGEST_BINARY)
    return "-" if sign == "-" and number else "", number, suffix


def binary(number: int) -> str:
    """A whole number with the largest binary suffix that divides it."""
    power = 0
    while number % 1024 == 0 and power < 60:
        number //= 1024
        power += 10
    return f"{number}{BINARY_SUFFIX.get(power, '')}"


def thousands(number: Decimal) -> tuple[int, int]:
    """A whole mantissa and the largest exponent, a multiple of three, that together are the number."""
    if not number:
        return 0, 0
    _sign, digits, exponent = number.as_tuple()
    mantissa, power = int("".join(map(str, digits))), int(exponent)
    while mantissa % 10 == 0:
        mantissa //= 10
        power += 1
    while power % 3:
        mantissa *= 10
        power -= 1
    return mantissa, power
