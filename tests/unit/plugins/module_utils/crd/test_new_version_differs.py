# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A new version beside others that are served."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import by_rule, crd, version


def limited(maximum: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"size": {"type": "integer", "maximum": maximum, "description": str(maximum)}},
    }


@pytest.mark.parametrize(
    ("maximum", "added", "spec", "then"),
    [
        pytest.param(5, {}, {}, ["size"], id="stricter"),
        pytest.param(20, {}, {}, [], id="looser"),
        pytest.param(5, {"served": False}, {}, [], id="not served"),
        pytest.param(5, {}, {"conversion": {"strategy": "Webhook"}}, [], id="converted"),
    ],
)
def test_it_is_a_note(maximum: int, added: dict[str, Any], spec: dict[str, Any], then: list[str]) -> None:
    old = crd(version("v1", limited(10)), **spec)
    new = crd(version("v1", limited(10)), version("v2", limited(maximum), storage=False, **added), **spec)
    found = by_rule("new_version_differs", compare_crds(old, new))
    assert [change.path for change in found] == then
    assert all(change.severity == "harmless" and change.version == "v2" for change in found)


def test_versions_that_differed_before_are_not_spoken_of() -> None:
    old = crd(version("v1", limited(10)), version("v2", limited(5), storage=False))
    new = crd(version("v1", limited(10)), version("v2", limited(5), storage=False), scope="Cluster")
    assert [change.rule for change in compare_crds(old, new)] == ["scope"]
