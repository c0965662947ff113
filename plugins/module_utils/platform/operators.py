# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""PlatformOperators: named in variables, read from files, found on a cluster; and which of them count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..bundle.objects import placed_objects, read_text
from ..errors import OptionError
from ..nested import at
from ..similar import did_you_mean

GROUP, VERSION, KIND, PLURAL = "platform.openshift.io", "v1alpha1", "PlatformOperator", "platformoperators"
ENDINGS = (".yaml", ".yml", ".json")
_KEYS = ("name", "package")


@dataclass(frozen=True)
class Operator:
    """A PlatformOperator. `live` is the object on the cluster, where there is one; `problem` why it says no package."""

    name: str
    package: str
    place: str
    manifest: Mapping[str, Any] | None = field(default=None, repr=False)
    live: Mapping[str, Any] | None = field(default=None, repr=False)
    problem: str = ""


def given_operators(operators: Iterable[Any], src: str | None) -> tuple[Operator, ...]:
    """Those of the options `operators` and `src`, each name once."""
    found = [_given(item, f"operators[{number}]") for number, item in enumerate(operators)]
    found += _in_files(Path(src).expanduser()) if src else []
    places: dict[str, str] = {}
    for operator in found:
        if operator.name in places:
            raise OptionError(
                f"{operator.place}: PlatformOperator {operator.name} is there twice, in {places[operator.name]} too"
            )
        places[operator.name] = operator.place
    return tuple(found)


def live_operator(content: Mapping[str, Any]) -> Operator:
    """One that is on the cluster; what is wrong with it is told in its status."""
    name = str(at(content, "metadata", "name"))
    place = f"{KIND} {name}"
    try:
        return Operator(name, package_of(content, place), place, live=content)
    except OptionError as error:
        return Operator(name, "", place, live=content, problem=str(error))


def together(live: Iterable[Operator], given: Iterable[Operator]) -> tuple[Operator, ...]:
    """All operators: those on the cluster, then those that are only given, in their order."""
    by_name = {operator.name: operator for operator in given}
    merged = []
    for operator in live:
        told = by_name.pop(operator.name, None)
        merged.append(operator if told is None else replace(told, live=operator.live))
    return (*merged, *by_name.values())


def creation(operator: Operator, live: Mapping[str, Any] | None) -> tuple[str, str]:
    """What operators are ordered by. Times have whole seconds: of those made within one, the name decides, in every run alike."""
    return str(at(live, "metadata", "creationTimestamp") or ""), operator.name


def with_first_claims(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """The operators with the problem of those whose package an earlier one has."""
    owners: dict[str, str] = {}
    found = []
    for operator in operators:
        owner = owners.setdefault(operator.package, operator.name) if operator.package else operator.name
        if owner != operator.name:
            problem = f"package {operator.package} belongs to PlatformOperator {owner}, which was created first"
            found.append(replace(operator, problem=problem))
        else:
            found.append(operator)
    return tuple(found)


def package_of(manifest: Mapping[str, Any], place: str) -> str:
    """The package that a PlatformOperator names, in either form of its spec."""
    new, old = at(manifest, "spec", "package", "name"), at(manifest, "spec", "packageName")
    names = [name for name in (new, old) if name not in (None, "")]
    if not names or names[-1] != names[0] or not isinstance(names[0], str):
        seen = "names two" if len(names) == 2 else "names none"
        raise OptionError(f"{place}: must name one package, in spec.package.name or spec.packageName, and {seen}")
    return names[0]


def _given(item: Any, place: str) -> Operator:
    if isinstance(item, str) and item:
        return Operator(item, item, place)
    if not isinstance(item, Mapping):
        raise OptionError(
            f"{place}: must be the name of a package, a mapping with name and package, or a PlatformOperator"
        )
    if "kind" in item:
        return _of_manifest(item, place)
    for key in item:
        if key not in _KEYS:
            hint = did_you_mean(str(key), _KEYS) or "; it takes name and package, or a whole PlatformOperator"
            raise OptionError(f"{place}: unknown key '{key}'{hint}")
    name, package = item.get("name"), item.get("package") or item.get("name")
    if not isinstance(name, str) or not name or not isinstance(package, str):
        raise OptionError(f"{place}: must have a name, and a package where that is called otherwise, both texts")
    return Operator(name, package, place)


def _of_manifest(manifest: Mapping[str, Any], place: str) -> Operator:
    api = f"{GROUP}/{VERSION}"
    if manifest.get("kind") != KIND or manifest.get("apiVersion") != api:
        seen = f"{manifest.get('apiVersion')} {manifest.get('kind')}"
        raise OptionError(f"{place}: must be a {KIND} of {api} (got {seen})")
    name = at(manifest, "metadata", "name")
    if not isinstance(name, str) or not name:
        raise OptionError(f"{place}: the {KIND} has no metadata.name")
    return Operator(name, package_of(manifest, place), place, manifest=manifest)


def _in_files(path: Path) -> list[Operator]:
    """The PlatformOperators below a folder, or in a file. Other objects may stand beside them, as in an installer's manifests."""
    if not path.exists():
        raise OptionError(f"src: there is no {path}")
    files = sorted(item for item in path.rglob("*") if item.suffix in ENDINGS) if path.is_dir() else [path]
    found = []
    for file in files:
        text = read_text(file, str(file))
        for place, manifest in placed_objects(text, str(file), []) if text is not None else ():
            if manifest.get("kind") == KIND:
                found.append(_of_manifest(manifest, place))
    if not found:
        raise OptionError(f"src: there is no {KIND} in {path}")
    return found
