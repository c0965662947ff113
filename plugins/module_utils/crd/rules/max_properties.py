# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many fields an object may have."""

from __future__ import annotations

from ..bounds import breaks, upper_bound
from ..rule import SchemaRule

RULE = SchemaRule("max_properties", ("maxProperties",), upper_bound("maxProperties"), breaks("maxProperties"))
