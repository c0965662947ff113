# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is there to be read."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"description": "x"}, {"description": "y"}, {"": "harmless"}, id="description"),
        pytest.param({"title": "x"}, {"title": "y"}, {"": "harmless"}, id="title"),
        pytest.param({"example": "x"}, {"example": "y"}, {"": "harmless"}, id="example"),
        pytest.param({"externalDocs": "x"}, {"externalDocs": "y"}, {"": "harmless"}, id="externalDocs"),
        pytest.param(
            {"type": "object", "properties": {"description": {"type": "string"}}},
            {"type": "object", "properties": {"description": {"type": "integer"}}},
            {},
            id="a field of that name is no documentation",
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("documentation", given, when) == then
