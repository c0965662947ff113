# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules in CEL."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
            {"": "tightening"},
            id="added",
        ),
        pytest.param(
            {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
            {"type": "string"},
            {"": "harmless"},
            id="removed",
        ),
        pytest.param(
            {"type": "string", "x-kubernetes-validations": [{"rule": "a", "message": "x"}]},
            {"type": "string", "x-kubernetes-validations": [{"rule": "a", "message": "y"}]},
            {"": "harmless"},
            id="another message",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
            {"": "tightening"},
            id="about changes only",
        ),
        pytest.param(
            {"type": "string", "x-kubernetes-validations": [{"rule": "a"}, {"rule": "b"}]},
            {"type": "string", "x-kubernetes-validations": [{"rule": "b"}, {"rule": "a"}]},
            {"": "harmless"},
            id="another order",
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "x-kubernetes-validations": "a"}, {"": "harmless"}, id="no list"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("validation_rules", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
            "a",
            "undecided",
            id="only an API server can tell",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "self != ''"}]},
            None,
            "unaffected",
            id="nothing there to break it",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
            "a",
            "unaffected",
            id="no object breaks it as it stands",
        ),
        pytest.param(
            {"type": "string"},
            {"type": "string", "x-kubernetes-validations": [{"rule": "oldSelf.hasValue()", "optionalOldSelf": True}]},
            "a",
            "undecided",
            id="applied to new objects too",
        ),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("validation_rules", given, when, value) == then
