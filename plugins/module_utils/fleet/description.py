# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`fleet_operators`: what a fleet is to run, as people wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..catalog.selector import selects
from ..direct.compose import named
from ..direct.task import DIRECT_OPTIONS
from ..errors import FleetError, OptionError, Problems
from ..extension.task import OLM_OPTIONS
from ..similar import did_you_mean
from .order import Place, in_order
from .told_once import ToldOnce

ENGINES = ("auto", "olm", "direct")
VARIABLE = "fleet_operators"
# Which bundle is wanted.
FROM_CATALOG = ("package", "version", "channels", "catalog", "upgrade_constraint_policy")
_OWN = ("name", "namespace", *FROM_CATALOG, "source", "config", "engine", "needs", "when", "wave")
# What belongs to a run rather than to a description.
_NOT_DESCRIBED = (
    "state",
    "revision",
    "adopt_from",
    "delete_crds",
    "delete_custom_resources",
    "backup_dest",
    "validate",
    "wait",
)
# How the modules are to go about it; an option that only one engine has is not looked at by the other.
SETTINGS = tuple(
    name for name in dict.fromkeys((*DIRECT_OPTIONS, *OLM_OPTIONS)) if name not in (*_OWN, *_NOT_DESCRIBED)
)
KEYS = (*_OWN, *SETTINGS)
_SELECTORS = ("matchLabels", "matchExpressions")


@dataclass(frozen=True)
class Described:
    """One extension of one cluster. `wanted` names its bundle, by source or by package; `settings` are options of the modules."""

    name: str
    namespace: str
    wanted: Mapping[str, Any]
    config: Any = None
    engine: str = "auto"
    needs: tuple[str, ...] = ()
    wave: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)


def described_fleet(
    operators: Mapping[str, Any], labels: Mapping[str, Any], catalogs: Mapping[str, Any], default_catalog: Any = None
) -> tuple[dict[str, list[Described]], list[str]]:
    """The same for every cluster by its name, and all that is wrong with those that are left out. Clusters may have catalogs of their own."""
    problems = ToldOnce()
    fleet = {}
    for cluster, entries in operators.items():
        try:
            own = labels.get(cluster) or {}
            if entries and not isinstance(own, Mapping):
                raise OptionError(f"labels must be a mapping, such as {{env: prod}}, and is {own!r}")
            catalog = catalogs.get(cluster) or default_catalog
            fleet[cluster] = described(entries or [], own, catalog)
        except FleetError as error:
            problems.add(str(error), [cluster])
    return fleet, problems.lines


def described(entries: Any, labels: Mapping[str, Any], default_catalog: Any = None) -> list[Described]:
    """The extensions that a cluster with these labels is to have, in the order in which they can be installed; or all that is wrong with them."""
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        raise OptionError(f"{VARIABLE} must be a list of extensions")
    problems: list[str] = []
    found: list[Described] = []
    elsewhere: list[str] = []
    for number, entry in enumerate(entries):
        where = f"{VARIABLE}[{number}]"
        try:
            one = _parsed(entry, where, default_catalog)
            if is_for(entry.get("when"), labels, f"{where}.when"):
                found.append(one)
            else:
                elsewhere.append(one.name)
        except Problems as error:
            problems += error.problems
        except FleetError as error:
            problems.append(str(error))
    # An entry that could not be read may be the one that others need.
    problems = problems or [*_named_twice(found), *_not_there(found, elsewhere)]
    if problems:
        raise Problems(problems)
    return _ordered(found)


