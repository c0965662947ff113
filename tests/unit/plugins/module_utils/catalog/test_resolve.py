# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of resolution, one by one. They are OLM v1's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadRange, BadVersion, Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import (
    SELF_CERTIFIED,
    Installed,
    Platform,
    Query,
    parse_query,
)
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import (
    deprecation_warnings,
    edges_into,
    resolve,
    why,
)
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    catalog,
    chain,
    channel,
    deprecations,
    entry,
    installed,
    package,
)

TWO_CHANNELS = [
    package(),
    channel("stable", entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.1.0")),
    channel(
        "beta", entry("1.2.0"), entry("2.0.0-rc.1", "1.2.0"), entry("2.0.0", "2.0.0-rc.1", skip_range=">=1.1.0 <2.0.0")
    ),
    *(bundle(version) for version in ("1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1", "2.0.0")),
]


def found(tmp_path: Path, blobs: list[Blob], **query: Any) -> str:
    """The name of the resolved bundle without the package's, or nothing."""
    try:
        return resolve(Query("greeter", **query), [catalog(tmp_path, blobs)]).bundle.name.removeprefix("greeter.v")
    except Unresolved:
        return ""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param({}, "2.0.0", id="the highest version of all channels"),
        pytest.param({"channels": ("stable",)}, "1.2.0", id="in a channel"),
        pytest.param({"channels": ("stable", "beta")}, "2.0.0", id="in any of several channels"),
        pytest.param({"channels": ("stable", "gamma")}, "1.2.0", id="a channel that is not there adds nothing"),
        pytest.param({"channels": ("gamma",)}, "", id="no such channel"),
        pytest.param({"version": "1.x"}, "1.2.0", id="in a range"),
        pytest.param({"version": "<1.2.0"}, "1.1.0", id="below a version"),
        pytest.param({"version": "~2.0.0-0, <2.0.0"}, "2.0.0-rc.1", id="a pre-release that is asked for"),
        pytest.param({"version": "9.x"}, "", id="no such version"),
        pytest.param({"version": "2.x", "channels": ("stable",)}, "", id="not in this channel"),
        pytest.param({"installed": installed("1.0.0")}, "1.1.0", id="the next by replaces"),
        pytest.param({"installed": installed("1.1.0")}, "2.0.0", id="farther by skipRange"),
        pytest.param(
            {"installed": installed("1.1.0"), "channels": ("stable",)}, "1.2.0", id="edges of the channel only"
        ),
        pytest.param({"installed": installed("2.0.0")}, "2.0.0", id="nothing newer: it stays"),
        pytest.param({"installed": installed("1.0.0"), "version": "1.2.0"}, "", id="two hops are none"),
        pytest.param({"installed": installed("1.2.0"), "version": "<1.2.0"}, "", id="no way back"),
        pytest.param(
            {"installed": installed("1.2.0"), "version": "<1.2.0", "policy": SELF_CERTIFIED}, "1.1.0", id="a way back"
        ),
        pytest.param({"installed": installed("1.0.0"), "policy": SELF_CERTIFIED}, "2.0.0", id="edges do not count"),
        pytest.param({"installed": installed("1.0.0"), "channels": ("beta",)}, "", id="not followed in this channel"),
        pytest.param({"installed": Installed("other", "1.0.0")}, "1.0.0", id="its version stays possible by any name"),
        pytest.param({"installed": Installed("gone", "1.1.5")}, "2.0.0", id="skipRange needs no name"),
        pytest.param({"installed": Installed("gone", "0.9.0")}, "", id="nothing leads on from there"),
    ],
)
def test_channels_versions_and_successors(tmp_path: Path, query: dict[str, Any], expected: str) -> None:
    assert found(tmp_path, TWO_CHANNELS, **query) == expected


def test_skips(tmp_path: Path) -> None:
    blobs = [package(), channel("stable", "1.0.0", entry("1.1.0", skips=["1.0.0"])), bundle("1.0.0"), bundle("1.1.0")]
    assert found(tmp_path, blobs, installed=installed("1.0.0")) == "1.1.0"


