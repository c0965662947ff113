# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version that was not there before."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for version in new.versions:
        if old.version(version.name) is None:
            served = "served" if version.served else "not served"
            yield Finding("harmless", f"version {version.name} was added, {served}", version=version.name)


RULE = DefinitionRule("version_added", _find)
