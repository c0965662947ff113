# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the results of other modules mean for a report."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.rows import row_from_direct, row_from_olm, rows_of

DIRECT: dict[str, Any] = {
    "name": "greeter",
    "namespace": "greeter-system",
    "engine": "direct",
    "state": "installed",
    "revision": 2,
    "bundle": {"name": "greeter.v1.0.0", "package": "greeter", "version": "1.0.0"},
    "revisions": [{"revision": 2, "state": "installed", "outcome": None}],
    "health": {"ready": True, "problems": []},
    "drift": {"found": False, "changes": [], "problems": []},
}
OLM: dict[str, Any] = {
    "name": "greeter",
    "namespace": "greeter-system",
    "engine": "olm",
    "package": "greeter",
    "version": "1.x",
    "bundle": {"name": "greeter.v1.0.0", "version": "1.0.0"},
    "state": "done",
    "says": "Installed is True (Succeeded)",
    "deprecations": [],
}
GATE = {
    "failed": True,
    "msg": "greeter: it gains permissions",
    "permissions": {"all": ["may read Secrets"], "gained": ["may read Secrets"], "digest": "sha256:4be1"},
}
# Whether the cluster itself was asked, and what it had.
ASKED = {"bundle_install_info": {"extensions": [DIRECT]}}


@pytest.mark.parametrize(
    ("change", "health", "message"),
    [
        ({}, "healthy", ""),
        ({"health": {"problems": ["Deployment greeter has 0 of 1 replicas"]}}, "degraded", "Deployment greeter has 0 of 1 replicas"),
        ({"drift": {"changes": [{"kind": "Deployment", "name": "greeter"}]}}, "degraded", "differs from its revision: Deployment greeter"),
        ({"drift": {"problems": ["field is owned by kubectl"]}}, "degraded", "field is owned by kubectl"),
        ({"drift": None}, "healthy", ""),
        ({"state": "failed", "revisions": [{"revision": 3, "outcome": "timed out"}]}, "failed", "timed out"),
        ({"state": "pending", "revisions": [{"revision": 3}]}, "progressing", "revision 3 is pending: a run is at work, or was broken off"),
        ({"state": "removing"}, "progressing", "revision 2 is removing: a run is at work, or was broken off"),
    ],
)  # fmt: skip
def test_what_bundle_install_info_tells(change: dict[str, Any], health: str, message: str) -> None:
    row = row_from_direct({**DIRECT, **change})
    assert (row["health"], row["message"]) == (health, message)
    assert (row["version"], row["revision"], row["package"], row["engine"]) == ("1.0.0", 2, "greeter", "direct")


@pytest.mark.parametrize(
    ("change", "health"),
    [
        ({}, "healthy"),
        ({"state": "waiting"}, "progressing"),
        ({"state": "stuck"}, "degraded"),
        ({"state": "stuck", "bundle": None}, "failed"),
        ({"state": "failed"}, "failed"),
    ],
)
def test_what_cluster_extension_info_tells(change: dict[str, Any], health: str) -> None:
    row = row_from_olm({**OLM, **change})
    assert row["health"] == health
    assert row["message"] == ("" if health == "healthy" else OLM["says"])


def test_an_offer_is_a_reachable_upgrade_with_the_way_to_it() -> None:
    offer = {"next": None, "newest": {"version": "1.2.0"}, "path": [{"version": "1.1.0"}, {"version": "1.2.0"}]}
    assert row_from_olm({**OLM, "offer": offer})["upgrade"] == {"version": "1.2.0", "path": ["1.1.0", "1.2.0"]}
    assert row_from_olm({**OLM, "offer": {"next": None, "newest": None, "path": []}})["upgrade"] is None


def test_a_looked_up_path_is_one_for_the_direct_engine() -> None:
    resolved = {"bundle": {"version": "1.1.0"}, "path": [{"version": "1.1.0"}], "item": {"name": "greeter"}}
    [row] = rows_of({**ASKED, "upgrades": [{"results": [resolved]}]})
    assert row["upgrade"] == {"version": "1.1.0", "path": ["1.1.0"]}


@pytest.mark.parametrize(
    ("wanted", "as_wanted"),
    [("1.0.0", True), ("1.0.x", True), (">=1.1", False), (None, True), ("not a range", False)],
)
def test_an_installed_version_is_wanted_or_not(wanted: str | None, as_wanted: bool) -> None:
    [row] = rows_of({**ASKED, "wanted": [{"name": "greeter", "version": wanted}]})
    assert (row["wanted_version"], row["as_wanted"]) == (wanted, as_wanted)


def test_what_nobody_said_to_want_is_neither() -> None:
    [row] = rows_of(ASKED)
    assert row["as_wanted"] is None


@pytest.mark.parametrize(
    ("cluster", "health"),
    [({}, "absent"), ({"reachable": False}, "unknown"), ({"error": "you may not list Secrets"}, "unknown")],
)
def test_what_is_wanted_and_not_found_is_absent_or_not_known(cluster: dict[str, Any], health: str) -> None:
    [row] = rows_of(
        {**cluster, "engine": "direct", "wanted": [{"name": "greeter", "version": "1.x", "package": "greeter"}]}
    )
    assert (row["health"], row["version"], row["engine"], row["package"]) == (health, None, "direct", "greeter")


