# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The regular expression that texts have to match. Whether one takes less than another cannot be seen from the two."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    message = from_to("pattern", old.get("pattern"), new.get("pattern"))
    yield Finding("tightening" if new.get("pattern") else "harmless", message)


RULE = SchemaRule("pattern", ("pattern",), _find, breaks("pattern"))