def _parsed(entry: Any, where: str, default_catalog: Any) -> Described:
    if not isinstance(entry, Mapping):
        raise OptionError(f"{where} must be a mapping with name, namespace, and package or source")
    problems = [f"{where}: '{key}' is unknown{did_you_mean(str(key), KEYS)}" for key in entry if key not in KEYS]
    problems += [f"{where}.{key} is missing" for key in ("name", "namespace") if not entry.get(key)]
    if bool(entry.get("package")) == bool(entry.get("source")):
        problems.append(f"{where} must have either package or source")
    elif entry.get("source"):
        problems += [f"{where}.{key} is for packages, and a source is given" for key in FROM_CATALOG if entry.get(key)]
        if entry.get("engine") == "olm":
            problems.append(
                f"{where}: OLM v1 installs packages of catalogs; give package instead of source, or engine: direct"
            )
    elif not (entry.get("catalog") or default_catalog):
        problems.append(f"{where}.catalog is missing; name it here, or once in fleet_catalog")
    if entry.get("engine", "auto") not in ENGINES:
        problems.append(f"{where}.engine is {entry['engine']!r}; it must be {', '.join(ENGINES)}")
    wave = entry.get("wave", 0)
    if not isinstance(wave, int) or isinstance(wave, bool):
        problems.append(f"{where}.wave is {wave!r}; it must be a whole number")
    needs = entry.get("needs") or ()
    if isinstance(needs, (str, Mapping)) or not isinstance(needs, Sequence):
        problems.append(f"{where}.needs must be a list of names")
    if problems:
        raise Problems(problems)
    try:
        named(str(entry["name"]), str(entry["namespace"]))
    except OptionError as error:
        raise OptionError(f"{where}.{error}") from error
    wanted = {key: entry[key] for key in ("source",) if entry.get(key)} or {
        **({"catalog": default_catalog} if default_catalog else {}),
        **{key: entry[key] for key in FROM_CATALOG if entry.get(key)},
    }
    return Described(
        name=str(entry["name"]),
        namespace=str(entry["namespace"]),
        wanted=wanted,
        config=entry.get("config"),
        engine=str(entry.get("engine", "auto")),
        needs=tuple(str(need) for need in needs),
        wave=wave,
        settings={key: entry[key] for key in SETTINGS if entry.get(key) is not None},
    )


def is_for(when: Any, labels: Mapping[str, Any], where: str) -> bool:
    """Whether a cluster is meant: by labels with one or several values, or by a label selector as Kubernetes has it."""
    if not when:
        return True
    if not isinstance(when, Mapping):
        raise OptionError(
            f"{where} must be a mapping of labels, such as {{env: prod}}, or have matchLabels or matchExpressions"
        )
    text = {str(key): str(value) for key, value in labels.items()}
    if any(key in when for key in _SELECTORS):
        try:
            return selects(when, text)
        except OptionError as error:
            raise OptionError(f"{where}: {error}") from error
    values = {str(key): value if isinstance(value, list) else [value] for key, value in when.items()}
    for key, accepted in values.items():
        if any(isinstance(item, (Mapping, list)) for item in accepted):
            raise OptionError(
                f"{where}.{key} must be one value of this label, or a list of values{did_you_mean(key, _SELECTORS)}"
            )
    return all(text.get(key) in [str(item) for item in accepted] for key, accepted in values.items())


def _named_twice(found: Sequence[Described]) -> list[str]:
    names = [one.name for one in found]
    return [
        f"{name} is there twice; names are unique on a cluster"
        for name in sorted({n for n in names if names.count(n) > 1})
    ]


def _not_there(found: Sequence[Described], elsewhere: Sequence[str]) -> list[str]:
    names = [one.name for one in found]
    return [
        f"{one.name} needs {need}, which is not for this cluster"
        if need in elsewhere
        else f"{one.name} needs {need}, which is not in {VARIABLE}{did_you_mean(need, names)}"
        for one in found
        for need in one.needs
        if need not in names
    ]


def _ordered(found: Sequence[Described]) -> list[Described]:
    by_name = {one.name: one for one in found}
    late = [
        f"{one.name} (wave {one.wave}) needs {need}, which comes later (wave {by_name[need].wave})"
        for one in found
        for need in one.needs
        if by_name[need].wave > one.wave
    ]
    if late:
        raise Problems(late)
    return [found[index] for index in in_order([Place(one.name, one.wave, one.needs) for one in found])]
