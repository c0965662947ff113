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

from ..kubernetes.types import kubernetes_types
from ..kubernetes.values import WrongType
from ..nested import deeper_than
from .problems import DEEPEST, BadBundle
from .yaml_text import parse_document

# Their decoders look at all of them, metadata included.
TYPED_KINDS = ("ClusterServiceVersion", "CustomResourceDefinition")
LARGEST_FILE = 32 * 1024 * 1024
SEPARATOR = re.compile(r"\n---(.*)")
# Kubernetes takes less than that after a JSON object for a mistake, and more for YAML.
SHORTEST_YAML = 4
SPACE = re.compile(r"\s*+")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_text(path: Path | str, where: str) -> str | None:
    """The text of a file; None where there is no such file."""
    try:
        with open(path, "rb", buffering=0) as file:  # read as a whole: a buffer would only cost
            size = os.fstat(file.fileno()).st_size
            content = file.read() if size <= LARGEST_FILE else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise BadBundle(f"{where}: cannot be read: {error.strerror}") from None
    if size > LARGEST_FILE:
        raise BadBundle(f"{where}: larger than {LARGEST_FILE // 1024 // 1024} MiB")
    return decoded(content, where) if content else ""


def decoded(content: bytes, where: str) -> str:
    """Bytes as text, every line ending as on Unix."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadBundle(f"{where}: not a text file: byte {error.start + 1} is not UTF-8") from None
    # Kubernetes reads line by line and ends each with a newline, the last one, too.
    return (text.replace("\r\n", "\n") if "\r" in text else text) + ("" if text.endswith("\n") else "\n")


def read_objects(text: str, where: str, warnings: list[str]) -> Iterator[dict[str, Any]]:
    """The objects of a stream of YAML or JSON documents, lists flattened."""
    for _place, manifest in placed_objects(text, where, warnings):
        yield manifest


def placed_objects(text: str, where: str, warnings: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same, each with the file and the document in it that it stands in."""
    for place, data in documents(text, where, warnings):
        if data is None:
            continue
        if not isinstance(data, dict):
            raise BadBundle(f"{place}: a document must be an object, with apiVersion and kind")
        if not has_text(data, "kind"):
            raise BadBundle(f"{place}: an object has no kind")
        if data["kind"] not in TYPED_KINDS:
            check_metadata(data, place)
        if "items" in data:
            yield from ((place, item) for item in flattened(data, place))
        else:
            yield place, data


def check_metadata(data: dict[str, Any], where: str) -> None:
    """Refuse metadata that no object can have; the rest of an object is the business of its kind."""
    try:
        kubernetes_types().decoder("AnyObject")(data)
    except WrongType as error:
        raise BadBundle(f"{where}: {data['kind']}: {error}") from None


def flattened(data: dict[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """The objects of a list. Those of a typed list may leave out what kind they are."""
    inferred = {"kind": data["kind"].removesuffix("List"), "apiVersion": data.get("apiVersion")}
    for listed in items_of(data, where):
        item = {} if listed is None else listed
        if not isinstance(item, dict):
            raise BadBundle(f"{where}: a list of objects holds something else")
        if not item.get("kind") and not item.get("apiVersion"):
            item = {**item, **inferred}
        if isinstance(item.get("items"), list):
            raise BadBundle(f"{where}: a list in a list")
        if not has_text(item, "kind") or not has_text(item, "apiVersion"):
            raise BadBundle(f"{where}: an object of a list has no kind or no apiVersion")
        yield item


def items_of(data: dict[str, Any], where: str) -> list[Any]:
    """The items of a list."""
    items = data["items"]
    if items is not None and not isinstance(items, list):
        raise BadBundle(f"{where}: the items of a list must be a list")
    return items or []


def has_text(data: dict[str, Any], key: str) -> bool:
    """Whether a mapping has text under a key."""
    return isinstance(data.get(key), str) and bool(data[key])


def documents(text: str, where: str, warnings: list[str]) -> Iterator[tuple[str, Any]]:
    """The documents of a stream and their places: of JSON as far as it is JSON, else of YAML, which can begin with a brace, too."""
    if text.startswith("{", after_space(text, 0)):
        values, text = json_stream(text, where)
        yield from (
            (where if len(values) == 1 else f"{where} (document {number})", value)
            for number, value in enumerate(values, 1)
        )
        if len(values) > 1 or (values and len(text) < SHORTEST_YAML):
            if text.strip():
                raise BadBundle(f"{where}: not valid JSON: '{text.strip()[:20]}' after an object")
            return
    yield from yaml_stream(text, where, warnings)


def json_stream(text: str, where: str) -> tuple[list[Any], str]:
    """The values with which a text in JSON begins, and the text after them."""
    decoder = json.JSONDecoder(parse_constant=no_constant)
    values: list[Any] = []
    position, start = 0, after_space(text, 0)
    try:
        while text[start : start + 1] == "{" or (values and start < len(text)):
            value, position = decoder.raw_decode(text, start)
            values.append(value)
            start = after_space(text, position)
    except ValueError:
        pass
    except RecursionError:
        raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels") from None
    if any(deeper_than(value, DEEPEST) for value in values):
        raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels")
    if values and SURROGATE.search(text):
        try:
            json.dumps(values, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise BadBundle(f"{where}: a string holds half of a character") from None
    return values, text[position:]


def after_space(text: str, position: int) -> int:
    """The next position that is no space."""
    match = SPACE.match(text, position)
    return match.end() if match else position


def no_constant(name: str) -> Any:
    """Python takes NaN and Infinity for JSON; nobody else does."""
    raise ValueError(f"{name} is not JSON")


def yaml_stream(text: str, where: str, warnings: list[str]) -> Iterator[tuple[str, Any]]:
    """The documents of a YAML stream, split as Kubernetes splits it: at lines that are `---`, perhaps with a comment."""
    chunks: list[str] = []
    begin = 0
    for match in SEPARATOR.finditer("\n" + text) if "\n---" in text or text.startswith("---") else ():
        rest, start = match[1].strip(), match.start()
        if rest and not rest.startswith("#"):
            line = text.count("\n", 0, start) + 1
            raise BadBundle(f"{where}: line {line}: '---' must stand alone on its line, seen '{rest[:40]}' after it")
        if start > begin:
            # The line between two documents belongs to neither; one before anything else is left to the parser.
            chunks.append(text[begin:start])
            begin = match.end()
    chunks.append(text[begin:])
    for number, document in enumerate(chunks, 1):
        if document and not document.isspace():
            place = where if len(chunks) == 1 else f"{where} (document {number})"
            yield place, parse_document(document, place, warnings)
