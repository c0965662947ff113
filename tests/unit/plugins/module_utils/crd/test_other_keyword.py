# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keywords that Kubernetes does not know."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({}, {"x-descriptors": ["a"]}, {"": "harmless"}, id="added"),
        pytest.param({}, {"x-descriptors": ["a"], "maximum": 1}, {"": "harmless"}, id="beside one that it knows"),
        pytest.param({}, {"x-kubernetes-something": 1}, {"": "harmless"}, id="a new extension"),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("other_keyword", given, when) == then
