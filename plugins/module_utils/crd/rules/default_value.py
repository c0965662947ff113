# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A default was added, changed or removed.

What users left out means something else from then on, so that it is more than documentation. But no stored
object is hurt: an API server writes defaults into objects as they are created and changed, and fills in a
new one as they are read.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to


def _find(old: Node, new: Node) -> Iterator[Finding]:
    was, becomes = old.get("default"), new.get("default")
    if was is None and becomes is None:
        yield Finding("harmless", "default null means that there is none")
        return
    effect = "; objects that leave it out show it" if was is None else ""
    yield Finding("tightening", from_to("default", was, becomes) + effect)


RULE = SchemaRule("default_value", ("default",), _find)
