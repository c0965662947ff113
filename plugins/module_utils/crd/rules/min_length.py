# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How short a text may be. A minimum of 0 asks for nothing."""

from __future__ import annotations

from ..bounds import breaks, lower_bound
from ..rule import SchemaRule

RULE = SchemaRule("min_length", ("minLength",), lower_bound("minLength", nothing_below=0), breaks("minLength"))
