# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The 37 scenarios that were recorded of the real operator-controller and catalogd, one after the other, through the modules.

What the modules return is in the table, and how long they may take. Where the recording is at hand, the states that the object goes through and what
it is in the end are compared with it as well, so that the program that plays operator-controller's part is held to it.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
import urllib.error
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.errors import ClusterError
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers
from ansible_collections.fleet.olm.tests.rig.olm_definitions import RECORDED, add_olm
from ansible_collections.fleet.olm.tests.rig.olm_rules import GATES
from ansible_collections.fleet.olm.tests.rig.olm_samples import CATALOG, recorded_shelf
from ansible_collections.fleet.olm.tests.rig.operator_controller import OperatorController
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

EXTENSION, CATALOGS = "cluster_extension", "cluster_catalog"
API = "/apis/olm.operatorframework.io/v1"
GRACE = 1
# What a module start, a busy machine and the controller may take.
SLACK = 20.0


@dataclass(frozen=True)
class Scenario:
    """What is asked of a module and what it says. `fails` at once, or where `stuck` after the grace; `version` is what is installed then."""

    name: str
    options: dict[str, Any]
    module: str = EXTENSION
    fails: str = ""
    advice: str = ""
    stuck: bool = False
    changed: bool = True
    version: str | None = None
    warns: str = ""
    check: bool = False
    gates: bool = True
    before: tuple[str, str, dict[str, Any]] | None = field(default=None)


def widgets(version: str, config: Any = None, **more: Any) -> dict[str, Any]:
    options = {"name": "widgets", "namespace": "widgets-system", "package": "widgets", "version": version, **more}
    return {**options, "config": config} if config is not None else options


def gadgets(
    config: Any = None, name: str = "gadgets", namespace: str = "gadgets-system", **more: Any
) -> dict[str, Any]:
    options = {"name": name, "namespace": namespace, "package": "gadgets", **more}
    return {**options, "config": config} if config is not None else options


def gone(name: str) -> dict[str, Any]:
    return {"name": name, "state": "absent"}


OLD = "the bundle is deprecated: widgets.v1.0.0 is no longer maintained"
DEBUG = {"deploymentConfig": {"env": [{"name": "LOG", "value": "debug"}]}}
OWN = {"watchNamespace": "widgets-system"}
LOST = gadgets({"watchNamespace": "not-there"}, name="lost", namespace="not-there", validate="false")
DEMO = {"name": "demo", "image": CATALOG, "poll_interval_minutes": 10}
INVALID = "Progressing is False (InvalidConfiguration): "
RETRYING = "Progressing is True (Retrying): "
NO_UPGRADE = "set upgrade_constraint_policy: SelfCertified"
NOT_OURS = "belongs to somebody else; remove it there, or hand it over with adopt_from: direct"

