# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upper bound of numbers."""

from __future__ import annotations

from ..bounds import breaks, exclusive, upper_bound
from ..rule import SchemaRule

RULE = SchemaRule(
    "maximum",
    ("maximum", "exclusiveMaximum"),
    exclusive(upper_bound("maximum"), "maximum", "exclusiveMaximum"),
    breaks("maximum"),
)
