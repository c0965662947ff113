# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The deploymentConfig of a configuration: what of it takes effect, and what users should know about the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ..kubernetes.types import Types, kubernetes_notation
from ..kubernetes.values import WrongType, field_path
from .problems import InvalidConfig, seen
from .schema import DEPLOYMENT_CONFIG, DEPLOYMENT_CONFIG_FIELDS


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


def advice(given: Mapping[str, Any]) -> list[str]:
    """What OLM v1 accepts although it has no effect, or will not work."""
    dropped = [
        f"configuration: OLM v1 drops the unknown field '{field_path((DEPLOYMENT_CONFIG, *path))}' without a word"
        for path in unknown_fields(given, DEPLOYMENT_CONFIG_FIELDS)
    ]
    both = [
        f"configuration: '{DEPLOYMENT_CONFIG}.env[{number}]' has both value and valueFrom; the API server will refuse the deployment"
        for number, variable in enumerate(given.get("env", ()))
        if variable.get("value") and variable.get("valueFrom")
    ]
    return dropped + both


def unknown_fields(value: Any, notation: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of fields that their types do not know, whatever the case of their letters."""
    if isinstance(notation, str):
        notation = kubernetes_notation().get(notation.partition(" ")[0])
        if notation is None:
            return
    if isinstance(notation, list):
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from unknown_fields(item, notation[0], (*path, index))
    elif isinstance(value, dict) and set(notation) == {""}:
        for key, item in value.items():
            yield from unknown_fields(item, notation[""], (*path, key))
    elif isinstance(value, dict):
        known = {field.rstrip("!").lower(): inner for field, inner in notation.items()}
        for key, item in value.items():
            if key.lower() not in known:
                yield (*path, key)
            else:
                yield from unknown_fields(item, known[key.lower()], (*path, key))
