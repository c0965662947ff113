# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of a bundle to objects, as Kubernetes' own tools read a stream of manifests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..kubernetes.types import WrongType, kubernetes_types
from .problems import BadBundle
from .yaml_text import DEEPEST, parse_document

# Their decoders look at all of them, metadata included.
TYPED_KINDS = ("ClusterServiceVersion", "CustomResourceDefinition")
LARGEST_FILE = 32 * 1024 * 1024
SEPARATOR = re.compile(r"\n---(.*)")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_text(path: Path | str, where: str) -> str:
    """The text of a file; none at all where it is empty."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read() if size <= LARGEST_FILE else b""
    except FileNotFoundError:
        raise BadBundle(f"{where}: no such file") from None
    except OSError as error:
        raise BadBundle(f"{where}: cannot be read: {error.strerror}") from None
    if size > LARGEST_FILE:
        raise BadBundle(f"{where}: larger than {LARGEST_FILE // 1024 // 1024} MiB")
    return decoded(content, where) if content else ""


def decoded(content: bytes, where: str) -> str:
    """Bytes as text, every line ending as on Unix."""
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadBundle(f"{where}: not a text file: byte {error.start + 1} is not UTF-8") from None
    # Kubernetes reads line by line and ends each with a newline, the last one, too.
    return (text.replace("\r\n", "\n") if "\r" in text else text) + ("" if text.endswith("\n") else "\n")


def read_objects(text: str, where: str, warnings: list[str]) -> Iterator[dict[str, Any]]:
    """The objects of a stream of YAML or JSON documents, lists flattened."""
    for data in json_stream(text, where) or yaml_stream(text, where, warnings):
        if data is None:
            continue
        if not isinstance(data, dict):
            raise BadBundle(f"{where}: a document must be an object, with apiVersion and kind")
        if not has_text(data, "kind"):
            raise BadBundle(f"{where}: an object has no kind")
        if data["kind"] not in TYPED_KINDS:
            check_metadata(data, where)
        if "items" in data:
            yield from flattened(data, where)
        else:
            yield data


def check_metadata(data: dict[str, Any], where: str) -> None:
    """Refuse metadata that no object can have; the rest of an object is the business of its kind."""
    try:
        kubernetes_types().decoder("AnyObject")(data)
    except WrongType as error:
        raise BadBundle(f"{where}: {data['kind']}: {error}") from None


def flattened(data: dict[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """The objects of a list, and of lists in it. Those of a typed list may leave out what kind they are."""
    inferred = {"kind": data["kind"].removesuffix("List"), "apiVersion": data.get("apiVersion")}
    waiting = [
        {**item, **inferred} if isinstance(item, dict) and not item.get("kind") and not item.get("apiVersion") else item
        for item in items_of(data, where)
    ]
    while waiting:
        item = waiting.pop(0)
        if not isinstance(item, dict):
            raise BadBundle(f"{where}: a list of objects holds something else")
        if isinstance(item.get("items"), list):
            waiting += item["items"]
        elif has_text(item, "kind") and has_text(item, "apiVersion"):
            yield item
        else:
            raise BadBundle(f"{where}: an object of a list has no kind or no apiVersion")


def items_of(data: dict[str, Any], where: str) -> list[Any]:
    """The items of a list."""
    items = data["items"]
    if items is not None and not isinstance(items, list):
        raise BadBundle(f"{where}: the items of a list must be a list")
    return items or []


def has_text(data: dict[str, Any], key: str) -> bool:
    """Whether a mapping has text under a key."""
    return isinstance(data.get(key), str) and bool(data[key])


def json_stream(text: str, where: str) -> list[Any] | None:
    """The values of a stream of JSON; None where it is none. YAML can begin with a brace, too."""
    if not text.lstrip().startswith("{"):
        return None
    decoder = json.JSONDecoder(parse_constant=no_constant)
    values, position = [], 0
    try:
        while position < len(text.rstrip()):
            value, position = decoder.raw_decode(text, len(text) - len(text[position:].lstrip()))
            values.append(value)
    except ValueError:
        return None
    except RecursionError:
        raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels") from None
    if any(deeper_than(value, DEEPEST) for value in values):
        raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels")
    if SURROGATE.search(text):
        try:
            json.dumps(values, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise BadBundle(f"{where}: a string holds half of a character") from None
    return values


def no_constant(name: str) -> Any:
    """Python takes NaN and Infinity for JSON; nobody else does."""
    raise ValueError(f"{name} is not JSON")


def deeper_than(value: Any, limit: int) -> bool:
    """Whether containers are nested deeper than a limit."""
    level = [value]
    for _ in range(limit + 1):
        level = [item for one in level for item in children(one)]
        if not level:
            return False
    return True


def children(value: Any) -> list[Any]:
    """The values in a container."""
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def yaml_stream(text: str, where: str, warnings: list[str]) -> Iterator[Any]:
    """The documents of a YAML stream, split as Kubernetes splits it: at lines that are `---`, perhaps with a comment."""
    starts = [0]
    for match in SEPARATOR.finditer("\n" + text) if "---" in text else ():
        rest = match[1].strip()
        if rest and not rest.startswith("#"):
            line = text.count("\n", 0, match.start()) + 1
            raise BadBundle(f"{where}: line {line}: '---' must stand alone on its line, seen '{rest[:40]}' after it")
        if match.start():
            starts.append(match.start())
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True)):
        document = text[start:end]
        if document.strip():
            yield parse_document(document, where if len(starts) == 1 else f"{where} (document {number + 1})", warnings)
