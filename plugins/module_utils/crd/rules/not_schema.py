# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values must not fit a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..bounds import breaks
from ..branches import undocumented
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    was, becomes = undocumented(old.get("not")), undocumented(new.get("not"))
    if was == becomes:
        yield Finding("harmless", "not changed in documentation only")
    else:
        yield Finding("tightening" if isinstance(becomes, Mapping) else "harmless", from_to("not", was, becomes))


RULE = SchemaRule("not_schema", ("not",), _find, breaks("not"))
