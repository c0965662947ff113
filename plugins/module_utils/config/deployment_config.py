# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The deploymentConfig of a configuration: what of it takes effect, and what users should know about the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from ..kubernetes.types import Types, kubernetes_notation, kubernetes_values
from ..kubernetes.values import WrongType, field_path
from .problems import InvalidConfig, seen
from .schema import DEPLOYMENT_CONFIG, DEPLOYMENT_CONFIG_FIELDS
from .wording import alternatives


@cache
def deployment_config_types() -> Types:
    """The types of the deploymentConfig, read as encoding/json reads them."""
    return Types({**kubernetes_notation(), DEPLOYMENT_CONFIG: DEPLOYMENT_CONFIG_FIELDS}, fold=True)


def effective(given: Mapping[str, Any]) -> dict[str, Any]:
    """The deploymentConfig as OLM v1 holds it: unknown fields dropped, quantities canonical."""
    try:
        decoded: dict[str, Any] = deployment_config_types().decoder(DEPLOYMENT_CONFIG)(dict(given))
    except WrongType as error:
        error.path.insert(0, DEPLOYMENT_CONFIG)
        raise InvalidConfig(
            [f"invalid value for field '{field_path(error.path)}' must be {error.expected} but got {seen(error.seen)}"]
        ) from None
    # An empty selector replaces, too; decoding leaves it out.
    return {**decoded, **({"nodeSelector": {}} if given.get("nodeSelector") == {} else {})}


class Entry(NamedTuple):
    """A field that was given: the type it belongs to and its name there, which is None where the type does not know it."""

    path: tuple[str | int, ...]
    owner: str
    field: str | None
    value: Any

    def __str__(self) -> str:
        return f"'{field_path((DEPLOYMENT_CONFIG, *self.path))}'"


def advice(given: Mapping[str, Any]) -> list[str]:
    """What OLM v1 accepts although it has no effect, or will not work."""
    entries = list(entries_of(given, DEPLOYMENT_CONFIG_FIELDS))
    dropped = [
        f"configuration: OLM v1 drops the unknown field {entry} without a word"
        for entry in entries
        if entry.field is None
    ]
    both = [
        f"configuration: '{DEPLOYMENT_CONFIG}.env[{number}]' has both value and valueFrom; the API server will refuse the deployment"
        for number, variable in enumerate(given.get("env", ()))
        if variable.get("value") and variable.get("valueFrom")
    ]
    return [*dropped, *both, *(line for entry in entries for line in refused_values(entry))]


def refused_values(entry: Entry) -> Iterator[str]:
    """Values that only an API server looks at."""
    taken = kubernetes_values().get(entry.owner, {}).get(entry.field or "")
    for value in entry.value if isinstance(entry.value, list) else [entry.value]:
        if taken and value and value not in taken:
            yield (
                f"configuration: {entry} is {seen(value)}; the API server takes {alternatives(filter(None, taken))} "
                "and will refuse the deployment"
            )


def entries_of(value: Any, notation: Any, path: tuple[str | int, ...] = ()) -> Iterator[Entry]:
    """Every field in a value of a type, found whatever the case of its letters, outer ones first."""
    owner = ""
    if isinstance(notation, str):
        owner = notation.partition(" ")[0]
        notation = kubernetes_notation().get(owner)
        if notation is None:
            return
    if isinstance(notation, list):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from entries_of(item, notation[0], (*path, index))
    elif isinstance(value, dict) and set(notation) == {""}:
        for key, item in value.items():
            yield from entries_of(item, notation[""], (*path, key))
    elif isinstance(value, dict):
        known = {field.rstrip("!").lower(): (field.rstrip("!"), inner) for field, inner in notation.items()}
        for key, item in value.items():
            field, inner = known.get(key.lower(), (None, ""))
            yield Entry((*path, key), owner, field, item)
            yield from entries_of(item, inner, (*path, key))