def test_a_range_that_cannot_be_read_is_no_edge(tmp_path: Path) -> None:
    blobs = [package(), channel("stable", "1.0.0", entry("1.1.0", skip_range="~1")), bundle("1.0.0"), bundle("1.1.0")]
    assert found(tmp_path, blobs, installed=installed("1.0.0")) == "1.0.0"


def test_the_release_decides_between_equal_versions(tmp_path: Path) -> None:
    versions = ("1.0.0+2", "1.0.0+10", "1.0.0", "1.0.0+9")
    assert found(tmp_path, [package(), *map(bundle, versions)]) == "1.0.0+10"
    assert found(tmp_path, [package(), *map(bundle, versions)], installed=Installed("x", "1.0.0+9")) == "1.0.0+9"


def test_equal_versions_stay_in_the_order_of_the_catalog(tmp_path: Path) -> None:
    assert found(tmp_path, [package(), bundle("1.0.0+01"), bundle("1.0.0+02")]) == "1.0.0+01"


def test_deprecated_bundles_come_last(tmp_path: Path) -> None:
    old = deprecations(
        ("olm.bundle", "greeter.v2.0.0", "broken"), ("olm.channel", "stable", "use beta"), ("olm.package", "", "gone")
    )
    blobs = [*chain("1.0.0", "2.0.0"), old]
    assert found(tmp_path, blobs) == "1.0.0"
    assert found(tmp_path, blobs, version="2.x") == "2.0.0"
    resolution = resolve(Query("greeter", version="2.x"), [catalog(tmp_path, blobs)])
    assert list(deprecation_warnings(resolution.package, resolution.bundle)) == [
        "bundle greeter.v2.0.0 is deprecated: broken",
        "channel stable is deprecated: use beta",
        "package greeter is deprecated: gone",
    ]


@pytest.mark.parametrize("kind", ["olm.package.required", "olm.gvk.required", "olm.constraint"])
def test_a_bundle_with_dependencies_is_refused_and_no_other_is_taken(tmp_path: Path, kind: str) -> None:
    blobs = [package(), bundle("1.0.0"), bundle("1.1.0", {"type": kind, "value": {}})]
    with pytest.raises(Unresolved, match=f"greeter.v1.1.0 is what is to be installed, but .*{kind}.*; 1.0.0 is there"):
        resolve(Query("greeter"), [catalog(tmp_path, blobs)])
    assert found(tmp_path, blobs, version="1.0.0") == "1.0.0"


def test_a_bundle_without_a_version_comes_last_and_is_refused(tmp_path: Path) -> None:
    assert found(tmp_path, [package(), bundle("latest"), bundle("0.0.1")]) == "0.0.1"
    assert found(tmp_path, [package(), bundle("latest")]) == ""
    assert found(tmp_path, [package(), bundle("latest")], version="*") == ""


def several(tmp_path: Path, *given: tuple[str, int, list[Blob]], **query: Any) -> str:
    """The name of the catalog that answers and the version of its bundle, or the error."""
    opened = [catalog(tmp_path / name, blobs, name=name, priority=priority) for name, priority, blobs in given]
    try:
        resolution = resolve(Query("greeter", **query), opened)
    except Unresolved as error:
        return str(error)
    return f"{resolution.chosen.catalog.name} {resolution.bundle.version}"


OLD = deprecations(("olm.bundle", "greeter.v1.0.0", "old"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param([("a", 0, chain("1.0.0")), ("b", 0, chain("1.0.0", of="other"))], "a 1.0.0", id="only one has it"),
        pytest.param([("a", 0, chain("1.0.0")), ("b", 5, chain("0.9.0"))], "b 0.9.0", id="priority, not version"),
        pytest.param([("a", -1, chain("1.0.0")), ("b", -2, chain("2.0.0"))], "a 1.0.0", id="negative priorities"),
        pytest.param(
            [("a", 5, [*chain("1.0.0"), OLD]), ("b", 0, chain("0.9.0"))], "b 0.9.0", id="not deprecated comes first"
        ),
        pytest.param(
            [("a", 0, [*chain("1.0.0"), OLD]), ("b", 5, [*chain("1.0.0"), OLD])], "b 1.0.0", id="all deprecated"
        ),
    ],
)
def test_several_catalogs(tmp_path: Path, given: list[tuple[str, int, list[Blob]]], expected: str) -> None:
    assert several(tmp_path, *given) == expected
    assert several(tmp_path, *reversed(given)) == expected


