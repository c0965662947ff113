# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules on all packages of a real catalog, where one is present: listed, drawn, upgraded along, gone back in, and refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.fleet.olm.tests.rig.controller import Controllers

ROOT = Path(__file__).resolve().parents[3]
CATALOG = ROOT.parent / "shared" / "corpus" / "catalog" / "configs"
pytestmark = pytest.mark.skipif(not CATALOG.is_dir(), reason=f"no real catalog at {CATALOG}")
PACKAGES = sorted(path.name for path in CATALOG.iterdir()) if CATALOG.is_dir() else []

# OLM v1 installs no bundle of which this is true.
NEEDS_OTHERS = "it declares a dependency with the property "


@pytest.fixture(scope="module")
def controllers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controllers]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        with Controllers() as running:
            yield running


class Asked:
    """A package of the catalog, asked by the modules."""

    def __init__(self, controllers: Controllers, package: str) -> None:
        self._controllers, self.package = controllers, package
        self.bundles: list[dict[str, Any]] = self.run("catalog_info")["packages"][0]["bundles"]

    def tried(self, module: str, **options: Any) -> dict[str, Any]:
        return self._controllers.run(module, {"catalog": str(CATALOG), "package": self.package, **options})

    def run(self, module: str, **options: Any) -> dict[str, Any]:
        result = self.tried(module, **options)
        assert not result.get("failed"), result
        return result


@pytest.fixture(params=PACKAGES)
def asked(controllers: Controllers, request: pytest.FixtureRequest) -> Asked:
    return Asked(controllers, request.param)


def installed(bundle: dict[str, Any]) -> dict[str, str]:
    return {"name": bundle["name"], "version": bundle["version"]}


def test_the_catalog_is_listed_and_sound(controllers: Controllers) -> None:
    listed = controllers.run("catalog_info", {"catalog": str(CATALOG), "validate": "report", "icon": True})
    assert [package["name"] for package in listed["packages"]] == PACKAGES
    assert [problem for problem in listed["problems"] if problem["severity"] == "error"] == []
    assert all(package["default_channel"] for package in listed["packages"])


def test_every_form_of_the_graph_shows_every_bundle(asked: Asked) -> None:
    marked = installed(asked.bundles[-1])
    graphs = {
        form: asked.run("catalog_info", graph=form, installed=marked)["graph"]
        for form in ("data", "mermaid", "svg", "html")
    }
    nodes = graphs["data"]["nodes"]
    in_channels = {bundle["name"] for bundle in asked.bundles if bundle["channels"]}
    assert {node["name"] for node in nodes if not node["missing"]} == in_channels
    assert graphs["mermaid"].count('["') == len(nodes)
    drawing = ElementTree.fromstring(graphs["svg"])  # noqa: S314 - our own
    titles = {title.text for title in drawing.iter("{http://www.w3.org/2000/svg}title")}
    assert all(any(str(title).startswith(node["name"]) for title in titles) for node in nodes)
    assert graphs["html"].count("<tr") == len(nodes) + 1
    assert [node["name"] for node in nodes if node["installed"]] == [marked["name"]]


def test_every_hop_of_an_upgrade_path_is_what_would_be_installed(asked: Asked) -> None:
    oldest = asked.bundles[-1]
    found = asked.tried("catalog_resolve", upgrade_path=True, installed=installed(oldest))
    if found.get("failed"):
        reasons = (f"no upgrades lead from {oldest['name']} to ", NEEDS_OTHERS)
        assert any(reason in found["msg"] for reason in reasons), found["msg"]
        return
    here = installed(oldest)
    for hop in found["path"]:
        step = asked.run("catalog_resolve", installed=here, version=hop["version"], channels=[hop["channel"]])
        assert (step["bundle"]["name"], step["edges"][0]["edge"]) == (hop["name"], hop["edge"])
        here = {"name": hop["name"], "version": hop["version"]}
    assert here["name"] == found["bundle"]["name"]


def test_every_way_back_is_one_under_its_policy(asked: Asked) -> None:
    newest = installed(asked.bundles[0])
    candidates = asked.tried("catalog_resolve", rollback=True, installed=newest)
    found = candidates["rollback"]
    assert bool(found) != candidates.get("failed", False)
    assert {one["name"] for one in found} <= {bundle["name"] for bundle in asked.bundles[1:]}
    for one in found[:10]:
        back = {"installed": newest, "version": f"={one['version']}"}
        assert asked.run("catalog_resolve", **back, policy=one["policy"])["bundle"]["name"] == one["name"]
        refused = asked.tried("catalog_resolve", **back, policy="CatalogProvided").get("failed", False)
        assert refused == (one["policy"] == "SelfCertified")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"version": "99.x"}, "no version matches"),
        ({"channels": ["no-such"]}, "there is no channel no-such; the package has "),
        ({"version": "not a range"}, "not a range"),
    ],
)
def test_refusals_are_told_in_a_line_with_what_would_work(asked: Asked, options: dict[str, Any], said: str) -> None:
    refused = asked.tried("catalog_resolve", **options)
    assert refused["failed"]
    assert said in refused["msg"]
    assert "\n" not in refused["msg"]
    for change in refused.get("changes", []):
        assert asked.run("catalog_resolve", **{**options, **change["options"]})["bundle"]["name"] == change["bundle"]


def test_a_play_goes_through_the_whole_catalog(tmp_path: Path) -> None:
    given = {"catalog": str(CATALOG)}
    package = {**given, "package": "{{ item.name }}"}
    tasks = [
        {"fleet.olm.catalog_info": given, "register": "listed"},
        {
            "fleet.olm.catalog_info": {
                **package,
                "graph": "html",
                "graph_dest": f"{tmp_path}/{{{{ item.name }}}}.html",
            },
            "loop": "{{ listed.packages }}",
        },
        {
            "fleet.olm.catalog_resolve": package,
            "loop": "{{ listed.packages }}",
            "register": "resolved",
            "ignore_errors": True,
        },
        {
            "ansible.builtin.copy": {
                "dest": f"{tmp_path}/found.json",
                "content": "{{ resolved.results | to_json }}",
                "mode": "0644",
            }
        },
    ]
    play = tmp_path / "play.yml"
    play.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]))
    command = [
        "ansible-playbook",
        "-i",
        "localhost,",
        "-c",
        "local",
        "-e",
        f"ansible_python_interpreter={sys.executable}",
        str(play),
    ]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert [one["item"]["name"] for one in found] == PACKAGES
    assert all(NEEDS_OTHERS in one["msg"] if one["failed"] else one["bundle"]["image"] for one in found)
    assert sorted(path.stem for path in tmp_path.glob("*.html")) == PACKAGES
