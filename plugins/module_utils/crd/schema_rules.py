# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules on one place of a schema: the table of contents."""

from __future__ import annotations

from .rule import SchemaRule
from .rules import (
    additional_properties,
    all_of,
    any_of,
    default_value,
    documentation,
    embedded_resource,
    enum_values,
    int_or_string,
    leftover,
    list_items,
    list_map_keys,
    list_type,
    map_type,
    max_items,
    max_length,
    max_properties,
    maximum,
    min_items,
    min_length,
    min_properties,
    minimum,
    multiple_of,
    not_schema,
    nullable,
    one_of,
    other_keyword,
    pattern,
    preserve_unknown_fields,
    property_added,
    property_removed,
    required_field,
    too_deep,
    unique_items,
    validation_rules,
    value_format,
    value_type,
)

SCHEMA_RULES: tuple[SchemaRule, ...] = (
    # what there is
    property_removed.RULE,
    property_added.RULE,
    required_field.RULE,
    additional_properties.RULE,
    list_items.RULE,
    preserve_unknown_fields.RULE,
    embedded_resource.RULE,
    # what it looks like
    value_type.RULE,
    int_or_string.RULE,
    value_format.RULE,
    nullable.RULE,
    enum_values.RULE,
    default_value.RULE,
    # numbers
    minimum.RULE,
    maximum.RULE,
    multiple_of.RULE,
    # texts
    min_length.RULE,
    max_length.RULE,
    pattern.RULE,
    # lists
    min_items.RULE,
    max_items.RULE,
    unique_items.RULE,
    list_type.RULE,
    list_map_keys.RULE,
    # objects
    min_properties.RULE,
    max_properties.RULE,
    map_type.RULE,
    # schemas within
    any_of.RULE,
    one_of.RULE,
    all_of.RULE,
    not_schema.RULE,
    validation_rules.RULE,
    # what has no effect
    documentation.RULE,
    leftover.RULE,
    # asked apart: no keyword is theirs
    other_keyword.RULE,
    too_deep.RULE,
)
