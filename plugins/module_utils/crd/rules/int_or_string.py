# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a field takes both numbers and texts."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import INT_OR_STRING, Node, accepts_types
from ..words import shown


def _find(old: Node, new: Node) -> Iterator[Finding]:
    accepted = [
        "integers and strings" if node.get(INT_OR_STRING) is True else f"type {shown(node.get('type') or 'any')}"
        for node in (old, new)
    ]
    yield Finding(
        "harmless" if accepts_types(new, old.types) else "tightening",
        f"{INT_OR_STRING} changed what is accepted from {accepted[0]} to {accepted[1]}",
    )


RULE = SchemaRule("int_or_string", (INT_OR_STRING,), _find, breaks("type"))
