# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two versions of a CustomResourceDefinition: every change, named and classified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .change import Change
from .definition import Definition, Version, read_definition
from .definition_rules import DEFINITION_RULES, LAST_RULE, VERSION_RULES
from .rule import DefinitionRule, Finding, VersionRule
from .schema import mapping, path_text, same
from .schema_walk import Place, walk


def compare_crds(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """What changed from one to the other; nothing where they are equal.

    First what is about the whole CRD, then version by version as the old CRD lists them, from the top
    of the schema down. Give the CRD as a cluster has it for `old` and the versions in which objects are stored
    are known from its status.
    """
    if same(old, new):
        return ()
    before, after = read_definition(mapping(old)), read_definition(mapping(new))
    changes = [*_of_definition(before, after), *_of_versions(before, after)]
    if not changes and not same(mapping(old).get("spec"), mapping(new).get("spec")):
        changes = [_change(LAST_RULE, finding, before, "") for finding in LAST_RULE.find(before, after)]
    return tuple(changes)


def _of_definition(old: Definition, new: Definition) -> Iterator[Change]:
    for rule in DEFINITION_RULES:
        for finding in _found(rule, old, new):
            yield _change(rule, finding, old, finding.version)


def _of_versions(old: Definition, new: Definition) -> Iterator[Change]:
    for version in old.versions:
        same_version = new.version(version.name)
        if same_version is not None:
            yield from _of_version(old, version, same_version)


def _of_version(crd: Definition, old: Version, new: Version) -> Iterator[Change]:
    for rule in VERSION_RULES:
        for finding in _found(rule, old, new):
            yield _change(rule, finding, crd, old.name)
    if old.schema is not None and new.schema is not None:
        for place in walk(old.schema, new.schema):
            yield _change_at(place, crd, old.name)


def _found(rule: DefinitionRule | VersionRule, old: Any, new: Any) -> list[Finding]:
    try:
        return list(rule.find(old, new))
    except RecursionError:
        # Names, columns, labels: an API server takes none that are nested like that.
        return [Finding("harmless", "what was changed is nested too deep to be compared")]


def _change(rule: DefinitionRule | VersionRule, finding: Finding, crd: Definition, version: str) -> Change:
    return Change(
        crd=crd.name,
        version=version,
        path=finding.field,
        rule=rule.name,
        severity=finding.severity,
        message=finding.message,
        refused=finding.refused,
        before=finding.before,
        after=finding.after,
    )


def _change_at(place: Place, crd: Definition, version: str) -> Change:
    finding = place.finding
    return Change(
        crd=crd.name,
        version=version,
        path=path_text((*place.steps, finding.field) if finding.field else place.steps),
        rule=place.rule.name,
        severity=finding.severity,
        message=finding.message,
        steps=place.steps,
        subject=finding.subject,
        before=place.old,
        after=place.new,
    )
