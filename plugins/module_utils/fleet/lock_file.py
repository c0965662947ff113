# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""fleet.lock.yml: what a fleet runs, exactly, in a file that people review."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..bundle.yaml_text import parse_document
from ..errors import FleetError, OptionError
from ..manifests.yaml_writer import as_given
from ..nested import at, mappings, texts

SCHEMA = "fleet.olm/lock.v1"
_HEADER = """\
# What this fleet runs, exactly. Written by fleet.olm; to move it, change fleet_operators and run with update_lock=true.
"""
Key: TypeAlias = "tuple[str, str]"


@dataclass(frozen=True)
class Locked:
    """One bundle for one wish. `bundle` has name, package, version, source and digest, and the image by which a catalog names it."""

    name: str
    wanted: Mapping[str, Any]
    bundle: Mapping[str, Any]
    schema: str
    permissions: tuple[str, ...]
    renderings: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> Key:
        return key_for(self.name, self.wanted)

    def as_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "wanted": dict(self.wanted),
            "bundle": {key: value for key, value in self.bundle.items() if value},
            "schema": self.schema,
            "permissions": list(self.permissions),
            "renderings": [dict(item) for item in self.renderings],
        }


def key_for(name: str, wanted: Mapping[str, Any]) -> Key:
    """What tells two entries apart: several clusters may want several versions of one extension."""
    return name, json.dumps(wanted, sort_keys=True, default=str)


def read_lock(path: str) -> dict[Key, Locked] | None:
    """The entries of a lock file; None where there is no file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise OptionError(f"lock {path} cannot be read: {error}") from error
    try:
        document = parse_document(text, path, [])
    except FleetError as error:
        raise OptionError(f"lock {error}") from error
    if at(document, "schema") != SCHEMA:
        raise OptionError(f"lock {path} is no lock file: schema is {at(document, 'schema')!r}, not {SCHEMA}")
    entries = mappings(document.get("extensions"))
    if len(entries) != len(document.get("extensions") or ()):
        raise OptionError(f"lock {path}: extensions must be a list of mappings")
    found = [_entry(entry, f"lock {path}: extensions[{number}]") for number, entry in enumerate(entries)]
    return {entry.key: entry for entry in found}


def _entry(entry: Mapping[str, Any], where: str) -> Locked:
    for part in ("name", "wanted", "bundle"):
        if not entry.get(part):
            raise OptionError(f"{where}: {part} is missing; write the file anew with update_lock=true")
    bundle = entry["bundle"]
    for part in ("name", "version", "source", "digest"):
        if not isinstance(at(bundle, part), str):
            raise OptionError(f"{where}: bundle.{part} is missing; write the file anew with update_lock=true")
    return Locked(
        name=str(entry["name"]),
        wanted=entry["wanted"],
        bundle=bundle,
        schema=str(entry.get("schema") or ""),
        permissions=tuple(texts(entry.get("permissions"))),
        renderings=tuple(mappings(entry.get("renderings"))),
    )


def lock_text(entries: Sequence[Locked]) -> str:
    """The file, the same for the same entries."""
    ordered = sorted(entries, key=lambda entry: entry.key)
    return _HEADER + as_given({"schema": SCHEMA, "extensions": [entry.as_data() for entry in ordered]})
