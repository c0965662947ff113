# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keywords of JSON Schema that a CRD may not use, or whose value says nothing there."""

from __future__ import annotations

from collections.abc import Iterator

from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORDS = (
    *("$ref", "$schema", "id", "$id", "definitions", "dependencies", "patternProperties", "additionalItems"),
    *("deprecated", "discriminator", "readOnly", "writeOnly", "xml"),
)


def _find(old: Node, new: Node) -> Iterator[Finding]:
    for keyword in KEYWORDS:
        if old.get(keyword) != new.get(keyword):
            yield Finding("harmless", from_to(keyword, old.get(keyword), new.get(keyword)), keyword)


RULE = SchemaRule("leftover", KEYWORDS, _find)
