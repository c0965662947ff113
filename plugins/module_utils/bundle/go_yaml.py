# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of go-yaml: data from the events of a YAML parser, constructed as Kubernetes' Go parser does it."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator
from typing import Any

from ..nested import copied
from .problems import DEEPEST, BadBundle

MOST_VALUES = 2_000_000


def place(mark: Any) -> str:
    """Where a mark points to."""
    return f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""


class Level:
    """A container that is being filled: the key that waits for its value, and the keys set so far."""

    def __init__(self, event: Any) -> None:
        self.event = event
        self.container: Any = [] if type(event).__name__ == "SequenceStartEvent" else {}
        self.key: Any = NO_KEY
        self.keys: set[Any] = set()


class Construction:
    """Data from parser events, without recursion, so that no text can exhaust the stack."""

    def __init__(self, where: str, warnings: list[str]) -> None:
        self.where = where
        self.warnings = warnings
        self.anchors: dict[str, Any] = {}
        self.values = 0

    def document(self, events: Iterator[Any]) -> Any:
        """The first document; go-yaml does not look at what follows it."""
        stack: list[Level] = []
        result: Any = None
        for event in events:
            kind = type(event).__name__
            if kind in ("StreamStartEvent", "DocumentStartEvent"):
                continue
            if kind in ("StreamEndEvent", "DocumentEndEvent"):
                break
            if kind in ("SequenceStartEvent", "MappingStartEvent"):
                if len(stack) >= DEEPEST:
                    raise BadBundle(f"{self.where}: nested deeper than {DEEPEST} levels{place(event.start_mark)}")
                stack.append(Level(event))
                continue
            start = event
            if kind in ("SequenceEndEvent", "MappingEndEvent"):
                level = stack.pop()
                value, start = level.container, level.event
            else:
                value = self.aliased(event) if kind == "AliasEvent" else self.scalar(event)
            if kind != "AliasEvent" and start.anchor:
                self.anchors[start.anchor] = value
            if stack:
                self.add(stack[-1], value, start)
            else:
                result = value
        return result

    def add(self, level: Level, value: Any, event: Any) -> None:
        """Put a finished value into the container that it stands in."""
        self.values += 1
        if isinstance(level.container, list):
            level.container.append(value)
        elif level.key is NO_KEY:
            if isinstance(value, (dict, list)) or value is None or (isinstance(value, int) and value >= 2**63):
                raise BadBundle(f"{self.where}: this cannot be a key{place(event.start_mark)}")
            is_merge = value == "<<" and type(event).__name__ == "ScalarEvent" and event.implicit[0]
            level.key = MERGE if is_merge else value
        else:
            key, level.key = level.key, NO_KEY
            if key is MERGE:
                self.merge(level.container, value, event)
                return
            if key in level.keys:
                self.warnings.append(
                    f"{self.where}: the key '{key}' stands twice{place(event.start_mark)}; the last one counts"
                )
            level.keys.add(key)
            level.container[key] = value

    def merge(self, container: dict[Any, Any], value: Any, event: Any) -> None:
        """`<<`. Go-yaml lets it override the keys before it; of several mappings the first counts most."""
        for source in reversed(value if isinstance(value, list) else [value]):
            if not isinstance(source, dict):
                raise BadBundle(f"{self.where}: only a mapping can be merged with '<<'{place(event.start_mark)}")
            container.update(copied(source))

    def aliased(self, event: Any) -> Any:
        """A copy of what an alias stands for, as long as the copies stay within bounds."""
        if event.anchor not in self.anchors:
            raise BadBundle(f"{self.where}: unknown anchor '{event.anchor}'{place(event.start_mark)}")
        value = self.anchors[event.anchor]
        self.values += size(value, MOST_VALUES)
        if self.values > MOST_VALUES:
            raise BadBundle(f"{self.where}: aliases expand to more than {MOST_VALUES} values{place(event.start_mark)}")
        return copied(value)

    def scalar(self, event: Any) -> Any:
        """A scalar by the rules of go-yaml."""
        text, tag = event.value, event.tag
        if tag == "tag:yaml.org,2002:binary":
            try:
                return base64.b64decode(re.sub(r"\s", "", text), validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError):
                raise BadBundle(f"{self.where}: not valid base64{place(event.start_mark)}") from None
        if tag in TYPED_TAGS:
            value = plain_scalar(text)
            wanted = TYPED_TAGS[tag]
            if wanted is float and value.__class__ is int:
                return float(value)
            if value.__class__ is not wanted:
                raise BadBundle(f"{self.where}: '{text}' does not fit its tag{place(event.start_mark)}")
            return value
        value = plain_scalar(text) if tag is None and event.implicit[0] else text
        if isinstance(value, float) and not math.isfinite(value):
            raise BadBundle(
                f"{self.where}: '{text}' is not allowed{place(event.start_mark)}; JSON knows no such number"
            )
        return value


NO_KEY = object()
MERGE = object()
TYPED_TAGS: dict[str, type] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}
WORDS: dict[str, Any] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
FIRST = frozenset("+-0123456789yYnNtTfFoO~.")


def plain_scalar(text: str) -> Any:
    """What go-yaml takes an unquoted scalar for."""
    if text and text[0] not in FIRST:
        return text
    if text in WORDS:
        return WORDS[text]
    first = text[0]
    if first == ".":
        return float_or_text(text, text)
    if first in "+-0123456789":
        digits = text.replace("_", "")
        match = INTEGER.fullmatch(digits)
        if match:
            sign, hexadecimal, binary, octal, decimal = match.groups()
            for part, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)):
                if part is not None:
                    value = int(sign + part, base)
                    return (
                        value
                        if -(2**63) <= value < 2**64 and not (sign and value >= 2**63)
                        else float_or_text(digits, text)
                    )
        return float_or_text(digits, text)
    return text


def float_or_text(digits: str, text: str) -> Any:
    """A float where it looks like one and is finite; else the text."""
    if not FLOAT.fullmatch(digits):
        return text
    value = float(digits)
    return text if value in (float("inf"), float("-inf")) else value


def size(value: Any, limit: int) -> int:
    """How many values there are in one, counted no further than the limit."""
    waiting, count = [value], 0
    while waiting and count <= limit:
        item = waiting.pop()
        count += 1
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return count
