# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two versions that are served side by side, without conversion, differ in what they did not differ in before.

Mostly one of them is new. Nothing that is there changes by it. But one object is shown in all of them, so that what one version
accepts another may refuse or leave out: said as a note, and so is what OLM v1 refuses of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..definition import Definition, Version
from ..olm_refusals import refused_at
from ..rule import DefinitionRule, Finding
from ..schema import path_text, same
from ..schema_walk import Place, walk

_STAGES = {"alpha": 1, "beta": 2, None: 3}
_NUMBERED = re.compile(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?")


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    if new.converts:
        return
    before = {(lower.name, higher.name): (lower, higher) for lower, higher in _served_pairs(old)}
    for lower, higher in _served_pairs(new):
        was = before.get((lower.name, higher.name))
        if was and _same_schema(was[0], lower) and _same_schema(was[1], higher):
            continue
        known = {(path, message) for _rule, path, message in _differences(*was)} if was else set()
        for rule, path, message in _differences(lower, higher):
            # Of documentation that changed in a version is said enough where the version is compared with itself.
            if (path, message) not in known and not (was and rule == "documentation"):
                told = f"compared with {lower.name}, which is served too and not converted: {message}"
                yield Finding("harmless", told, version=higher.name, field=path)


def _served_pairs(crd: Definition) -> Iterator[tuple[Version, Version]]:
    """Every two versions that are served, the one that comes first with Kubernetes last: v1 after v1beta1."""
    served = [version for version in crd.versions if version.served and version.schema is not None]
    numbered = [version for version in served if _NUMBERED.fullmatch(version.name)]
    others = [version for version in served if version not in numbered]
    ordered = [*sorted(others, key=lambda version: version.name, reverse=True), *sorted(numbered, key=_maturity)]
    for position, lower in enumerate(ordered):
        for higher in ordered[position + 1 :]:
            yield lower, higher


def _maturity(version: Version) -> tuple[int, int, int]:
    match = _NUMBERED.fullmatch(version.name)
    return (_STAGES[match[2]], int(match[1]), int(match[3] or 0)) if match else (0, 0, 0)


def _same_schema(one: Version, other: Version) -> bool:
    return one.schema is not None and other.schema is not None and same(one.schema.schema, other.schema.schema)


def _differences(lower: Version, higher: Version) -> Iterator[tuple[str, str, str]]:
    """Rule, path and message of what would hurt an object that is shown in one and written in the other, or what OLM v1 refuses."""
    if lower.schema is None or higher.schema is None:
        return
    for place in walk(lower.schema, higher.schema):
        if place.finding.severity != "harmless" or _is_refused(place):
            steps = (*place.steps, place.finding.field) if place.finding.field else place.steps
            yield place.rule.name, path_text(steps), place.finding.message


def _is_refused(place: Place) -> bool:
    return refused_at(place.rule.name, place.steps, place.finding.subject, place.old, place.new)


RULE = DefinitionRule("new_version_differs", _find)
