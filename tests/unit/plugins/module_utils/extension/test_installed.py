# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a ClusterExtension says is installed."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.extension.installed import installed_bundle

RELEASED = {"version": "1.0.0", "release": "2"}


@pytest.mark.parametrize(
    ("told", "listed", "version"),
    [
        ({"version": "1.0.0"}, ["1.0.0"], "1.0.0"),
        ({"version": "1.0.0+2"}, ["1.0.0+2"], "1.0.0+2"),
        (RELEASED, ["1.0.0+2"], "1.0.0+2"),
        (RELEASED, [], "1.0.0+2"),
        (RELEASED, ["1.0.0"], "1.0.0"),
        ({**RELEASED, "release": ""}, ["1.0.0"], "1.0.0"),
    ],
)
def test_a_release_that_olm_v1_tells_apart_is_read_as_the_catalog_has_it(
    told: dict[str, Any], listed: list[str], version: str
) -> None:
    found = installed_bundle({"status": {"install": {"bundle": {"name": "greeter.v1.0.0", **told}}}}, listed)
    assert found is not None
    assert (found.name, found.version) == ("greeter.v1.0.0", version)


def test_nothing_is_installed_before_olm_v1_says_so() -> None:
    assert installed_bundle({"status": {}}) is None
