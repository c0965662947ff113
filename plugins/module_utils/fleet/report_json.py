# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as JSON: for programs, and for people who compare two of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_json(report: Mapping[str, Any]) -> str:
    """The document; the same report gives the same bytes."""
    return written(report, indent=2) + "\n"


def written(value: Any, **how: Any) -> str:
    """JSON that can be stored: a half of a character, which JSON can name and UTF-8 cannot hold, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, **how).encode("utf-8", "replace").decode("utf-8")
