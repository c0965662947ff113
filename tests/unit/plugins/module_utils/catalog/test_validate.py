# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What opm refuses in a catalog."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.validate import validate, validate_orphans
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    catalog,
    chain,
    channel,
    deprecations,
    entry,
    package,
    read,
)

TWO = [bundle("1.0.0"), bundle("1.1.0")]


def problems(tmp_path: Path, blobs: list[Blob]) -> list[str]:
    return [
        str(problem).replace(" (catalog.json, document", " (").replace("greeter.v", "")
        for problem in validate(read(tmp_path, blobs))
    ]


def test_a_sound_package(tmp_path: Path) -> None:
    assert problems(tmp_path, chain("1.0.0", "1.1.0", "1.2.0")) == []


@pytest.mark.parametrize(
    "blobs",
    [
        pytest.param(
            [package(), channel("stable", entry("1.0.0", "0.9.0"), entry("1.1.0", "1.0.0")), *TWO],
            id="the last may replace what is gone",
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0"), entry("1.1.0", skips=["1.0.0"])), *TWO], id="skipped"
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0"), entry("1.1.0", "1.0.0", skips=["1.0.0"])), *TWO],
            id="replaced and skipped",
        ),
    ],
)
def test_what_opm_takes(tmp_path: Path, blobs: list[Blob]) -> None:
    assert [one for one in validate(read(tmp_path, blobs)) if one.severity == "error"] == []


@pytest.mark.parametrize(
    ("blobs", "expected"),
    [
        pytest.param(chain("1.0.0")[1:], "package greeter ( 1): has no olm.package document", id="no package"),
        pytest.param(
            [*chain("1.0.0"), package()],
            "package greeter ( 4): is there twice, also in catalog.json, document 1",
            id="two packages",
        ),
        pytest.param(
            [package(default=""), *chain("1.0.0")[1:]],
            "package greeter ( 1): has no defaultChannel",
            id="no default channel",
        ),
        pytest.param(
            [package(default="beta"), *chain("1.0.0")[1:]],
            "package greeter ( 1): its default channel beta does not exist; there are stable",
            id="unknown default channel",
        ),
        pytest.param(
            [package(), channel("stable")], "package greeter, channel stable ( 2): has no entries", id="empty channel"
        ),
        pytest.param(
            [*chain("1.0.0"), channel("stable", entry("1.0.0"))],
            "package greeter, channel stable ( 2): is there more than once",
            id="two channels",
        ),
        pytest.param(
            [*chain("1.0.0"), channel("", entry("1.0.0"))],
            "package greeter ( 4): has no name",
            id="a channel without name",
        ),
        pytest.param(
            [package(), channel("stable", "1.0.0", "1.0.0"), bundle("1.0.0")],
            "package greeter, channel stable, bundle 1.0.0 ( 2): has this entry more than once",
            id="two entries",
        ),
        pytest.param(
            chain("1.0.0")[:2],
            "package greeter, channel stable, bundle 1.0.0 ( 2): has an entry without a bundle of this name",
            id="no bundle",
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0", "1.1.0"), entry("1.1.0", "1.0.0")), *TWO],
            "package greeter, channel stable ( 2): has no head: every entry is replaced or skipped by another",
            id="no head",
        ),
        pytest.param(
            [package(), channel("stable", "1.0.0", "1.1.0"), *TWO],
            "package greeter, channel stable ( 2): has several heads: 1.0.0, 1.1.0; one of them must replace or skip the others",
            id="several heads",
        ),
        pytest.param(
            [
                package(),
                channel("stable", entry("1.0.0", "1.1.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.1.0")),
                *TWO,
                bundle("1.2.0"),
            ],
            "package greeter, channel stable ( 2): goes in a circle: 1.1.0 → 1.0.0 → 1.1.0",
            id="a circle",
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0", "1.0.0"), entry("1.1.0")), *TWO],
            "package greeter, channel stable ( 2): cannot be upgraded from 1.0.0: nothing replaces or skips them on the way to 1.1.0",
            id="stranded",
        ),
        pytest.param(
            [*chain("1.0.0"), bundle("1.1.0")],
            "package greeter, bundle 1.1.0 ( 4): is in no channel",
            id="in no channel",
        ),
        pytest.param(
            [*chain("1.0.0"), bundle("1.0.0")],
            "package greeter, bundle 1.0.0 ( 4): is there more than once",
            id="two bundles",
        ),
        pytest.param(
            [*chain("1.0.0")[:2], bundle("1.0.0", image="")],
            "package greeter, bundle 1.0.0 ( 3): has no image",
            id="no image",
        ),
        pytest.param(
            [*chain("1.0.0")[:2], {**bundle("1.0.0"), "properties": []}],
            "package greeter, bundle 1.0.0 ( 3): must have one property of type olm.package, and has 0",
            id="no property",
        ),
        pytest.param(
            [*chain("1.0.0")[:2], {**bundle("1.0.0"), "properties": bundle("1.0.0", of="other")["properties"]}],
            "package greeter, bundle 1.0.0 ( 3): its property of type olm.package names the package 'other'",
            id="another package",
        ),
        pytest.param(
            [*chain("1.0.0")[:2], {**bundle("1.0.0"), "properties": bundle("1.0")["properties"]}],
            "package greeter, bundle 1.0.0 ( 3): its version '1.0' is no semantic version such as 1.2.3, 1.2.3-rc.1 or 1.2.3+4",
            id="no version",
        ),
        pytest.param(
            [
                package(),
                channel("stable", "1.0.0", {"name": "again", "replaces": "greeter.v1.0.0"}),
                bundle("1.0.0"),
                bundle("1.0.0", name="again"),
            ],
            "package greeter, bundle again ( 4): has the version 1.0.0, which 1.0.0 has, too",
            id="two of one version",
        ),
        pytest.param(
            [*chain("1.0.0"), deprecations(("olm.bundle", "greeter.v9.0.0", "x"))],
            "package greeter ( 1): deprecates olm.bundle 9.0.0, which is not there",
            id="deprecates nothing",
        ),
        pytest.param(
            [*chain("1.0.0"), deprecations(("olm.package", "", ""))],
            "package greeter ( 1): deprecates olm.package  without a message",
            id="no message",
        ),
        pytest.param(
            [*chain("1.0.0"), deprecations(), deprecations()],
            "package greeter ( 1): has 2 documents of deprecations; one is allowed",
            id="two of deprecations",
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0", skip_range="~1")), bundle("1.0.0")],
            "package greeter, channel stable, bundle 1.0.0 ( 2): its skipRange counts for nothing: '~1' is no range of versions: '~' is no operator",
            id="a range that is none",
        ),
        pytest.param(
            [package(), channel("stable", entry("1.0.0", "0.9.0")), bundle("1.0.0")],
            "package greeter, channel stable, bundle 1.0.0 ( 2): replaces 0.9.0, which is not there",
            id="an edge to nowhere",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, blobs: list[Blob], expected: str) -> None:
    found = problems(tmp_path, blobs)
    assert expected in found
    assert not any("\n" in problem for problem in found)


def test_documents_that_name_no_package(tmp_path: Path) -> None:
    opened = catalog(tmp_path, [package(""), channel("stable", of=""), bundle("1.0.0", of="", name="x")])
    assert [str(problem) for problem in validate_orphans(opened.without_package())] == [
        "catalog (catalog.json, document 1): a package has no name",
        "channel stable (catalog.json, document 2): names no package",
        "bundle x (catalog.json, document 3): names no package",
    ]
    assert list(validate_orphans(None)) == []
