# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a record must hold to be one of ours. Whoever may write Secrets may have written anything into it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..nested import deeper_than

# In words, and as a question.
Shape: TypeAlias = tuple[str, Callable[[Any], bool]]

# Bundles are refused that are nested half as deep.
_DEEPEST = 256
# How half of a character is written; a whole one is not written that way by us, but may be by others.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _or_nothing(shape: Shape) -> Shape:
    words, fits = shape
    return f"{words} or nothing", lambda value: value is None or fits(value)


def _list_of(shape: Shape) -> Shape:
    words, fits = shape
    return f"a list of {words}", lambda value: isinstance(value, list) and all(map(fits, value))


_TEXT: Shape = ("text", _is_text)
_NUMBER: Shape = ("a number", _is_number)
_FLAG: Shape = ("true or false", lambda value: isinstance(value, bool))
_MAPPING: Shape = ("a mapping", _is_mapping)
_TEXTS_BY_NAME: Shape = (
    "a mapping of text",
    lambda value: _is_mapping(value) and all(item is None or _is_text(item) for item in value.values()),
)

RECORD: Mapping[str, Shape] = {
    "bundle": _TEXTS_BY_NAME,
    "certificate_provider": _or_nothing(_TEXT),
    "digest": _TEXT,
    "objects": _list_of(("mappings", _is_mapping)),
    "started": _TEXT,
    "finished": _TEXT,
    "by": _TEXT,
    "outcome": _TEXT,
    "rolled_back_to": _or_nothing(_NUMBER),
    "removing": _FLAG,
    "parts": _list_of(_TEXT),
}
OBJECT: Mapping[str, Shape] = {
    "key": (
        "a list of six texts",
        lambda value: isinstance(value, list) and len(value) == 6 and all(map(_is_text, value)),
    ),
    "digest": _TEXT,
    "revision": _NUMBER,
    "uid": _TEXT,
    "generation": _or_nothing(_NUMBER),
    "resource_version": _TEXT,
    "retained": _FLAG,
    "shared": _FLAG,
}
_MANIFEST: Mapping[str, Shape] = {"kind": _TEXT, "metadata": _MAPPING}
_METADATA: Mapping[str, Shape] = {
    "name": _or_nothing(_TEXT),
    "namespace": _or_nothing(_TEXT),
    "labels": _or_nothing(_MAPPING),
    "annotations": _or_nothing(_MAPPING),
}


def parsed(text: bytes) -> Any:
    """The data in a text; raises ValueError where it is not as we write it."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {_DEEPEST} levels") from None
    if deeper_than(data, _DEEPEST):
        raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
    if _SURROGATE.search(text):
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text in it holds half of a character") from None
    return data


def fitting(value: Any, shapes: Mapping[str, Shape], what: str) -> dict[str, Any]:
    """The value, a mapping whose entries have these shapes where they are there; raises TypeError or ValueError for anything else."""
    if not isinstance(value, dict):
        raise TypeError(f"{what} is no mapping")
    for name, (words, fits) in shapes.items():
        if name in value and not fits(value[name]):
            raise ValueError(f"'{name}' of {what} is not {words}")
    return value


def fitting_manifests(value: Any) -> tuple[dict[str, Any], ...]:
    """The manifests in a value; raises TypeError, ValueError or KeyError where it holds anything else."""
    if not isinstance(value, list):
        raise TypeError("the manifests are no list")
    for number, manifest in enumerate(value):
        what = f"manifest {number + 1}"
        fitting(fitting(manifest, _MANIFEST, what)["metadata"], _METADATA, f"the metadata of {what}")
    return tuple(value)
