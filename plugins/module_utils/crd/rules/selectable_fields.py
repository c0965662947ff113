# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields by which custom resources can be selected."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Version
from ..rule import Finding, VersionRule
from ..words import from_to


def _find(old: Version, new: Version) -> Iterator[Finding]:
    if old.selectable_fields != new.selectable_fields:
        yield Finding("harmless", from_to("selectableFields", old.selectable_fields, new.selectable_fields))


RULE = VersionRule("selectable_fields", _find)
