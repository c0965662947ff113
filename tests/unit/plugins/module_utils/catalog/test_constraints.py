# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ranges of users. The answers are those of the Go library Masterminds/semver 3.5 to the same questions."""

from __future__ import annotations

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.constraints import parse_constraints
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadRange
from ansible_collections.fleet.olm.plugins.module_utils.catalog.versions import parse_version

TABLE = [
    ("1.2.3", "1.2.3", True),
    ("1.2.3", "1.2.3+7", True),
    ("=1.2.3", "1.2.4", False),
    ("1.2", "1.2.9", True),
    ("1.2", "1.3.0", False),
    ("1.x", "1.9.0", True),
    ("1.X", "2.0.0", False),
    ("1.*", "1.0.0", True),
    ("*", "0.0.0", True),
    ("*", "1.0.0-rc.1", False),
    ("x", "7.0.0", True),
    ("~1.2", "1.2.9", True),
    ("~1.2", "1.3.0", False),
    ("~1", "1.9.0", True),
    ("~1.2.3", "1.2.2", False),
    ("~1.2.3", "1.2.9", True),
    ("~>1.2", "1.2.9", True),
    ("~0.0.0", "9.9.9", True),
    ("~0.0", "0.1.0", False),
    ("^1.2.3", "1.9.0", True),
    ("^1.2.3", "2.0.0", False),
    ("^0.2.3", "0.2.9", True),
    ("^0.2.3", "0.3.0", False),
    ("^0.0.3", "0.0.3", True),
    ("^0.0.3", "0.0.4", False),
    ("^0.0", "0.0.9", True),
    ("^0", "0.9.0", True),
    ("^x", "1.0.0", False),
    ("^x", "0.0.0", True),
    (">1", "1.9.0", False),
    (">1", "2.0.0", True),
    (">1.1", "1.1.9", False),
    (">1.1", "1.2.0", True),
    (">=1.2", "1.2.0", True),
    ("<1.2", "1.1.9", True),
    ("<1.2", "1.2.0", False),
    ("<=1.2", "1.2.9", True),
    ("<=1", "1.9.9", True),
    ("<=1", "2.0.0", False),
    ("<=x", "0.0.9", True),
    ("<=x", "0.1.0", False),
    ("=>1.0.0", "1.0.0", True),
    ("=<1.0.0", "1.0.1", False),
    ("!=1.2.3", "1.2.3", False),
    ("!=1.2.3", "1.2.4", True),
    ("!=1.2", "1.2.3", False),
    ("!=1.2", "1.3.0", True),
    ("!=1", "1.2.3", False),
    ("!=1.2-rc", "1.2.0-rc", False),
    (">=1.0.0", "1.1.0-rc.1", False),
    (">=1.0.0-0", "1.1.0-rc.1", True),
    (">=1.0.0-0, <2.0.0", "1.5.0-alpha", True),
    (">=1.0.0-0 || <2.0.0", "1.5.0-alpha", True),
    ("<1.0.0 || >=1.0.0-0", "0.9.0-alpha", False),
    ("~1.2.0-0", "1.2.5-rc.1", True),
    ("^1.0.0-rc.1", "1.0.0-beta", False),
    ("^1.0.0-rc.1", "1.0.0-rc.2", True),
    ("1.0.0-rc.1", "1.0.0-rc.1+b", True),
    ("1.2 - 1.4", "1.4.9", True),
    ("1.2 - 1.4", "1.5.0", False),
    ("1.2.3 - 1.4.0", "1.2.2", False),
    ("1.0.0 - 2.0.0 || 3.0.0 - 4.0.0", "3.5.0", True),
    ("1||2 - 3", "9.0.0", True),
    ("1 - 2||3", "3.4.0", True),
    ("1 - 2||3", "2.9.0", True),
    (">=1 <2", "1.5.0", True),
    (">=1,<2", "2.0.0", False),
    (">= 1.0.0 , < 2.0.0", "1.0.0", True),
    ("1.2.3 || 1.2.4", "1.2.4", True),
    ("v1.2.3", "1.2.3", True),
    ("01.02.03", "1.2.3", True),
    ("x.1.2", "5.0.0", True),
    ("1.x.7", "1.5.0", True),
    (">=1.0.0-99999999999999999999", "1.0.0-rc", True),
    ("1.2.3-1", "1.2.3-1", True),
]
NO_RANGES = [
    "",
    "abc",
    "1.2.3.4",
    "1.2.3,",
    "1||",
    ",1",
    "1,,2",
    ">=<1",
    "==1.0.0",
    "1x",
    "1.2.3-01",
    "> =1",
    "18446744073709551616.0.0",
    "1.2.3 -",
    "V1.2.3",
    ">=1.0.0 &&<2",
    "1 " * 300,
    "||".join(["1"] * 33),
    "\u0661.0.0",
]


@pytest.mark.parametrize(("text", "version", "matches"), TABLE)
def test_a_version_is_in_a_range_or_not(text: str, version: str, matches: bool) -> None:
    assert parse_constraints(text).match(parse_version(version)) is matches


@pytest.mark.parametrize("text", NO_RANGES)
def test_what_is_no_range_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadRange, match=r"^version ") as caught:
        parse_constraints(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "version"), [(">=1.0.0", "1.1.0-rc.1"), ("1.x", "1.0.1-alpha")])
def test_a_range_that_names_no_pre_release_can_say_that_only_this_was_in_the_way(text: str, version: str) -> None:
    constraints = parse_constraints(text)
    assert not constraints.match(parse_version(version))
    assert constraints.match_but_for_pre_release(parse_version(version))