SCENARIOS = (
    Scenario("catalog created, serving", DEMO, CATALOGS),
    Scenario("install, pinned version (deprecated bundle)", widgets("1.0.0"), version="1.0.0", warns=OLD),
    Scenario("upgrade by version", widgets("1.1.0"), version="1.1.0"),
    Scenario("configuration: watchNamespace set", widgets("1.1.0", {"watchNamespace": "team-a"}), version="1.1.0"),
    Scenario(
        "configuration: deploymentConfig added",
        widgets("1.1.0", {"watchNamespace": "team-a", **DEBUG}),
        version="1.1.0",
    ),
    Scenario(
        "configuration: unknown key",
        widgets("1.1.0", {"watchNamespaces": "team-a"}),
        fails=f"{INVALID}error for resolved bundle",
    ),
    Scenario(
        "configuration: wrong type",
        widgets("1.1.0", {"watchNamespace": 1}),
        fails='invalid type for field "watchNamespace": got number, want string',
    ),
    Scenario("configuration corrected", widgets("1.1.0", OWN), version="1.1.0"),
    Scenario(
        "upgrade blocked by the CRD safety check",
        widgets("2.0.0", OWN),
        fails='validating upgrade for CRD "widgets.example.com": existingFieldRemoval: removed field : v1.^.spec.color',
        advice="set crd_upgrade_safety: none",
        stuck=True,
    ),
    Scenario(
        "downgrade refused by the catalog graph",
        widgets("1.0.0", OWN),
        fails='error upgrading from currently installed version "1.1.0"',
        advice=NO_UPGRADE,
        stuck=True,
    ),
    Scenario(
        "downgrade with SelfCertified",
        widgets("1.0.0", OWN, upgrade_constraint_policy="SelfCertified"),
        version="1.0.0",
        warns=OLD,
    ),
    Scenario(
        "version that no bundle has",
        widgets("9.9.9"),
        fails='no bundles found for package "widgets" matching version "9.9.9"',
        advice=NO_UPGRADE,
        stuck=True,
    ),
    Scenario(
        "version range that does not parse",
        widgets("banana"),
        fails="version: Invalid value: ",
        changed=False,
        advice="invalid version expression",
    ),
    Scenario(
        "namespace changed (immutable)",
        {**widgets("1.0.0"), "namespace": "team-a"},
        fails="namespace: it cannot be changed to team-a once the extension is there",
        advice="remove the extension with state: absent, which keeps CRDs and custom resources, and create it again",
        changed=False,
    ),
    Scenario(
        "OwnNamespace only, no configuration",
        gadgets(),
        fails='required field "watchNamespace" is missing',
        advice="say in config which one to watch",
    ),
    Scenario(
        "OwnNamespace only, wrong namespace",
        gadgets({"watchNamespace": "team-a"}),
        fails="this operator only supports OwnNamespace install mode",
    ),
    Scenario("OwnNamespace only, right namespace", gadgets({"watchNamespace": "gadgets-system"}), version="1.0.0"),
    Scenario(
        "package in no catalog",
        {"name": "nothing", "namespace": "gadgets-system", "package": "nothing"},
        fails=f'{RETRYING}no bundles found for package "nothing"',
        advice="look what there is with cluster_catalog_info",
        stuck=True,
    ),
    Scenario(
        "objects that another extension owns",
        LOST,
        fails="cannot be managed by operator-controller",
        advice=NOT_OURS,
        stuck=True,
    ),
    Scenario(
        "same package twice",
        {**widgets("1.1.0"), "name": "twin", "namespace": "team-a"},
        fails="CustomResourceDefinition 'widgets.example.com' already exists",
        advice=NOT_OURS,
        stuck=True,
    ),
    Scenario(
        "inline configuration is not an object",
        gadgets(True, name="scalar"),
        fails="invalid type got boolean expected object",
        changed=False,
    ),
    # To us, no configuration is no configuration: it is left out of the object.
    Scenario("inline configuration is empty", gadgets({}, name="empty"), check=True),
    Scenario("delete twin", gone("twin")),
    Scenario("delete lost", gone("lost")),
    Scenario("delete nothing", gone("nothing")),
    Scenario("delete gadgets", gone("gadgets")),
    Scenario("delete installed extension", gone("widgets")),
    Scenario(
        "install namespace does not exist",
        LOST,
        fails='namespaces "not-there" not found',
        advice="create namespace not-there, or set create_namespace: true",
        stuck=True,
    ),
    Scenario(
        "install namespace created afterwards",
        LOST,
        version="1.0.0",
        before=("POST", "/api/v1/namespaces", {"metadata": {"name": "not-there"}}),
    ),
    Scenario("delete lost again", gone("lost")),
    Scenario("catalog switched off", {**DEMO, "availability_mode": "Unavailable"}, CATALOGS),
    Scenario(
        "catalog image that does not exist",
        {"name": "broken", "image": "127.0.0.1:15000/absent:1"},
        CATALOGS,
        fails="reading manifest 1 in 127.0.0.1:15000/absent: manifest unknown",
        advice="there is no such image; check image",
        stuck=True,
    ),
    Scenario("delete catalog demo", gone("demo"), CATALOGS),
    Scenario("delete catalog broken", gone("broken"), CATALOGS),
    Scenario(
        "feature gates off: OwnNamespace only, right namespace",
        gadgets({"watchNamespace": "gadgets-system"}),
        fails="bundle does not support AllNamespaces install mode",
        advice="--feature-gates=SingleOwnNamespaceInstallSupport=true",
        stuck=True,
        gates=False,
    ),
    Scenario(
        "feature gates off: OwnNamespace only, no configuration",
        gadgets(name="gadgets2"),
        fails="bundle does not support AllNamespaces install mode",
        advice="--feature-gates=SingleOwnNamespaceInstallSupport=true",
        stuck=True,
        gates=False,
    ),
    Scenario(
        "feature gates off: all namespaces, deploymentConfig",
        widgets("1.1.0", DEBUG),
        fails='unknown field "deploymentConfig"',
        advice="--feature-gates=DeploymentConfig=true",
        gates=False,
    ),
)


