# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order in which extensions are worked on."""

from __future__ import annotations

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.order import Place, in_order


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([], ""),
        ([Place("b", 0, ()), Place("a", 0, ())], "b a"),
        ([Place("b", 0, ("a",)), Place("a", 0, ())], "a b"),
        ([Place("b", 2, ()), Place("a", 1, ()), Place("c", 1, ())], "a c b"),
        ([Place("c", 0, ("b",)), Place("b", 0, ("a",)), Place("d", 0, ()), Place("a", 0, ())], "d a b c"),
    ],
)
def test_by_waves_and_needs_else_as_they_stand(places: list[Place], order: str) -> None:
    assert " ".join(places[index].name for index in in_order(places)) == order


def test_a_circle_is_named() -> None:
    with pytest.raises(OptionError, match=r"^needs go in a circle: a needs b needs a$"):
        in_order([Place("x", 0, ()), Place("a", 0, ("b",)), Place("b", 0, ("a", "x"))])
