# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text to data as Kubernetes' Go parser reads it: the rules of go-yaml, which are those of neither YAML 1.1 nor 1.2.

ryaml is four times as fast as PyYAML and reads plain scalars by YAML 1.2. What it gives is taken where go-yaml
cannot have read it otherwise; PyYAML's parser and our own construction read the rest, and everything where
ryaml is not installed, with equal results.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator
from typing import Any

from ..errors import MissingLibrary
from ..nested import copied
from .problems import BadBundle

try:
    import ryaml
except ImportError:
    ryaml = None

DEEPEST = 128
MOST_VALUES = 2_000_000

# Unquoted, go-yaml takes these for booleans; ryaml does not. And it merges what stands under `<<`.
WORDS_THAT_DIFFER = frozenset(
    ["y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "<<"]
)
LONGEST_WORD = 3
NUMBER_THAT_DIFFERS = re.compile(r"[-+]?(?:0[0-9XBO_]|0[xbo][0-9a-fA-F]*_|[0-9][0-9.]*_)[0-9a-fA-FxXoObB_.+-]*")
BRACKETS = re.compile(r"[\[\]{}]")


def parse_document(text: str, where: str, warnings: list[str]) -> Any:
    """The data of one YAML or JSON document; `where` names it in messages."""
    refuse_deep_brackets(text, where)
    if ryaml is not None and "!!" not in text:
        try:
            data = ryaml.loads(text)
            if not may_differ(data):
                return data
        except (ryaml.InvalidYamlError, ValueError) as error:
            if "recursion limit" in str(error):
                raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels") from None
            # It may be what only ryaml refuses, a duplicate key above all; the other parser decides.
    return parse_with_pyyaml(text, where, warnings)


def may_differ(data: Any) -> bool:
    """Whether go-yaml may have read the text of this data otherwise: that depends on quotes, which data does not show.

    It looks at every value of every bundle, hence the shape of it: few calls, cheap questions first.
    """
    waiting: list[Any] = [data]
    while waiting:
        container = waiting.pop()
        if type(container) is dict:
            for key in container:
                if type(key) is not str:
                    if key is None:
                        return True
                elif (len(key) <= LONGEST_WORD or key < ":") and text_may_differ(key):
                    return True
            container = container.values()
        elif type(container) is not list:
            container = (container,)
        for item in container:
            kind = type(item)
            if kind is str:
                if (len(item) <= LONGEST_WORD or item < ":") and text_may_differ(item):
                    return True
            elif kind is dict or kind is list:
                waiting.append(item)
            elif kind is float and not math.isfinite(item):
                return True
    return False


def text_may_differ(text: str) -> bool:
    """Whether go-yaml would read text otherwise if it stood without quotes. Numbers and tags sort before `:`."""
    return text in WORDS_THAT_DIFFER or text[:1] == "!" or NUMBER_THAT_DIFFERS.fullmatch(text) is not None


def refuse_deep_brackets(text: str, where: str) -> None:
    """Parsers take time that grows with the square of the depth, or crash: look before they do."""
    if text.count("[") + text.count("{") < 1000:
        return
    depth = 0
    for match in BRACKETS.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth > 20 * DEEPEST:
            raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels")
        depth = max(depth, 0)


def parse_with_pyyaml(text: str, where: str, warnings: list[str]) -> Any:
    """The same with PyYAML's parser."""
    try:
        import yaml
    except ImportError:
        raise MissingLibrary("PyYAML is not installed; it is needed to read YAML: pip install PyYAML") from None
    try:
        return Construction(where, warnings).document(
            yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        )
    except yaml.MarkedYAMLError as error:
        raise BadBundle(
            f"{where}: not valid YAML{place(error.problem_mark)}: {error.problem or error.context}"
        ) from None
    except yaml.YAMLError as error:
        raise BadBundle(f"{where}: not valid YAML: {str(error).splitlines()[0]}") from None
    except (ValueError, RecursionError) as error:
        raise BadBundle(f"{where}: not valid YAML: {error}") from None


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
            if wanted is float and type(value) is int:
                return float(value)
            if type(value) is not wanted:
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
