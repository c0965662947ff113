# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names that are there for the convenience of people and clients."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for name in sorted({*old.names, *new.names} - {"kind", "plural"}, key=str):
        if old.names.get(name) != new.names.get(name):
            yield Finding("harmless", from_to(f"names.{name}", old.names.get(name), new.names.get(name)))


RULE = DefinitionRule("other_names", _find)
