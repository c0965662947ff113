# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The subresources status and scale. What clients may ask for changes; stored objects do not."""

from __future__ import annotations

from collections.abc import Iterator

from ..definition import Version
from ..rule import Finding, VersionRule
from ..words import from_to


def _find(old: Version, new: Version) -> Iterator[Finding]:
    if old.subresources != new.subresources:
        yield Finding("harmless", from_to("subresources", old.subresources, new.subresources))


RULE = VersionRule("subresources", _find)
