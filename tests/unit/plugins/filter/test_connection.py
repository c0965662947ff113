# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which variables of a host are options of its connection."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.filter.connection import connection


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({"kubeconfig": "/some/path", "context": None, "region": "north"}, {"kubeconfig": "/some/path"}),
        # It may answer by now.
        ({"host": "https://edge", "unreachable_reason": "timeout"}, {"host": "https://edge"}),
        # Without any option a module would work on the cluster of the user's own kubeconfig.
        ({"unreachable_reason": "no Secret"}, {"unreachable_reason": "no Secret"}),
        ({"proxy": "http://p:1", "unreachable_reason": "-"}, {"proxy": "http://p:1", "unreachable_reason": "-"}),
        ({}, {}),
    ],
)
def test_the_options_of_a_cluster(variables: dict[str, Any], options: dict[str, Any]) -> None:
    assert connection(variables) == options
