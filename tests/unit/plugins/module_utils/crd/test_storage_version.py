# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects are written in another version from now on."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import (
    by_rule,
    crd,
    version,
    widget,
    worst_effect,
)


def spec_of(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", **fields}}}


FULL = spec_of(properties={"field": {"type": "integer"}})
MORE = spec_of(properties={"field": {"type": "integer"}, "other": {"type": "integer"}})
BARE = spec_of()
KEEPS = spec_of(**{"x-kubernetes-preserve-unknown-fields": True})
MAP = spec_of(additionalProperties={"type": "integer"})


def stored_in(name: str, beta: Any, stable: Any, **spec: Any) -> dict[str, Any]:
    return crd(
        *(version(each, schema, storage=each == name) for each, schema in (("v1beta1", beta), ("v1", stable))), **spec
    )


@pytest.mark.parametrize(
    ("beta", "stable", "conversion", "then"),
    [
        pytest.param(FULL, FULL, {}, "harmless", id="equal"),
        pytest.param(FULL, MORE, {}, "harmless", id="knows more"),
        pytest.param(MORE, FULL, {}, "losing", id="knows less"),
        pytest.param(MORE, FULL, {"strategy": "Webhook"}, "harmless", id="knows less, but converted"),
        pytest.param(FULL, KEEPS, {}, "harmless", id="keeps all"),
        pytest.param(KEEPS, FULL, {}, "losing", id="keeps all no longer"),
        pytest.param(FULL, MAP, {}, "harmless", id="a map of the same"),
        pytest.param(MAP, FULL, {}, "losing", id="a map no longer"),
        pytest.param(FULL, None, {}, "harmless", id="no schema"),
    ],
)
def test_how_much_it_matters(beta: Any, stable: Any, conversion: Any, then: str) -> None:
    old = stored_in("v1beta1", beta, stable, conversion=conversion)
    new = stored_in("v1", beta, stable, conversion=conversion)
    assert [change.severity for change in by_rule("storage_version", compare_crds(old, new))] == [then]


def test_it_hurts_objects_with_fields_that_the_new_one_does_not_know() -> None:
    changes = compare_crds(stored_in("v1beta1", FULL, BARE), stored_in("v1", FULL, BARE))
    assert worst_effect(by_rule("storage_version", changes), widget(1)) == "affected"
    assert worst_effect(by_rule("storage_version", changes), {"spec": {}}) == "unaffected"
