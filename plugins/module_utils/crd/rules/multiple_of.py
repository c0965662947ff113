# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers have to be multiples of another."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..validity import breaks_multiple_of, number
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """Harmless where every multiple of the old number is one of the new number too."""
    was, becomes = number(old.get("multipleOf")), number(new.get("multipleOf"))
    tightened = bool(becomes) and (was is None or bool(breaks_multiple_of(was, new.schema)))
    message = from_to("multipleOf", old.get("multipleOf"), new.get("multipleOf"))
    yield Finding("tightening" if tightened else "harmless", message)


RULE = SchemaRule("multiple_of", ("multipleOf",), _find, breaks("multipleOf"))
