# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""fleet.lock.yml: what a fleet runs, exactly, in a file that people review."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ..bundle.problems import BadBundle
from ..bundle.unpack_limits import shown
from ..bundle.yaml_text import parse_document
from ..errors import OptionError
from ..manifests.yaml_writer import as_given
from ..nested import at

SCHEMA = "fleet.olm/lock.v1"
_HEADER = """\
# What this fleet runs, exactly. Written by fleet.olm; to move it, change fleet_operators and run with update_lock=true.
"""
Key: TypeAlias = "tuple[str, str]"
# The parts of a bundle, with what each is where the file has none; those with None have to be there.
_BUNDLE: Mapping[str, str | None] = {
    "name": None,
    "package": "",
    "version": None,
    "source": None,
    "digest": None,
    "image": "",
}
_Item = TypeVar("_Item")
_KINDS: Mapping[type, str] = {str: "texts", dict: "mappings"}


class DamagedLock(OptionError):
    """A lock file that cannot be understood any more."""


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
            # Sorted, as in the key: not all that want the same have it in the same order.
            "wanted": json.loads(self.key[1]),
            "bundle": {key: value for key, value in self.bundle.items() if value},
            "schema": self.schema,
            "permissions": list(self.permissions),
            "renderings": [dict(item) for item in self.renderings],
        }


def key_for(name: str, wanted: Mapping[str, Any]) -> Key:
    """What tells two entries apart: several clusters may want several versions of one extension."""
    return name, json.dumps(wanted, sort_keys=True, default=str)


def lock_to_hold(path: str, anew: bool) -> tuple[dict[Key, Locked] | None, tuple[str, ...]]:
    """The entries of a lock file, and what to know about them; one that is damaged counts as none where it is written anew."""
    try:
        return read_lock(path), ()
    except DamagedLock as error:
        if not anew:
            raise OptionError(f"{error}; write the file anew with update_lock=true") from error
        return None, (f"{error}; it counts as none, so that packages may move to any version that fits",)


def read_lock(path: str) -> dict[Key, Locked] | None:
    """The entries of a lock file; None where there is no file."""
    try:
        document = parse_document(Path(path).read_text(encoding="utf-8"), path, [])
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise DamagedLock(f"lock {path} cannot be read: {error}") from error
    except (OSError, ValueError) as error:
        raise OptionError(f"lock {path} cannot be read: {error}") from error
    except BadBundle as error:
        raise DamagedLock(f"lock {error}") from error
    if document is None:
        raise DamagedLock(f"lock {path} is empty")
    if at(document, "schema") != SCHEMA:
        raise OptionError(f"lock {path} is no lock file: schema is {at(document, 'schema')!r}, not {SCHEMA}")
    # As JSON has it: keys are texts, which can be sorted.
    entries = _listed(json.loads(json.dumps(document)), "extensions", dict, f"lock {path}: ")
    found = [_entry(entry, f"lock {path}: extensions[{number}].") for number, entry in enumerate(entries)]
    held: dict[Key, Locked] = {}
    for number, entry in enumerate(found):
        if held.setdefault(entry.key, entry) is not entry:
            raise DamagedLock(
                f"lock {path}: extensions[{number}] is {entry.name} for the same wish once more, as after a merge"
            )
    return held


def _entry(entry: Mapping[str, Any], where: str) -> Locked:
    wanted = _mapping(entry, "wanted", where)
    if not (wanted.get("source") or wanted.get("package")):
        raise DamagedLock(f"{where}wanted has neither source nor package")
    bundle = _mapping(entry, "bundle", where)
    return Locked(
        name=_text(entry, "name", where),
        wanted=wanted,
        bundle={part: _text(bundle, part, f"{where}bundle.", missing) for part, missing in _BUNDLE.items()},
        schema=_text(entry, "schema", where, ""),
        permissions=tuple(_listed(entry, "permissions", str, where)),
        renderings=tuple(_listed(entry, "renderings", dict, where)),
    )


def _text(holder: Mapping[str, Any], key: str, where: str, missing: str | None = None) -> str:
    value = holder.get(key, missing)
    if not isinstance(value, str):
        raise _wrong(holder, key, "a text", where)
    return value


def _mapping(holder: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    value = holder.get(key)
    if not isinstance(value, dict):
        raise _wrong(holder, key, "a mapping", where)
    return value


def _listed(holder: Mapping[str, Any], key: str, kind: type[_Item], where: str) -> list[_Item]:
    value = holder.get(key)
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise _wrong(holder, key, f"a list of {_KINDS[kind]}", where)
    return value


def _wrong(holder: Mapping[str, Any], key: str, wanted: str, where: str) -> DamagedLock:
    what = f"must be {wanted}, and is {shown(repr(holder[key]))}" if key in holder else "is missing"
    return DamagedLock(f"{where}{key} {what}")


def lock_text(entries: Sequence[Locked]) -> str:
    """The file, the same for the same entries."""
    ordered = sorted(entries, key=lambda entry: entry.key)
    return _HEADER + as_given({"schema": SCHEMA, "extensions": [entry.as_data() for entry in ordered]})
