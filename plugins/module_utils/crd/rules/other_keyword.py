# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keywords that Kubernetes does not know: API servers drop them."""

from __future__ import annotations

from collections.abc import Iterator

from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Asked with just the keywords that no other rule knows."""
    for keyword in sorted({*old.schema, *new.schema}, key=str):
        if old.get(keyword) != new.get(keyword):
            yield Finding(
                "harmless", f"{from_to(str(keyword), old.get(keyword), new.get(keyword))}, unknown to Kubernetes"
            )


RULE = SchemaRule("other_keyword", (), _find)