def test_two_catalogs_of_one_priority_cannot_be_decided_between(tmp_path: Path) -> None:
    given = [("b", 3, chain("1.0.0")), ("a", 3, chain("2.0.0")), ("c", 0, chain("3.0.0"))]
    message = several(tmp_path, *given)
    assert message == (
        "package greeter: found in several catalogs of the same priority: a, b; give one of them a higher priority, or choose with selector"
    )
    assert several(tmp_path, *given, version="2.x") == "a 2.0.0"


def metadata(least: str) -> Blob:
    return {"type": "olm.csv.metadata", "value": {"minKubeVersion": least}}


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        pytest.param(Platform(), "3.0.0", id="OLM v1 does not ask"),
        pytest.param(Platform("1.34.1"), "3.0.0", id="new enough"),
        pytest.param(Platform("1.33"), "2.0.0", id="too old for the last"),
        pytest.param(Platform("v1.20.0-gke.1"), "1.0.0", id="too old for both"),
        pytest.param(Platform("", "4.18"), "3.0.0", id="any OpenShift"),
        pytest.param(Platform("1.33", "4.17.9"), "2.0.0", id="the last OpenShift that is allowed"),
        pytest.param(Platform("1.33", "4.18"), "1.0.0", id="OpenShift is too new"),
    ],
)
def test_platforms(tmp_path: Path, platform: Platform, expected: str) -> None:
    newest = {"type": "olm.maxOpenShiftVersion", "value": "4.17"}
    blobs = [
        package(),
        bundle("1.0.0"),
        bundle("2.0.0", metadata("1.30.0"), newest),
        bundle("3.0.0", metadata("1.34.0")),
    ]
    assert found(tmp_path, blobs, platform=platform) == expected


def test_what_each_rule_removed_is_told(tmp_path: Path) -> None:
    query = Query("greeter", version="1.x", channels=("stable",), installed=installed("1.1.0"))
    resolution = resolve(query, [catalog(tmp_path, TWO_CHANNELS, name="main")])
    told = why(query, resolution.answers)
    assert told[0]["catalog"] == "main"
    assert [(step["rule"], step["kept"], step["removed"]) for step in told[0]["steps"]] == [
        ("package", 5, []),
        ("channels", 3, ["2.0.0-rc.1", "2.0.0"]),
        ("version", 3, []),
        ("successors", 2, ["1.0.0"]),
    ]
    assert told[0]["candidates"] == ["1.2.0", "1.1.0"]
    assert edges_into(query, resolution.package, resolution.bundle) == [{"channel": "stable", "edge": "replaces"}]


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    opened = [catalog(tmp_path, TWO_CHANNELS)]
    with pytest.raises(BadRange, match="version 'abc' is no range of versions"):
        resolve(Query("greeter", version="abc"), opened)
    with pytest.raises(BadVersion, match=r"installed: version '1.0' is no semantic version"):
        resolve(Query("greeter", installed=Installed("greeter.v1.0.0", "1.0")), opened)
    with pytest.raises(OptionError, match="kubernetes_version: 'new' is no version"):
        resolve(
            Query("greeter", platform=Platform("new")),
            [catalog(tmp_path, [package(), bundle("1.0.0", metadata("1.30.0"))])],
        )
    with pytest.raises(OptionError, match="policy: 'Any' is unknown"):
        parse_query({"package": "greeter", "policy": "Any"})
    with pytest.raises(OptionError, match="name and version must both be given"):
        parse_query({"package": "greeter", "installed": {"name": "greeter.v1.0.0"}})
    with pytest.raises(OptionError, match=r"version: 1.1 is a number, .* put it into quotes"):
        parse_query({"package": "greeter", "version": 1.10})
    with pytest.raises(OptionError, match=r"channels: 4.1 is a number"):
        parse_query({"package": "greeter", "channels": ["stable", 4.10]})
