# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Labels and annotations of the CRD itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..schema import mapping
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for what, was, becomes in (
        ("label", old.labels, new.labels),
        ("annotation", old.annotations, new.annotations),
    ):
        before, after = mapping(was), mapping(becomes)
        for name in sorted({*before, *after}, key=str):
            if before.get(name) != after.get(name):
                yield Finding("harmless", from_to(f"{what} {name}", before.get(name), after.get(name)))


RULE = DefinitionRule("labels_and_annotations", _find)