class Stage:
    """A cluster with OLM v1 on it. `states` are those that its objects went through, by kind and name."""

    def __init__(self, server: Cluster, controllers: Controllers, olm: OperatorController) -> None:
        self.server, self._controllers, self.olm = server, controllers, olm
        self.states: dict[tuple[str, str], list[Any]] = {}
        for plural in ("clusterextensions", "clustercatalogs"):
            # It ends with the cluster.
            threading.Thread(target=self._watch, args=(plural,), daemon=True).start()
        self._reach = {"host": server.url, "api_key": server.tokens[ADMIN], "ca_cert": str(server.ca_file)}

    def run(self, module: str, options: dict[str, Any], *, check: bool = False) -> dict[str, Any]:
        grace = {"retry_grace": GRACE, "wait_timeout": 30}
        return self._controllers.run(module, {**self._reach, **grace, **options}, check=check)

    def _watch(self, plural: str) -> None:
        with Client(connection_to(self.server)) as client, suppress(ClusterError):
            for event in client.watch(f"{API}/{plural}", seconds=3600):
                content = event["object"]
                for item in content.get("items", []) if event["type"] == "LISTED" else [content]:
                    name = item["metadata"].get("name")
                    if event["type"] != "BOOKMARK":
                        state = None if event["type"] == "DELETED" else state_of(item)
                        self.states.setdefault((plural, name), []).append(state)

    def object(self, path: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self.server.request("GET", path)
        except urllib.error.HTTPError:
            return None
        return found


@pytest.fixture(scope="module")
def stage(rig: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    server = rig.add_cluster("scenarios", full=True)
    add_olm(server)
    for name in ("widgets-system", "gadgets-system", "team-a", "olmv1-system"):
        server.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    shelf = recorded_shelf(tmp_path_factory.mktemp("shelf"))
    with Controllers() as controllers, OperatorController(connection_to(server), shelf) as olm:
        yield Stage(server, controllers, olm)
    rig.remove_cluster("scenarios")


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    path = RECORDED / "transcripts.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {item["scenario"]: item for item in map(json.loads, lines)}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario(scenario: Scenario, stage: Stage, recorded: dict[str, Any]) -> None:
    if not scenario.gates and stage.olm.gates:
        stage.olm.gates = frozenset()
        assert not stage.run(CATALOGS, DEMO).get("failed")
    recording = recorded.get(scenario.name, {"answer": {"status": 200}, "states": []})
    place = place_of(recording)
    # Where it stands before the request is a state of the recording, too.
    begin = max(len(stage.states.get(place, ())) - 1, 0)
    if scenario.before:
        stage.server.request(*scenario.before)
    started = time.monotonic()
    result = stage.run(scenario.module, scenario.options, check=scenario.check)
    took = time.monotonic() - started
    assert bool(result.get("failed")) == bool(scenario.fails), result
    assert result["changed"] == scenario.changed, result
    if scenario.fails:
        assert scenario.fails in result["msg"]
        assert scenario.advice in result["msg"]
        assert "\n" not in result["msg"]
        assert (f"was given {GRACE} s" in result["msg"]) == scenario.stuck
    else:
        version = (result.get("bundle") or {}).get("version")
        assert scenario.check or version == scenario.version
        assert scenario.warns in " ".join(result.get("warnings", [])), result.get("warnings")
    assert took < SLACK + (GRACE if scenario.stuck else 0)
    compare(recording, stage)
    if recording["states"]:
        expected = [state_of(state["object"]) for state in recording["states"]]
        wait_for(lambda: goes_through(stage.states[place][begin:], expected))


def place_of(recording: dict[str, Any]) -> tuple[str, str]:
    objects = [state["object"] for state in recording["states"] if state["object"]]
    if not objects:
        return "", ""
    plural = "clustercatalogs" if objects[0]["kind"] == "ClusterCatalog" else "clusterextensions"
    return plural, objects[0]["metadata"]["name"]


def state_of(content: dict[str, Any] | None) -> Any:
    """What a wait decides on."""
    if content is None:
        return None
    conditions = {
        item["type"]: (item["status"], item["reason"], item["observedGeneration"])
        for item in content.get("status", {}).get("conditions", ())
    }
    return content["metadata"]["generation"], conditions


def goes_through(states: list[Any], expected: list[Any]) -> bool:
    """Whether states contain the expected ones, in their order. A recording is made of looks now and then, a watch misses nothing."""
    left = iter(states)
    return all(any(state == wanted for state in left) for wanted, _repeated in itertools.groupby(expected))


def compare(recording: dict[str, Any], stage: Stage) -> None:
    """The object is as the real operator-controller left it, but for what no two runs have in common."""
    answer, states = recording["answer"], recording["states"]
    if answer["status"] >= 400:
        request = recording["request"]
        with pytest.raises(urllib.error.HTTPError) as caught:
            stage.server.request(request["method"], request["path"], request["body"], request["contentType"])
        assert caught.value.code == answer["status"]
        assert json.loads(caught.value.read())["message"] == answer["message"]
    if not states:
        return
    plural, name = place_of(recording)
    assert comparable(stage.object(f"{API}/{plural}/{name}")) == comparable(states[-1]["object"])


def comparable(content: dict[str, Any] | None) -> Any:
    if content is None:
        return None
    status = content.get("status") or {}
    conditions = {
        item["type"]: (item["status"], item["reason"], plain(item["message"]), item["observedGeneration"])
        for item in status.get("conditions", ())
    }
    metadata = content["metadata"]
    return {
        "generation": metadata["generation"],
        "finalizers": sorted(metadata.get("finalizers", ())),
        "spec": content["spec"],
        "conditions": conditions,
        "install": status.get("install"),
        "served": plain(str((status.get("resolvedSource") or {}).get("image"))),
    }


def plain(message: str) -> str:
    """Digests differ, and so does the name of a role that is made from one."""
    return re.sub(r"ClusterRole '[^']+'", "ClusterRole", re.sub(r"sha256:[0-9a-f]+", "sha256", message))


def test_what_was_given_up_is_looked_at_again_when_its_cause_is_gone(stage: Stage) -> None:
    stage.olm.gates, stage.olm.retries = GATES, False
    assert not stage.run(CATALOGS, DEMO).get("failed")
    nowhere = gadgets({"watchNamespace": "comes-later"}, name="again", namespace="comes-later", validate="false")
    assert "create namespace comes-later" in stage.run(EXTENSION, nowhere)["msg"]
    predicted = stage.run(EXTENSION, {**nowhere, "create_namespace": True}, check=True)
    found = stage.run(EXTENSION, {**nowhere, "create_namespace": True})
    assert found["bundle"]["version"] == "1.0.0", found
    assert found["plan"] == predicted["plan"]
    assert found["plan"][-1]["why"] == "its controller gave up or is waiting, and is asked to look again"
    assert not stage.run(EXTENSION, {**nowhere, "create_namespace": True})["changed"]
    stage.run(EXTENSION, gone("again"))
    stage.olm.retries = True


def test_a_wait_in_vain_tells_the_pod_and_the_event_behind_it(stage: Stage) -> None:
    stage.olm.gates, stage.olm.rolls_out = GATES, True
    assert not stage.run(CATALOGS, DEMO).get("failed")
    nowhere = {"deploymentConfig": {"nodeSelector": {"no": "such-node"}}}
    # No pod of an earlier configuration is to serve meanwhile. It may be installed in this very moment, because the gates are on now.
    stage.run(EXTENSION, gone("widgets"))
    assert stage.object("/apis/apps/v1/namespaces/widgets-system/deployments/widgets-operator") is None
    late = stage.run(EXTENSION, {**widgets("1.1.0", nowhere), "validate": "false", "wait_timeout": 5})
    assert re.fullmatch(
        r"ClusterExtension widgets: Progressing is True \(RollingOut\): Revision widgets-1 is rolling out\.; it was waited for 5 s; "
        r"Deployment widgets-system/widgets-operator has 0 of 1 replicas available; pod widgets-operator-\S+ is not scheduled: .*node.*",
        late["msg"],
    ), late["msg"]
    assert late["not_ready"][0]["object"] == "ClusterExtension widgets"
    found = stage.run(EXTENSION, {**widgets("1.1.0"), "validate": "false"})
    assert not found.get("failed"), found
    stage.olm.rolls_out = False


def test_every_recorded_scenario_is_here(recorded: dict[str, Any]) -> None:
    if not recorded:
        pytest.skip(f"{Path('shared/olmv1')} is not beside the checkout: compared with the table only")
    assert [scenario.name for scenario in SCENARIOS] == list(recorded)
