# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `catalog`: from what a user wrote to names, priorities and places of catalogs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError

KEYS = ("catalog", "cluster_catalog", "name", "priority", "labels", "ca_cert")
URL_SCHEMES = ("https://", "http://")
# The label that every ClusterCatalog has: a selector can choose one by name.
NAME_LABEL = "olm.operatorframework.io/metadata.name"


@dataclass(frozen=True)
class CatalogOption:
    """One catalog: a path, an image or an URL, or the name of a ClusterCatalog; and what decides between several."""

    source: str = ""
    cluster_catalog: str = ""
    name: str = ""
    priority: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    ca_cert: str = ""


def parse_catalogs(option: Any) -> tuple[CatalogOption, ...]:
    """All catalogs of the option, each by a name of its own."""
    items = option if isinstance(option, (list, tuple)) else [option]
    if not items:
        raise OptionError("catalog: the list is empty; it must name at least one catalog")
    several = len(items) > 1
    found = tuple(_parse(item, f"catalog[{number}]" if several else "catalog") for number, item in enumerate(items))
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OptionError(f"catalog: {', '.join(twice)} is there twice; every catalog needs a name of its own")
    return found


def _parse(item: Any, where: str) -> CatalogOption:
    if isinstance(item, str) and item.strip():
        return CatalogOption(source=item, name=item, labels={NAME_LABEL: item})
    if not isinstance(item, Mapping):
        raise OptionError(
            f"{where}: {shown(repr(item))} is no catalog; give a path, docker://…, https://…, or a mapping with "
            f"{', '.join(KEYS)}"
        )
    unknown = [shown(str(key)) for key in item if key not in KEYS]
    if unknown:
        raise OptionError(f"{where}: {', '.join(unknown)} is unknown; a catalog has {', '.join(KEYS)}")
    inner = item.get("catalog")
    if isinstance(inner, Mapping):
        return _parse({**inner, **{key: value for key, value in item.items() if key != "catalog"}}, where)
    source, cluster_catalog = _text(item, "catalog", where), _text(item, "cluster_catalog", where)
    if bool(source) == bool(cluster_catalog):
        raise OptionError(f"{where}: give either catalog or cluster_catalog")
    name = _text(item, "name", where) or cluster_catalog or source
    return CatalogOption(
        source, cluster_catalog, name, _priority(item, where), _labels(item, name, where), _text(item, "ca_cert", where)
    )


def _text(item: Mapping[str, Any], key: str, where: str) -> str:
    value = item.get(key)
    if value is not None and not isinstance(value, str):
        raise OptionError(f"{where}: {key} must be a text, and is {shown(repr(value))}")
    return value or ""


def _priority(item: Mapping[str, Any], where: str) -> int:
    value = item.get("priority")
    try:
        number = int(value or 0)
    except (TypeError, ValueError):
        number = 2**31
    if isinstance(value, (bool, float)) or not -(2**31) <= number < 2**31:
        raise OptionError(f"{where}: priority must be a whole number of 32 bits, and is {shown(repr(value))}")
    return number


def _labels(item: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    labels = item.get("labels") or {}
    if not isinstance(labels, Mapping):
        raise OptionError(f"{where}: labels must be a mapping, and is {shown(repr(labels))}")
    return {NAME_LABEL: name, **{str(key): str(value) for key, value in labels.items()}}
