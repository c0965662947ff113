# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How objects are merged."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param(
            {"type": "object"},
            {"type": "object", "x-kubernetes-map-type": "atomic"},
            {"": "harmless"},
            id="as one value",
        ),
        pytest.param(
            {"type": "object", "x-kubernetes-map-type": "atomic"},
            {"type": "object", "x-kubernetes-map-type": "granular"},
            {"": "harmless"},
            id="field by field",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("map_type", given, when) == then
