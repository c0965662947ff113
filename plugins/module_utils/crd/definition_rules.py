# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules on a CRD as a whole and on its versions: the table of contents."""

from __future__ import annotations

from .rule import DefinitionRule, VersionRule
from .rules import (
    conversion_strategy,
    conversion_webhook,
    definition_format,
    deprecation,
    identity,
    kind,
    labels_and_annotations,
    new_version_differs,
    notation,
    other_field,
    other_names,
    other_version_field,
    printer_columns,
    pruning_everywhere,
    schema_presence,
    scope,
    selectable_fields,
    storage_version,
    stored_version_removed,
    subresources,
    version_added,
    version_removed,
    version_served,
)

DEFINITION_RULES: tuple[DefinitionRule, ...] = (
    # what it is
    identity.RULE,
    kind.RULE,
    scope.RULE,
    other_names.RULE,
    # its versions
    stored_version_removed.RULE,
    version_removed.RULE,
    version_served.RULE,
    version_added.RULE,
    storage_version.RULE,
    new_version_differs.RULE,
    # what happens to objects
    pruning_everywhere.RULE,
    conversion_strategy.RULE,
    conversion_webhook.RULE,
    # what has no effect
    labels_and_annotations.RULE,
    definition_format.RULE,
    other_field.RULE,
)

# Asked apart: where two CRDs differ and no other rule found anything.
LAST_RULE: DefinitionRule = notation.RULE

VERSION_RULES: tuple[VersionRule, ...] = (
    schema_presence.RULE,
    deprecation.RULE,
    subresources.RULE,
    printer_columns.RULE,
    selectable_fields.RULE,
    other_version_field.RULE,
)
