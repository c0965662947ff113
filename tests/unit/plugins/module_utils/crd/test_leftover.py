# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keywords of JSON Schema that mean nothing in a CRD."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"$ref": "y"}, {"": "harmless"}, id="$ref"),
        pytest.param({}, {"$schema": "y"}, {"": "harmless"}, id="$schema"),
        pytest.param({}, {"id": "y"}, {"": "harmless"}, id="id"),
        pytest.param({}, {"definitions": "y"}, {"": "harmless"}, id="definitions"),
        pytest.param({}, {"patternProperties": "y"}, {"": "harmless"}, id="patternProperties"),
        pytest.param({}, {"dependencies": "y"}, {"": "harmless"}, id="dependencies"),
        pytest.param({}, {"readOnly": "y"}, {"": "harmless"}, id="readOnly"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("leftover", given, when) == then
