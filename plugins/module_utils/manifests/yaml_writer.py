# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests as YAML text that every reader understands alike, and that is the same for the same manifest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ..errors import MissingLibrary

try:
    import yaml
except ImportError as import_error:
    YAML_ERROR: ImportError | None = import_error
else:
    YAML_ERROR = None

_FIRST = ("apiVersion", "kind", "metadata")
# Text that no YAML reader, of 1.1 or 1.2, could take for anything but text. All other is quoted.
_CLEARLY_TEXT = re.compile(r"[A-Za-z/][A-Za-z0-9 ./_-]*[A-Za-z0-9./_-]")
_OTHER_MEANING = re.compile(r"(?i:y|n|yes|no|on|off|true|false|null|nan|inf)")


def to_yaml(manifest: Mapping[str, Any]) -> str:
    """One manifest: what it is first, everything else sorted."""
    first = {key: manifest[key] for key in _FIRST if key in manifest}
    ordered = {**first, **{key: manifest[key] for key in sorted(manifest) if key not in first}}
    return as_given({key: _sorted(value) for key, value in ordered.items()})


def as_given(content: Mapping[str, Any]) -> str:
    """Anything else, in the order that it has."""
    if YAML_ERROR is not None:
        raise MissingLibrary(
            f"writing YAML needs the Python library 'PyYAML', which is not installed here ({YAML_ERROR})"
        )
    text: str = yaml.dump(
        content, Dumper=_dumper(), sort_keys=False, default_flow_style=False, allow_unicode=True, width=10**6
    )
    return text


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(item) for item in value]
    return value


@cache
def _dumper() -> Any:
    base = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
    dumper: Any = type("_ManifestDumper", (base,), {"ignore_aliases": lambda _dumper, _data: True})
    dumper.add_representer(str, _text)
    return dumper


def _text(dumper: Any, value: str) -> Any:
    if _CLEARLY_TEXT.fullmatch(value) and not _OTHER_MEANING.fullmatch(value):
        style = None
    elif (
        "\n" in value
        and not re.search(r"[^\S\n]\n|\t|[^\x20-\x7e\n\u00a0-\ud7ff]", value)
        and not value.startswith((" ", "\n"))
    ):
        style = "|"
    else:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
