# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an upgrade changes beyond the spec, as a diff that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def changes_diff(changes: Mapping[str, Any]) -> list[dict[str, str]]:
    """Permissions and CRDs from one bundle to another; nothing where they are the same."""
    before = [f"{line}\n" for line in changes.get("permissions_lost") or ()]
    after = [f"{line}\n" for line in (*(changes.get("permissions_gained") or ()), *(changes.get("crds") or ()))]
    if not before and not after:
        return []
    return [
        {
            "before_header": str(changes["from"]),
            "after_header": str(changes["to"]),
            "before": "".join(before),
            "after": "".join(after),
        }
    ]
