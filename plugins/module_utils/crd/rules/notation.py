# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two CRDs that are written differently and mean the same."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding


def _find(_old: Definition, _new: Definition) -> Iterator[Finding]:
    """Asked where two specs differ and no other rule found anything."""
    yield Finding("harmless", "the spec is written differently and means the same")


RULE = DefinitionRule("notation", _find)
