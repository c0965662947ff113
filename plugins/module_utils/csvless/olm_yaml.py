# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""olm.yaml: what cannot be inferred from plain manifests. Read strictly: a misspelt key would be lost without a word."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.csv import version
from ..bundle.model import INSTALL_MODES
from ..bundle.problems import InvalidBundle
from ..kubernetes.values import WrongType
from ..similar import did_you_mean

OLM_YAML = "olm.yaml"
REQUIRED = ("name", "version", "minKubeVersion", "installModes")
DESCRIPTOR_PARTS = ("spec", "status", "action")

# Shapes: a word for a scalar, [shape] for a list, {"": shape} for a mapping with any keys, {key: shape} for one with these only.
_NAME_AND_URL = {"name": "text", "url": "text"}
_DESCRIPTOR = {
    "path": "text",
    "displayName": "text",
    "description": "text",
    "capabilities": ["text"],
    "x-descriptors": ["text"],
    "value": "any",
}
_API = {
    "apiVersion": "text",
    "group": "text",
    "version": "text",
    "kind": "text",
    "name": "text",
    "displayName": "text",
    "description": "text",
    "resources": [{"kind": "text", "name": "text", "version": "text"}],
    "descriptors": [_DESCRIPTOR],
}
SHAPE: Mapping[str, Any] = {
    "name": "text",
    "version": "version",
    "minKubeVersion": "version",
    "installModes": [{"type": "install mode", "supported": "boolean"}],
    "maturity": "text",
    "displayName": "text",
    "description": "text",
    "keywords": ["text"],
    "maintainers": [{"name": "text", "email": "text"}],
    "provider": _NAME_AND_URL,
    "links": [_NAME_AND_URL],
    "icon": "icon",
    "labels": {"": "text"},
    "selector": {
        "matchLabels": {"": "text"},
        "matchExpressions": [{"key": "text", "operator": "text", "values": ["text"]}],
    },
    "replaces": "text",
    "apis": [_API],
    "apiDescriptions": [_API],
    "apiDependencies": [{"apiVersion": "text", "group": "text", "version": "text", "kind": "text", "name": "text"}],
    "packageDependencies": [{"packageName": "text", "version": "text"}],
    # Not in the proposal of the format, but in ClusterServiceVersions, and catalogs and consoles show them.
    "annotations": {"": "text"},
    "skips": ["text"],
    "relatedImages": [{"name": "text", "image": "text"}],
}
_ICON = [{"base64data": "text", "mediatype": "text"}]
_WORDS = {"text": "text", "boolean": "true or false", "version": "a version such as 1.2.3"}
_VERSION_IN_NAME = re.compile(r"[.-]v?[0-9]+\.[0-9].*$")


@dataclass(frozen=True)
class Api:
    """What olm.yaml says of one API. `name` is plural.group where it was given, else empty."""

    group: str
    version: str
    kind: str
    name: str
    description: Mapping[str, Any]


@dataclass(frozen=True)
class Metadata:
    """The content of olm.yaml, checked."""

    values: Mapping[str, Any]
    apis: tuple[Api, ...]
    api_dependencies: tuple[Api, ...]
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        return str(self.values["name"])

    @property
    def package(self) -> str:
        """The package, for a bundle without annotations: its name without the version."""
        return _VERSION_IN_NAME.sub("", self.name)


def check_olm_yaml(data: Any, where: str) -> Metadata:
    """The content of olm.yaml; everything that is wrong with it is told at once."""
    if not isinstance(data, dict):
        raise InvalidBundle(where, [f"{where}: must be a mapping with {', '.join(REQUIRED)}"])
    problems = [f"missing required key '{key}'" for key in REQUIRED if data.get(key) in (None, "", [])]
    given = {key: value for key, value in data.items() if value is not None}
    _check(given, SHAPE, "", problems)
    if "apis" in given and "apiDescriptions" in given:
        problems.append("'apis' and 'apiDescriptions' are two spellings of one key; use one of them")
    described = given.get("apis", given.get("apiDescriptions"))
    warnings: list[str] = []
    key = "apis" if "apis" in given else "apiDescriptions"
    apis = [_api(item, f"{key}[{number}]", problems, warnings) for number, item in _mappings(described)]
    needed = [
        _api(item, f"apiDependencies[{number}]", problems, warnings)
        for number, item in _mappings(given.get("apiDependencies"))
    ]
    for number, item in _mappings(given.get("packageDependencies")):
        problems += [
            f"'packageDependencies[{number}]' has no '{part}'"
            for part in ("packageName", "version")
            if not item.get(part)
        ]
    modes = [str(item.get("type")) for _number, item in _mappings(given.get("installModes"))]
    problems += [
        f"'installModes' names {mode} more than once" for mode in sorted({m for m in modes if modes.count(m) > 1})
    ]
    problems += [
        f"'installModes[{number}]' has no '{part}'"
        for number, item in _mappings(given.get("installModes"))
        for part in ("type", "supported")
        if part not in item
    ]
    if problems:
        raise InvalidBundle(str(data.get("name") or where), [f"{where}: {problem}" for problem in problems])
    return Metadata(given, tuple(apis), tuple(needed), tuple(f"{where}: {warning}" for warning in warnings))


