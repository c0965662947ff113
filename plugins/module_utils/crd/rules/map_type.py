# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an object is merged by server-side apply: field by field (granular) or as a whole (atomic)."""

from __future__ import annotations

from collections.abc import Iterator

from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORD = "x-kubernetes-map-type"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    message = from_to(KEYWORD, old.get(KEYWORD), new.get(KEYWORD))
    how = "as one value" if new.get(KEYWORD) == "atomic" else "field by field"
    yield Finding("harmless", f"{message}; server-side apply merges it {how}")


RULE = SchemaRule("map_type", (KEYWORD,), _find)
