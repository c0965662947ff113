# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values have to fit exactly one schema of a list."""

from __future__ import annotations

from collections.abc import Iterator

from ..bounds import breaks
from ..branches import branches_of
from ..rule import Finding, SchemaRule
from ..schema import Node
from ..words import from_to

KEYWORD = "oneOf"


def _find(old: Node, new: Node) -> Iterator[Finding]:
    """A schema more may be the second that a value fits, so that even that can refuse what was accepted."""
    was, becomes = branches_of(old, KEYWORD), branches_of(new, KEYWORD)
    if was == becomes:
        yield Finding("harmless", f"{KEYWORD} changed in documentation or order only")
    else:
        message = from_to(KEYWORD, was or None, becomes or None)
        yield Finding("tightening" if becomes else "harmless", message)


RULE = SchemaRule("one_of", (KEYWORD,), _find, breaks(KEYWORD))
