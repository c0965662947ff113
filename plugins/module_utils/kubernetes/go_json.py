# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""JSON as Go writes it, where its very bytes matter: names with hashes, annotations that hold JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# encoding/json escapes what would be markup in HTML, and two line ends that JavaScript once stumbled over.
ESCAPED = re.compile("[<>&\u2028\u2029]")
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
STRING_OR_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"|[ \t\r\n]+')


def go_json(value: Any) -> str:
    """The value as encoding/json writes it; keys stand in the order of the mapping."""
    return escaped(COMPACT.encode(value))


def escaped(text: str) -> str:
    """JSON with Go's escapes. They can only be needed inside strings."""
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def compacted(text: str) -> str:
    """JSON text without space between its parts, as a json.RawMessage is written."""
    return escaped(STRING_OR_SPACE.sub(lambda match: match[0] if match[0].startswith('"') else "", text))


def exact(value: Mapping[Any, Any], folded: Mapping[str, str]) -> dict[Any, Any]:
    """The mapping with its keys spelled as the fields are: encoding/json takes any case, the last one wins."""
    return {folded.get(str(key).lower(), key): value[key] for key in sorted(value, key=str)}


def members(text: str) -> list[tuple[str, str]]:
    """The keys of an object, and the text of each value; ValueError where it is no JSON object."""
    decoder = json.JSONDecoder()
    whole, end = decoder.raw_decode(text)
    if not isinstance(whole, dict) or text[end:].strip():
        raise ValueError("not a JSON object")
    out, position = [], skip(text, skip(text, 0) + 1)
    while text[position] != "}":
        key, position = decoder.raw_decode(text, position)
        position = skip(text, skip(text, position) + 1)
        start = position
        _value, position = decoder.raw_decode(text, position)
        out.append((key, text[start:position]))
        position = skip(text, position)
        if text[position] == ",":
            position = skip(text, position + 1)
    return out


def elements(text: str) -> list[str]:
    """The text of each element of an array; ValueError where it is no JSON array."""
    decoder = json.JSONDecoder()
    stripped = text.strip()
    whole, end = decoder.raw_decode(stripped)
    if whole is None:
        return []
    if not isinstance(whole, list) or stripped[end:]:
        raise ValueError("not a JSON array")
    out, position = [], skip(stripped, 1)
    while stripped[position] != "]":
        start = position
        _value, position = decoder.raw_decode(stripped, position)
        out.append(stripped[start:position])
        position = skip(stripped, position)
        if stripped[position] == ",":
            position = skip(stripped, position + 1)
    return out


def skip(text: str, position: int) -> int:
    """The next position that is no space."""
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position
