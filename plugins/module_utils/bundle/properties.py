# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Properties of a bundle: those that its metadata declares are added to an annotation of the ClusterServiceVersion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..kubernetes.go_json import compacted, elements, go_json, members
from ..kubernetes.values import key_text, plain, scalar_text
from .problems import BadBundle

PROPERTIES_ANNOTATION = "olm.properties"


def properties_in_annotation(annotation: str) -> list[str]:
    """The properties that the annotation holds, each as Go writes it back."""
    try:
        return [one_property(text) for text in elements(annotation)]
    except (ValueError, RecursionError, IndexError):
        raise BadBundle(
            f"the annotation {PROPERTIES_ANNOTATION} of the ClusterServiceVersion must be a JSON array of objects with type and value"
        ) from None


def one_property(text: str) -> str:
    """A property; Go finds its fields whatever the case of their letters."""
    kind, value = '""', "null"
    if text == "null":
        return f'{{"type":{kind},"value":{value}}}'
    for key, content in members(text):
        if key.lower() == "type" and content != "null":
            if not content.startswith('"'):
                raise ValueError("a property's type must be text")
            kind = compacted(content)
        elif key.lower() == "value":
            value = compacted(content)
    return f'{{"type":{kind},"value":{value}}}'


def properties_in_file(data: Any, where: str) -> list[str]:
    """The properties of metadata/properties.yaml."""
    if not isinstance(data, dict) and data is not None:
        raise BadBundle(f"{where}: must be a mapping with the key 'properties'")
    declared = folded(data or {}, "properties")
    declared = [] if declared is None else declared
    if not isinstance(declared, list):
        raise BadBundle(f"{where}: 'properties' must be a list")
    out = []
    for number, one in enumerate(declared):
        if one is not None and not isinstance(one, dict):
            raise BadBundle(f"{where}: properties[{number}] must be a mapping with type and value")
        kind = folded(one or {}, "type")
        if isinstance(kind, (dict, list)):
            raise BadBundle(f"{where}: properties[{number}].type must be text")
        value = in_key_order(plain(folded(one or {}, "value")))
        out.append(go_json({"type": "" if kind is None else scalar_text(kind), "value": value}))
    return out


def folded(data: dict[Any, Any], name: str) -> Any:
    """The value of a key, found as encoding/json finds it."""
    found = None
    for key in sorted(map(key_text, data)):
        if key.lower() == name and data.get(key) is not None:
            found = data[key]
    return found


def in_key_order(value: Any) -> Any:
    """The value with every mapping sorted by key, as Go writes maps."""
    if isinstance(value, dict):
        return {key: in_key_order(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [in_key_order(item) for item in value]
    return value


def annotation(properties: Iterable[str]) -> str:
    """The annotation that holds the properties. Go writes an empty list of them as null."""
    text = ",".join(properties)
    return f"[{text}]" if text else "null"
