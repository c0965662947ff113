# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of a CRD's spec that Kubernetes does not know: API servers drop them."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    for name in sorted({*old.other_fields, *new.other_fields}, key=str):
        was, becomes = old.other_fields.get(name), new.other_fields.get(name)
        if was != becomes:
            yield Finding("harmless", f"{from_to(f'spec.{name}', was, becomes)}, unknown to Kubernetes")


RULE = DefinitionRule("other_field", _find)
