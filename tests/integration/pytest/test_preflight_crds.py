# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRD safety against live custom resources on a real API server."""

from __future__ import annotations

import itertools
import json
import urllib.error
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster import client as client_module
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.preflight.crd_safety import CrdReport, Mode, crd_problems
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.wait import wait_for

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
_numbers = itertools.count(1)


class Widgets:
    """A CRD of its own for one test, and custom resources of it."""

    def __init__(self, cluster: Cluster, namespace: str, **fields: Any) -> None:
        self.cluster, self.namespace = cluster, namespace
        self.group = f"g{next(_numbers)}.safety.example.com"
        self.name = f"widgets.{self.group}"
        self.desired = self.crd(**fields)
        cluster.request("POST", CRDS, self.desired)
        wait_for(self._is_served)

    def _is_served(self) -> bool:
        try:
            self.cluster.request("GET", f"/apis/{self.group}/v1/widgets")
        except urllib.error.HTTPError as error:
            # Not served yet, or its storage is being prepared.
            if error.code not in (404, 429):
                raise
            return False
        return True

    def crd(self, **fields: Any) -> dict[str, Any]:
        return minimal_crd(self.group, "widgets", "Widget", scope="Namespaced", **fields)

    def changed(self, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        crd: dict[str, Any] = json.loads(json.dumps(self.desired))
        change(crd)
        return crd

    def requiring(self, *fields: str) -> dict[str, Any]:
        return self.changed(lambda crd: _spec(crd).update(required=list(fields)))

    def add(self, name: str, **spec: Any) -> None:
        content = {"apiVersion": f"{self.group}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec}
        self.cluster.request("POST", f"/apis/{self.group}/v1/namespaces/{self.namespace}/widgets", content)

    def update(self, change: Callable[[dict[str, Any]], None]) -> None:
        live = self.cluster.request("GET", f"{CRDS}/{self.name}")
        change(live)
        self.cluster.request("PUT", f"{CRDS}/{self.name}", live)


def _spec(crd: dict[str, Any], version: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = crd["spec"]["versions"][version]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return found


@pytest.fixture
def widgets(cluster: Cluster, namespace: str) -> Iterator[Widgets]:
    made = Widgets(cluster, namespace, color=TEXT, size=NUMBER)
    yield made
    cluster.request("DELETE", f"{CRDS}/{made.name}")


def judged(
    cluster: Cluster, desired: dict[str, Any], mode: Mode = "live", user: str = "admin"
) -> tuple[CrdReport, int]:
    with Client(connection_to(cluster, user)) as client:
        return crd_problems(client, [desired], mode), client.requests


def test_a_crd_that_is_not_there_or_the_same_costs_one_request(cluster: Cluster, widgets: Widgets) -> None:
    unknown = minimal_crd("unknown.example.com", "things", "Thing")
    assert judged(cluster, unknown) == (CrdReport(), 1)
    assert judged(cluster, widgets.desired) == (CrdReport(), 1)


def test_a_field_that_becomes_required_hurts_those_that_lack_it(cluster: Cluster, widgets: Widgets) -> None:
    widgets.add("plain", size=1)
    widgets.add("red", color="red")
    report, requests = judged(cluster, widgets.requiring("color"))
    assert requests == 2
    assert len(report.problems) == 1
    assert report.problems[0].startswith(f"CRD {widgets.name}, v1 spec")
    assert report.problems[0].endswith(f", which hurts {widgets.namespace}/plain")


def test_no_custom_resource_no_problem(cluster: Cluster, widgets: Widgets) -> None:
    assert judged(cluster, widgets.requiring("color"))[0] == CrdReport(
        notes=(f"CRD {widgets.name}: 1 change that could matter, no custom resource is affected (0 looked at)",)
    )
    widgets.add("red", color="red", size=1)
    assert judged(cluster, widgets.requiring("color", "size"))[0].notes == (
        f"CRD {widgets.name}: 2 changes that could matter, no custom resource is affected (1 looked at)",
    )


def test_the_modes(cluster: Cluster, widgets: Widgets) -> None:
    wanted = widgets.requiring("color")
    strict, requests = judged(cluster, wanted, "strict")
    assert (len(strict.problems), requests) == (1, 1)
    widgets.add("plain")
    live, _requests = judged(cluster, wanted, "live")
    warned, _requests = judged(cluster, wanted, "warn")
    assert (warned.warnings, warned.problems) == (live.problems, ())
    assert judged(cluster, wanted, "off") == (CrdReport(), 0)


def test_many_are_counted_and_five_named(cluster: Cluster, widgets: Widgets, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        widgets.add(f"plain-{number}")
    wanted = widgets.requiring("color")
    assert judged(cluster, wanted)[0].problems[0].endswith(f"{widgets.namespace}/plain-4 and 4 more")

    monkeypatch.setattr(client_module, "PAGE", 3)
    report, requests = judged(cluster, wanted)
    assert report.problems[0].endswith(f"{widgets.namespace}/plain-4 and at least 1 more")
    assert requests == 1 + 2


def test_every_page_is_looked_at(cluster: Cluster, widgets: Widgets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "PAGE", 2)
    for number in range(6):
        widgets.add(f"red-{number}", color="red")
    widgets.add("unpainted")
    report, requests = judged(cluster, widgets.requiring("color"))
    assert report.problems[0].endswith(f"which hurts {widgets.namespace}/unpainted")
    assert requests == 1 + 4


def _expired() -> Answer:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410}
    body = json.dumps({**status, "message": "The provided continue parameter is too old"}).encode()
    return Answer(410, body, {"Content-Type": "application/json"})


@pytest.mark.parametrize(("times", "cured"), [(1, True), (2, True), (3, False)])
def test_a_list_that_expired_is_begun_again(
    widgets: Widgets,
    proxy: FaultProxy,
    client_through_proxy: Callable[..., Client],
    monkeypatch: pytest.MonkeyPatch,
    times: int,
    cured: bool,
) -> None:
    monkeypatch.setattr(client_module, "PAGE", 2)
    for number in range(5):
        widgets.add(f"plain-{number}")
    proxy.on("GET", ".*continue=.*", _expired(), times=times)
    problems = crd_problems(client_through_proxy(), [widgets.requiring("color")], "live").problems
    assert len(problems) == 1
    assert (problems[0].count("plain-") == 5) is cured
    assert ("cannot be read in version v1" in problems[0]) is not cured


def test_where_custom_resources_cannot_be_listed_the_static_verdict_stands(
    cluster: Cluster, widgets: Widgets, namespace: str
) -> None:
    rule = {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get"]}
    rbac, group = "/apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io"
    cluster.request("POST", f"{rbac}/clusterroles", {"metadata": {"name": namespace}, "rules": [rule]})
    cluster.request(
        "POST",
        f"{rbac}/clusterrolebindings",
        {
            "metadata": {"name": namespace},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": namespace},
            "subjects": [{"apiGroup": group, "kind": "User", "name": LIMITED}],
        },
    )
    why = f"we may not list {widgets.name} in all namespaces, so none was looked at"
    try:
        wait_for(lambda: why in "".join(judged(cluster, widgets.requiring("color"), user=LIMITED)[0].problems))
    finally:
        cluster.request("DELETE", f"{rbac}/clusterrolebindings/{namespace}")
        cluster.request("DELETE", f"{rbac}/clusterroles/{namespace}")
    wait_for(lambda: "we may not read it" in "".join(judged(cluster, widgets.desired, user=LIMITED)[0].problems))


def test_going_back_loses_fields_that_are_used(cluster: Cluster, widgets: Widgets) -> None:
    older = widgets.crd(color=TEXT)
    widgets.add("small", color="red")
    assert judged(cluster, older)[0].problems == ()
    widgets.add("large", size=9)
    problems = judged(cluster, older)[0].problems
    assert len(problems) == 1
    assert problems[0].endswith(f"which hurts {widgets.namespace}/large")


def test_what_only_an_api_server_can_judge_is_said_to_be_so(cluster: Cluster, widgets: Widgets) -> None:
    widgets.add("large", size=9)
    rules = [{"rule": "self.size < 5", "message": "too large"}]
    wanted = widgets.changed(lambda crd: _spec(crd).update({"x-kubernetes-validations": rules}))
    problems = judged(cluster, wanted)[0].problems
    assert problems[0].endswith(f"which only the API server could judge for {widgets.namespace}/large")


def _second_version(crd: dict[str, Any]) -> None:
    first = crd["spec"]["versions"][0]
    crd["spec"]["versions"] = [first, {**json.loads(json.dumps(first)), "name": "v2", "storage": False}]


def test_a_stored_version_that_goes_away_is_refused_with_what_to_do(cluster: Cluster, widgets: Widgets) -> None:
    wanted = widgets.changed(lambda crd: crd["spec"]["versions"][0].update(name="v2"))
    for mode in ("live", "warn", "strict"):
        problems = judged(cluster, wanted, mode)[0].problems  # type: ignore[arg-type]
        assert "version v1, in which objects are stored, is removed" in problems[0]
        assert "; first make another version than v1 the storage version, then migrate the storage" in problems[0]
    with pytest.raises(urllib.error.HTTPError, match="422"):
        widgets.update(lambda crd: crd["spec"].update(versions=wanted["spec"]["versions"]))


def test_a_conversion_webhook_that_is_down_is_named(cluster: Cluster, widgets: Widgets) -> None:
    widgets.add("one", size=1)

    def with_webhook(crd: dict[str, Any]) -> None:
        _second_version(crd)
        service = {"namespace": "nowhere", "name": "converter", "path": "/convert"}
        crd["spec"]["conversion"] = {
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}},
        }

    widgets.update(with_webhook)
    wanted = widgets.changed(with_webhook)
    _spec(wanted, 1)["required"] = ["color"]

    def told() -> str:
        return "\n".join(judged(cluster, wanted)[0].problems)

    wait_for(lambda: "cannot be read in version v2" in told())
    assert "see that the conversion webhook (Service nowhere/converter) answers" in told()
    assert len(told().splitlines()) == 1
