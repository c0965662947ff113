# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as people see it in diff mode."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.direct.diff import plan_diff
from ansible_collections.fleet.olm.plugins.module_utils.direct.differences import differences
from ansible_collections.fleet.olm.plugins.module_utils.direct.plan import Plan, Step

SECRETS = Collection("", "v1", "secrets", "Secret", "ns")
DEFINITIONS = Collection("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition")


def secret(value: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}, "data": {"password": value}}


def shown(step: Step) -> str:
    return str([plan_diff(Plan((step,))), Plan((step,)).told()])


def test_the_contents_of_secrets_are_hidden_whatever_happens_to_them() -> None:
    key = ObjectKey(SECRETS, "one")
    changes = differences(secret("b25l"), secret("dHdv"))
    for step in (Step("create", key, secret("b25l")), Step("update", key, secret("dHdv"), fields=changes)):
        assert "(hidden)" in str(plan_diff(Plan((step,))))
        assert "b25l" not in shown(step)
        assert "dHdv" not in shown(step)


def test_what_stays_does_not_appear() -> None:
    key = ObjectKey(SECRETS, "one")
    assert plan_diff(Plan((Step("keep", key), Step("retain", key)))) == []


def test_fields_that_change_are_lines_on_both_sides() -> None:
    before = {"kind": "ConfigMap", "data": {"a": "1", "b": "2"}}
    after = {"kind": "ConfigMap", "data": {"a": "1", "b": "3", "c": {"d": [1]}}}
    step = Step("update", ObjectKey(SECRETS, "one"), after, fields=differences(before, after), why="it drifted")
    (diff,) = plan_diff(Plan((step,)))
    assert diff["before_header"] == "Secret ns/one: update (it drifted)"
    assert diff["before"] == "data.b: 2\n"
    assert diff["after"].startswith("data.b: 3\ndata.c: ")


def test_schemas_of_crds_are_left_out() -> None:
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "x"}}
    crd["spec"] = {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"description": "long"}}}]}
    (diff,) = plan_diff(Plan((Step("create", ObjectKey(DEFINITIONS, "x"), crd),)))
    assert "name: v1" in diff["after"]
    assert "long" not in diff["after"]
