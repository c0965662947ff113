# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version is deprecated, or says so in other words."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Version
from ..rule import Finding, VersionRule
from ..words import from_to


def _find(old: Version, new: Version) -> Iterator[Finding]:
    if old.deprecated != new.deprecated:
        yield Finding("harmless", "the version is deprecated" if new.deprecated else "the version is not deprecated")
    if old.deprecation_warning != new.deprecation_warning:
        yield Finding("harmless", from_to("deprecationWarning", old.deprecation_warning, new.deprecation_warning))


RULE = VersionRule("deprecation", _find)
