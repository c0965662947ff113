# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How few items a list may have. A minimum of 0 asks for nothing."""

from __future__ import annotations

from ..bounds import breaks, lower_bound
from ..rule import SchemaRule

RULE = SchemaRule("min_items", ("minItems",), lower_bound("minItems", nothing_below=0), breaks("minItems"))
