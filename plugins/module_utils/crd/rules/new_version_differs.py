# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A new version that is served beside others, without conversion, has another schema than they have.

Nothing that is there changes by it. But one object is shown in all of them, so that what one version accepts another
may refuse or leave out: said as a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..schema import path_text
from ..schema_walk import walk


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    if new.converts:
        return
    for version in new.versions:
        if old.version(version.name) is not None or not version.served or version.schema is None:
            continue
        for other in new.versions:
            if old.version(other.name) is None or not other.served or other.schema is None:
                continue
            for place in walk(other.schema, version.schema):
                if place.finding.severity == "harmless":
                    continue
                steps = (*place.steps, place.finding.field) if place.finding.field else place.steps
                message = f"compared with {other.name}, which is served too and not converted: {place.finding.message}"
                yield Finding("harmless", message, version=version.name, field=path_text(steps))


RULE = DefinitionRule("new_version_differs", _find)
