# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where the conversion webhook is, and what it speaks."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for name in sorted({*old.conversion, *new.conversion} - {"strategy"}, key=str):
        was, becomes = old.conversion.get(name), new.conversion.get(name)
        if was != becomes:
            yield Finding("harmless", from_to(f"conversion.{name}", was, becomes))


RULE = DefinitionRule("conversion_webhook", _find)
