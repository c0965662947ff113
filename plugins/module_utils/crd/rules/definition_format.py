# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The CRD is written for another version of apiextensions.k8s.io."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Definition
from ..rule import DefinitionRule, Finding
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    if old.format != new.format:
        yield Finding("harmless", from_to("apiVersion of the CRD", old.format or None, new.format or None))


RULE = DefinitionRule("definition_format", _find)
