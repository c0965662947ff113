# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Items of a list must not repeat."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node


def _find(old: Node, new: Node) -> Iterator[Finding]:
    if new.get("uniqueItems") is True:
        yield Finding("tightening", "items of the list must not repeat any longer")
    elif old.get("uniqueItems") is True:
        yield Finding("harmless", "items of the list may repeat")


RULE = SchemaRule("unique_items", ("uniqueItems",), _find, breaks("uniqueItems"))
