# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions and releases."""

from __future__ import annotations

from itertools import pairwise

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadVersion
from ansible_collections.fleet.olm.plugins.module_utils.catalog.versions import parse_version, parse_version_release

ASCENDING = [
    "0.0.0-0",
    "0.0.0",
    "0.0.1",
    "0.2.0",
    "0.10.0",
    "1.0.0-1",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-rc-1",
    "1.0.0",
    "1.0.1-rc.1",
    "18446744073709551615.0.0",
]


@pytest.mark.parametrize(("lower", "higher"), list(pairwise(ASCENDING)))
def test_order(lower: str, higher: str) -> None:
    assert parse_version(lower).key < parse_version(higher).key


@pytest.mark.parametrize("text", [*ASCENDING, "1.2.3+build.01", "1.2.3-rc.1+5"])
def test_a_version_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_version(text)) == text


def test_build_metadata_does_not_count() -> None:
    assert parse_version("1.0.0+1").key == parse_version("1.0.0+2").key


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", " 1.2.3"),
        *("18446744073709551616.0.0", "1.0.0-18446744073709551616", "-1.0.0", "1.2.x", "٣.0.0", "1.2.3\n"),
        "9" * 5000 + ".0.0",
    ],
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(BadVersion) as caught:
        parse_version(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        pytest.param("1.0.0", "1.0.0+1", id="none before any"),
        pytest.param("1.0.0+1", "1.0.0+2", id="by number"),
        pytest.param("1.0.0+9", "1.0.0+10", id="by number, not by text"),
        pytest.param("1.0.0+1", "1.0.0+1.1", id="shorter first"),
        pytest.param("1.0.0+9", "1.0.0+a", id="numbers before words"),
        pytest.param("1.0.0+9", "1.0.1", id="the version counts first"),
        pytest.param("1.0.0+01", "1.0.0+1", id="what is no release counts as none"),
    ],
)
def test_order_of_releases(lower: str, higher: str) -> None:
    assert parse_version_release(lower).key < parse_version_release(higher).key


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("1.0.0", False),
        ("1.0.0+7", True),
        ("1.0.0+007", False),
        ("1.0.0+a.1", True),
        ("1.0.0+20260101.12345678901", True),
        ("1.0.0+20260101.123456789012", False),
    ],
)
def test_build_metadata_is_a_release_where_it_reads_as_one(text: str, release: bool) -> None:
    found = parse_version_release(text)
    assert bool(found.release) is release
    assert str(found) == text
