# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that hurt no custom resource and that OLM v1's CRD upgrade safety refuses all the same: whatever it has no rule for."""

from __future__ import annotations

from collections.abc import Iterable

from .change import Change
from .schema import Into

# Any change of what these are about is refused.
_RULES = frozenset(
    {
        "additional_properties",
        "all_of",
        "any_of",
        "default_value",
        "embedded_resource",
        "int_or_string",
        "list_items",
        "list_map_keys",
        "list_type",
        "map_type",
        "multiple_of",
        "new_version_differs",
        "not_schema",
        "nullable",
        "pattern",
        "preserve_unknown_fields",
        "unique_items",
        "validation_rules",
        "value_format",
        "value_type",
    }
)


def refused_by_olm(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those of the harmless changes that OLM v1 refuses."""
    return tuple(change for change in changes if change.severity == "harmless" and _is_refused(change))


def _is_refused(change: Change) -> bool:
    # It has no rules for anything below the values of a map.
    if change.rule in _RULES or Into.VALUES in change.steps:
        return True
    if change.rule == "documentation":
        return change.subject != "description"
    return change.rule == "enum_values" and not isinstance(change.after.get("enum"), list)
