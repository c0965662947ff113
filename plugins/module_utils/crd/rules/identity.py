# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The group and the plural name: with another one, it is another CRD."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding, everybody
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    pairs = (("group", old.group, new.group), ("plural name", old.names.get("plural"), new.names.get("plural")))
    for what, was, becomes in pairs:
        if was != becomes:
            yield Finding("losing", from_to(what, was, becomes), refused=True)
    if old.name != new.name and not any(was != becomes for _what, was, becomes in pairs):
        yield Finding("losing", from_to("name of the CRD", old.name, new.name), refused=True)


RULE = DefinitionRule("identity", _find, everybody)
