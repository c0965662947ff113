# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that name catalogs, shared by every module that reads one. They are documented in the fragment `fleet.olm.catalog`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.options import REGISTRY_OPTIONS

CATALOG_OPTIONS: Mapping[str, Any] = {
    "catalog": {"type": "raw", "required": True},
    "selector": {"type": "dict"},
    **REGISTRY_OPTIONS,
}
INSTALLED_OPTION: Mapping[str, Any] = {
    "type": "dict",
    "options": {"name": {"type": "str", "required": True}, "version": {"type": "str", "required": True}},
}