def test_what_is_to_be_removed_is_told_only_while_it_is_there() -> None:
    gone = {"name": "greeter", "state": "absent"}
    assert rows_of({"wanted": [gone]}) == []
    [row] = rows_of({**ASKED, "wanted": [gone]})
    assert (row["as_wanted"], row["message"]) == (False, "is to be removed and still there")


def test_both_engines_may_have_one_of_the_same_name() -> None:
    rows = rows_of(
        {**ASKED, "cluster_extension_info": {"extensions": [OLM]}, "wanted": [{"name": "greeter", "engine": "olm"}]}
    )
    assert [(row["engine"], row["as_wanted"]) for row in rows] == [("direct", None), ("olm", True)]


def test_a_gate_holds_the_upgrade_while_the_old_version_stays_healthy() -> None:
    [row] = rows_of({**ASKED, "runs": [{"name": "greeter", **GATE}]})
    assert (row["health"], row["version"], row["message"]) == ("healthy", "1.0.0", "greeter: it gains permissions")
    assert row["pending_approval"] == {"digest": "sha256:4be1", "gains": ["may read Secrets"]}


@pytest.mark.parametrize(
    "run",
    [
        {"name": "greeter", "failed": True, "msg": "no room"},
        {"results": [{"item": {"name": "greeter"}, "failed": True, "msg": "no room"}]},
        {"extension": {"name": "greeter", "engine": "direct"}, "failed": True, "msg": "no room"},
    ],
)
def test_a_failed_run_of_what_is_not_there_is_a_failure(run: dict[str, Any]) -> None:
    [row] = rows_of({"wanted": [{"name": "greeter"}], "runs": [run]})
    assert (row["name"], row["health"], row["message"], row["pending_approval"]) == (
        "greeter",
        "failed",
        "no room",
        None,
    )


def test_a_run_alone_is_enough() -> None:
    run = {
        "changed": True,
        "extension": {"name": "greeter", "namespace": "greeter-system", "engine": "direct"},
        "bundle": {"package": "greeter", "version": "1.1.0"},
        "revision": 3,
        "permissions": {"gained": ["may read Secrets"], "digest": "sha256:4be1"},
    }
    [row] = rows_of({"runs": [run]})
    assert (row["health"], row["version"], row["revision"], row["pending_approval"]) == ("healthy", "1.1.0", 3, None)


def test_who_needs_what_is_not_healthy_is_blocked_by_it() -> None:
    wanted = [
        {"name": "greeter"},
        {"name": "stamper", "needs": ["greeter"]},
        {"name": "painter", "needs": ["stamper", "greeter"]},
    ]
    rows = rows_of({**ASKED, "wanted": wanted, "runs": [{"name": "stamper", "failed": True, "msg": "no room"}]})
    assert {row["name"]: row["blocked_by"] for row in rows} == {"greeter": [], "stamper": [], "painter": ["stamper"]}


def test_a_run_of_all_extensions_of_a_cluster() -> None:
    told = [
        {"name": "greeter", "state": "failed", "message": "it gains permissions", "permissions": GATE["permissions"]},
        {"name": "painter", "state": "blocked", "message": "not tried", "blocked_by": ["greeter"]},
        {"name": "stamper", "state": "installed", "engine": "olm", "version": "2.0.0", "bundle": {"version": "2.0.0"}},
    ]
    rows = {row["name"]: row for row in rows_of({"runs": [{"failed": True, "msg": "…", "extensions": told}]})}
    assert {name: row["health"] for name, row in rows.items()} == {
        "greeter": "failed",
        "painter": "unknown",
        "stamper": "healthy",
    }
    assert rows["greeter"]["pending_approval"] == {"digest": "sha256:4be1", "gains": ["may read Secrets"]}
    assert (rows["painter"]["blocked_by"], rows["painter"]["message"]) == (["greeter"], "not tried")
    assert rows["stamper"]["version"] == "2.0.0"


def test_what_is_for_other_clusters_is_not_wanted_here() -> None:
    wanted = [
        {"name": "greeter", "when": {"env": "prod"}},
        {"name": "stamper", "when": {"env": ["test", "prod"]}, "engine": "auto"},
    ]
    rows = rows_of({"labels": {"env": "test"}, "engine": "olm", "wanted": wanted})
    assert [(row["name"], row["engine"]) for row in rows] == [("stamper", "olm")]


def test_a_run_may_say_what_blocks_it() -> None:
    [row] = rows_of({"runs": [{"name": "stamper", "skipped": True, "blocked_by": ["greeter"]}]})
    assert (row["health"], row["blocked_by"]) == ("unknown", ["greeter"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"extensions": [{"health": "healthy"}]}, "extensions[0] has no name"),
        ({"extensions": ["greeter"]}, "extensions[0] has no name"),
        ({"extensions": [{"name": "greeter", "helth": "healthy"}]}, "did you mean 'health'?"),
        ({"extensions": [{"name": "greeter", "health": "fine"}]}, "health is 'fine'; it can be failed, degraded"),
        ({"extensions": [{"name": "greeter", "engine": "helm"}]}, "engine is 'helm'; it can be direct, olm"),
        ({"runs": [{"failed": True, "msg": "no room"}]}, "does not say which extension it is of"),
    ],
)
def test_what_cannot_be_reported_is_refused_by_its_place(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        rows_of(given)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