def _check(value: Any, shape: Any, path: str, problems: list[str]) -> None:
    if shape == "icon":
        # The proposal shows the bare content of a PNG, too.
        if not isinstance(value, str):
            _check(value, _ICON, path, problems)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            problems.append(f"'{path}' must be a list, seen {_seen(value)}")
            return
        for number, item in enumerate(value):
            _check(item, shape[0], f"{path}[{number}]", problems)
    elif isinstance(shape, Mapping):
        _check_mapping(value, shape, path, problems)
    elif shape != "any":
        _check_scalar(value, shape, path, problems)


def _check_mapping(value: Any, shape: Mapping[str, Any], path: str, problems: list[str]) -> None:
    if not isinstance(value, dict):
        problems.append(f"'{path}' must be a mapping, seen {_seen(value)}")
        return
    for key, item in value.items():
        here = f"{path}.{key}" if path else str(key)
        if "" in shape:
            if not isinstance(key, str):
                problems.append(f"the key '{key}' of '{path}' must be text; put it in quotes")
            _check(item, shape[""], here, problems)
        elif key not in shape:
            problems.append(f"unknown key '{here}'{did_you_mean(str(key), shape)}")
        elif item is not None:
            _check(item, shape[key], here, problems)


def _check_scalar(value: Any, shape: str, path: str, problems: list[str]) -> None:
    if shape == "install mode":
        if value not in INSTALL_MODES:
            hint = did_you_mean(value, INSTALL_MODES) if isinstance(value, str) else ""
            problems.append(f"'{path}' must be one of {', '.join(INSTALL_MODES)}, seen {_seen(value)}{hint}")
    elif shape == "boolean":
        if not isinstance(value, bool):
            problems.append(f"'{path}' must be {_WORDS[shape]}, seen {_seen(value)}")
    elif not isinstance(value, str):
        hint = "; put it in quotes" if isinstance(value, (int, float)) else ""
        problems.append(f"'{path}' must be {_WORDS[shape]}, seen {_seen(value)}{hint}")
    elif shape == "version":
        try:
            version(value)
        except WrongType:
            problems.append(f"'{path}' must be {_WORDS[shape]}, seen {_seen(value)}")


def _api(item: Mapping[str, Any], path: str, problems: list[str], warnings: list[str]) -> Api:
    """An API by group, version and kind, or by apiVersion and kind."""
    group, _slash, version_of = str(item.get("apiVersion") or "").rpartition("/")
    if "apiVersion" in item:
        if item.get("group") not in (None, group) or item.get("version") not in (None, version_of):
            problems.append(f"'{path}': 'apiVersion' is {item['apiVersion']}, which 'group' or 'version' contradicts")
    else:
        group, version_of = str(item.get("group") or ""), str(item.get("version") or "")
    kind = str(item.get("kind") or "")
    if not kind or not version_of:
        problems.append(f"'{path}' must have 'kind' and either 'group' and 'version' or 'apiVersion'")
    name = str(item.get("name") or "")
    if name and not (name.endswith(f".{group}") if group else "." not in name):
        problems.append(f"'{path}.name' must be the plural name with the group, such as things.{group}, seen '{name}'")
    for number, descriptor in _mappings(item.get("descriptors")):
        here = f"{path}.descriptors[{number}]"
        if not descriptor.get("path"):
            problems.append(f"'{here}' has no 'path'")
        elif str(descriptor["path"]).partition(".")[0] not in DESCRIPTOR_PARTS:
            warnings.append(
                f"'{here}.path' is '{descriptor['path']}', which does not begin with spec or status; taken for spec.{descriptor['path']}"
            )
        if "capabilities" in descriptor and "x-descriptors" in descriptor:
            problems.append(
                f"'{here}': 'capabilities' and 'x-descriptors' are two spellings of one key; use one of them"
            )
    return Api(group, version_of, kind, name, item)


def _mappings(value: Any) -> list[tuple[int, Mapping[str, Any]]]:
    return (
        [(number, item) for number, item in enumerate(value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


def _seen(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value[:60]}'"
    try:
        return json.dumps(value)[:60]
    except (TypeError, ValueError):
        return str(value)[:60]
