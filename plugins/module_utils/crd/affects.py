# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a change would hurt a custom resource that is there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from .change import Change
from .definition_rules import DEFINITION_RULES, VERSION_RULES
from .rule import DefinitionRule, SchemaRule, VersionRule
from .schema import Into, Step
from .schema_rules import SCHEMA_RULES
from .validity import worst

Effect = Literal["unaffected", "affected", "undecided"]

_ALL: tuple[SchemaRule | VersionRule | DefinitionRule, ...] = (*SCHEMA_RULES, *VERSION_RULES, *DEFINITION_RULES)
_RULES = {rule.name: rule for rule in _ALL}


def effect(
    change: Change, custom_resource: Mapping[str, Any], stored_versions: Collection[str] | None = None
) -> Effect:
    """`affected`: the custom resource becomes invalid, or loses something. `undecided`: only an API server can tell.

    The custom resource is to be read in the version that the change is about. `stored_versions` is
    status.storedVersions of the CRD as the cluster has it.
    """
    rule = _RULES.get(change.rule)
    if change.severity == "harmless" or rule is None:
        return "unaffected"
    try:
        if isinstance(rule, SchemaRule):
            found = _values(custom_resource, change.steps)
            answer = worst(rule.hurts(change, value) for value in found if value is not None or rule.minds_null)
        else:
            answer = rule.hurts(change, custom_resource, stored_versions)
    except RecursionError:
        # Schemas within schemas, deeper than Python's stack.
        return "undecided"
    return "undecided" if answer is None else "affected" if answer else "unaffected"


def _values(custom_resource: Any, steps: tuple[Step, ...]) -> Iterator[Any]:
    """What the custom resource has at a place; several values below lists and maps, none where it is not there."""
    found = [custom_resource]
    for step in steps:
        if step is Into.ITEMS:
            found = [item for value in found if isinstance(value, list) for item in value]
        elif step is Into.VALUES:
            found = [item for value in found if isinstance(value, Mapping) for item in value.values()]
        else:
            found = [value[step] for value in found if isinstance(value, Mapping) and step in value]
    return iter(found)
