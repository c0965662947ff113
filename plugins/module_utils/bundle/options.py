# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that name a bundle and its registry, shared by every module that reads one.

They are documented in the fragments `fleet.olm.source` and `fleet.olm.registry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REGISTRY_OPTIONS: Mapping[str, Any] = {
    "registry_username": {"type": "str"},
    "registry_password": {"type": "str", "no_log": True},
    "registry_auth_file": {"type": "path"},
    "registry_ca_cert": {"type": "path"},
    "registry_validate_certs": {"type": "bool", "default": True},
    "registry_plain_http": {"type": "bool", "default": False},
}

SOURCE_OPTIONS: Mapping[str, Any] = {"source": {"type": "raw", "required": True}, **REGISTRY_OPTIONS}
