# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is there for people to read."""

from __future__ import annotations

from collections.abc import Iterator

from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORDS = ("description", "title", "example", "examples", "externalDocs")


def _find(old: Node, new: Node) -> Iterator[Finding]:
    for keyword in KEYWORDS:
        if old.get(keyword) != new.get(keyword):
            yield Finding("harmless", from_to(keyword, old.get(keyword), new.get(keyword)), keyword)


RULE = SchemaRule("documentation", KEYWORDS, _find)
