# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ranges in `skipRange`. The answers are those of the Go library blang/semver 4 to the same questions."""

from __future__ import annotations

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadRange
from ansible_collections.fleet.olm.plugins.module_utils.catalog.ranges import parse_range
from ansible_collections.fleet.olm.plugins.module_utils.catalog.versions import parse_version

TABLE = [
    (">=1.0.0 <1.2.0", "1.1.0", True),
    (">=1.0.0 <1.2.0", "1.2.0", False),
    (">=1.0.0 <1.2.0", "1.2.0-rc.1", True),
    (">=1.0.0 <1.2.0", "1.0.0-rc.1", False),
    ("<2.0.0 || >=3.0.0", "3.0.0", True),
    ("<2.0.0 || >=3.0.0", "2.5.0", False),
    (">1.0.0 <3.0.0 !2.0.3-beta.2", "2.0.3-beta.2", False),
    ("1.2.3", "1.2.3+5", True),
    ("==1.2.3", "1.2.3", True),
    ("!=1.2.3", "1.2.3", False),
    ("!1.2.3", "1.2.4", True),
    ("! 1.0.0", "1.0.0", True),
    ("! 1.0.0", "2.0.0", False),
    (">= 1.0.0", "1.0.0", True),
    ("1.2.x", "1.2.9", True),
    ("1.2.x", "1.3.0", False),
    ("1.x", "1.9.9", True),
    ("1.x.x", "1.0.9", True),
    ("1.x.x", "1.1.0", False),
    (">1.2.x", "1.3.0", True),
    (">1.2.x", "1.2.9", False),
    ("<=1.2.x", "1.2.9", True),
    ("<1.x", "0.9.0", True),
    (">=1.x", "1.0.0", True),
    ("~1.x", "1.0.0", True),
    ("~1.x", "1.1.0", False),
    (">=1.0.0 x <2.0.0", "1.5.0", True),
    ("<=1.0.0 || || 2.0.0", "0.5.0", True),
]
NO_RANGES = [
    "",
    "||",
    "1.0.0 ||",
    "|| 1.0.0",
    "~1.2.3",
    "^1.0.0",
    "1.2",
    ">=1",
    "x",
    "1.2.3-x",
    ">=1.0.0,<2.0.0",
    "01.0.0",
    "v1.0.0",
    ">=1.0.0&&<2.0.0",
]


@pytest.mark.parametrize(("text", "version", "matches"), TABLE)
def test_a_version_is_in_a_range_or_not(text: str, version: str, matches: bool) -> None:
    assert parse_range(text).match(parse_version(version)) is matches


@pytest.mark.parametrize("text", NO_RANGES)
def test_what_is_no_range_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadRange, match="is no range of versions: ") as caught:
        parse_range(text)
    assert "\n" not in str(caught.value)
