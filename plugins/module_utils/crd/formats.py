# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Formats of strings that an API server enforces. The formats of numbers, and those it does not know, mean nothing to it."""

from __future__ import annotations

import base64
import binascii
import datetime
import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any

_UUID = r"[0-9a-f]{8}-?[0-9a-f]{4}-?%s[0-9a-f]{3}-?%s[0-9a-f]{3}-?[0-9a-f]{12}"
_HOST_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE | re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _parses(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def accepted(text: str) -> bool:
        try:
            parse(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return accepted


def _date_time(text: str) -> None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text, re.IGNORECASE | re.ASCII):
        raise ValueError(text)
    datetime.datetime.fromisoformat(text[:19].upper()).replace(tzinfo=datetime.UTC)


def _date(text: str) -> None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(text)
    datetime.date.fromisoformat(text)


def _network(text: str) -> None:
    if "/" not in text:
        raise ValueError(text)
    ipaddress.ip_network(text, strict=False)


# By the names that API servers know, dashes taken out. None: enforced, but not decided here.
ENFORCED: Mapping[str, Callable[[str], bool] | None] = {
    "bsonobjectid": _matches(r"[0-9a-f]{24}"),
    "byte": _parses(lambda text: base64.b64decode(text, validate=True)),
    "cidr": _parses(_network),
    "creditcard": None,
    "date": _parses(_date),
    "datetime": _parses(_date_time),
    "duration": None,  # Go's, and words like "3 days"
    "email": None,
    "hexcolor": _matches(r"#?([0-9a-f]{3}|[0-9a-f]{6})"),
    "hostname": _matches(rf"{_HOST_LABEL}(\.{_HOST_LABEL})*\.?"),
    "ipv4": _parses(ipaddress.IPv4Address),
    "ipv6": _parses(ipaddress.IPv6Address),
    "isbn": None,
    "isbn10": None,
    "isbn13": None,
    "k8slongname": None,
    "k8sshortname": None,
    "mac": _matches(r"([0-9a-f]{2}([:-])){5}[0-9a-f]{2}"),
    "password": lambda _text: True,
    "rgbcolor": None,
    "ssn": None,
    "uri": None,
    "uuid": _matches(_UUID % ("[0-9a-f]", "[0-9a-f]")),
    "uuid3": _matches(_UUID % ("3", "[0-9a-f]")),
    "uuid4": _matches(_UUID % ("4", "[89ab]")),
    "uuid5": _matches(_UUID % ("5", "[89ab]")),
}


# Of the others, what is sure to be accepted.
_SURELY: Mapping[str, Callable[[str], bool]] = {
    "duration": _matches(r"[-+]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+|0"),
    "email": _matches(r"[a-z0-9]+([._+-][a-z0-9]+)*@[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+"),
    "uri": _matches(r"[a-z][a-z0-9+.-]*://[a-z0-9.-]+(:\d{1,5})?(/[a-z0-9._~/-]*)?"),
}


def enforced(name: Any) -> bool:
    """Whether an API server looks at values under this format, and may refuse some."""
    known = str(name).replace("-", "")
    return isinstance(name, str) and known in ENFORCED and known != "password"


def breaks_format(value: Any, schema: Mapping[str, Any]) -> bool | None:
    """True: refused, False: accepted, None: not decided here."""
    name = schema.get("format")
    if not isinstance(value, str) or not enforced(name):
        return False
    known = str(name).replace("-", "")
    accepted = ENFORCED[known]
    if accepted is not None:
        return not accepted(value)
    return False if known in _SURELY and _SURELY[known](value) else None
