# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The format of values changed. API servers enforce a format on strings only, and only those that they know."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..formats import enforced
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    message = from_to("format", old.get("format"), new.get("format"))
    types = new.types
    on_strings = types is None or "string" in types
    if on_strings and enforced(new.get("format")):
        yield Finding("tightening", message)
    elif new.get("format") and not enforced(new.get("format")):
        yield Finding("harmless", f"{message}, which API servers do not enforce")
    else:
        yield Finding("harmless", message)


RULE = SchemaRule("value_format", ("format",), _find, breaks("format"))
