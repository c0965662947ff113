# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kind, which is written into every stored object."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding, everybody
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    if old.names.get("kind") != new.names.get("kind"):
        yield Finding("losing", from_to("kind", old.names.get("kind"), new.names.get("kind")), refused=True)


RULE = DefinitionRule("kind", _find, everybody)
