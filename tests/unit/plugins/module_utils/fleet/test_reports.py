# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report and its three forms."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_json import as_json
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_junit import as_junit
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_page import as_page
from ansible_collections.fleet.olm.plugins.module_utils.fleet.schema import REPORT_SCHEMA
from ansible_collections.fleet.olm.plugins.module_utils.fleet.status import fleet_status
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.fleet.given import large_fleet, small_fleet

REPORT = fleet_status(small_fleet(), "Operators", None)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found.group(1))
    return read


@pytest.mark.parametrize("fleet", [small_fleet(), large_fleet(40, 35), []])
def test_a_report_has_the_form_that_is_promised(fleet: list[dict[str, Any]]) -> None:
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)
    jsonschema.validate(json.loads(as_json(fleet_status(fleet, "Operators", None))), REPORT_SCHEMA)


def test_everything_is_counted() -> None:
    assert REPORT["summary"] == {
        "clusters": 4,
        "unreachable": 1,
        "extensions": 8,
        "health": {"failed": 1, "degraded": 1, "absent": 1, "unknown": 1, "progressing": 0, "healthy": 4},
        "not_as_wanted": 2,
        "upgrades": 1,
        "deprecated": 1,
        "pending_approval": 2,
        "blocked": 1,
    }


@pytest.mark.parametrize("form", [as_json, as_junit, as_page])
def test_the_order_in_which_clusters_come_makes_no_difference(form: Any) -> None:
    assert form(fleet_status(reversed(small_fleet()), "Operators", None)) == form(REPORT)


def test_clusters_are_in_the_order_of_their_numbers() -> None:
    assert [cluster["name"] for cluster in REPORT["clusters"]] == ["edge-1", "edge-2", "edge-10", "prod-1"]


def test_two_clusters_of_a_name_are_refused() -> None:
    with pytest.raises(OptionError, match="two of the name edge-1"):
        fleet_status([{"name": "edge-1"}, {"name": "edge-1"}], "Operators", None)


def test_a_mistake_is_told_with_its_cluster() -> None:
    with pytest.raises(OptionError, match=r"clusters\[1\] \(edge-2\): extensions\[0\] \(greeter\): health is 'fine'"):
        fleet_status(
            [{"name": "edge-1"}, {"name": "edge-2", "extensions": [{"name": "greeter", "health": "fine"}]}], "", None
        )


def test_junit_tells_once_what_is_to_be_mended() -> None:
    root = ElementTree.fromstring(as_junit(REPORT))  # noqa: S314 - we wrote it
    told = {
        (case.get("classname"), case.get("name")): [f"{part.tag} {part.get('type') or part.get('message')}" for part in case if part.tag != "system-out"]
        for case in root.iter("testcase")
    }  # fmt: skip
    assert told == {
        ("edge-1", "cert-manager"): [],
        ("edge-1", "greeter"): ["failure pending approval"],
        ("edge-1", "stamper"): [],
        ("edge-2", "cert-manager"): ["failure failed"],
        ("edge-2", "greeter"): ["skipped blocked by cert-manager"],
        ("edge-10", "cert-manager"): [],
        ("edge-10", "greeter"): ["failure pending approval"],
        ("prod-1", "cluster"): ["error unreachable"],
        ("prod-1", "greeter"): ["skipped the cluster did not tell"],
    }
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "9",
        "failures": "3",
        "errors": "1",
        "skipped": "2",
    }


def test_junit_holds_whatever_a_cluster_says() -> None:
    row = {"name": "greeter", "health": "failed", "message": 'a "quoted" <b> & \x1b[31mred\x00 \ud800 🚀'}
    root = ElementTree.fromstring(as_junit(fleet_status([{"name": "edge", "extensions": [row]}], "Operators", None)))  # noqa: S314 - we wrote it
    failure = next(root.iter("failure"))
    assert failure.get("message") == 'a "quoted" <b> & \ufffd[31mred\ufffd \ufffd 🚀'


@pytest.mark.parametrize("form", [as_json, as_junit, as_page])
def test_every_form_can_be_stored(form: Any) -> None:
    row = {"name": "greeter", "health": "failed", "message": "half a character: \ud83d"}
    form(fleet_status([{"name": "edge", "extensions": [row]}], "Operators", None)).encode("utf-8")


def test_nothing_in_the_data_ends_the_script_that_holds_it() -> None:
    row = {"name": "greeter", "health": "failed", "message": "</script><!-- <script> \u2028 &amp;"}
    page = as_page(fleet_status([{"name": "<edge>", "extensions": [row]}], "<i>Operators</i>", "</p>"))
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert "<h1>&lt;i&gt;Operators&lt;/i&gt;</h1>" in page
    data = data_of(page)
    assert data["rows"][0]["message"] == row["message"]
    assert data["clusters"][0]["name"] == "<edge>"


def test_rows_that_are_alike_stand_in_the_page_once() -> None:
    alike = [
        {"name": f"edge-{place}", "extensions": [{"name": "greeter", "health": "healthy", "version": "1.0.0"}]}
        for place in range(50)
    ]
    data = data_of(as_page(fleet_status(alike, "Operators", None)))
    assert len(data["rows"]) == 1
    assert [cluster["cells"] for cluster in data["clusters"]] == [[0]] * 50


def test_one_name_with_two_engines_has_two_columns() -> None:
    both = [{"name": "greeter", "engine": engine, "health": "healthy"} for engine in ("direct", "olm")]
    data = data_of(as_page(fleet_status([{"name": "edge", "extensions": both}], "Operators", None)))
    assert data["columns"] == ["greeter", "greeter (olm)"]


def test_the_page_asks_for_nothing() -> None:
    page = as_page(REPORT)
    assert re.findall(r"""(?:src|href)=["'](?!#)[^"']*|https?://[^"'\s<]*|@import|url\([^)]*\)""", page) == []
