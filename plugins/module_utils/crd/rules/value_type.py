# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON type of values changed."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import INT_OR_STRING, Node, accepts_types
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Harmless where the new type takes all that the old one took, as number does integer."""
    message = from_to("type", old.get("type"), new.get("type"))
    if old.get(INT_OR_STRING) != new.get(INT_OR_STRING):
        yield Finding("harmless", f"{message}, which {INT_OR_STRING} decides on")
    else:
        yield Finding("harmless" if accepts_types(new, old.types) else "tightening", message)


RULE = SchemaRule("value_type", ("type",), _find, breaks("type"))
