# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lower bound of numbers."""

from __future__ import annotations

from ..bounds import breaks, exclusive, lower_bound
from ..rule import SchemaRule

RULE = SchemaRule(
    "minimum",
    ("minimum", "exclusiveMinimum"),
    exclusive(lower_bound("minimum"), "minimum", "exclusiveMinimum"),
    breaks("minimum"),
)
