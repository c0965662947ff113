# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.cluster.first_time import get_it_over_with

HANDSHAKE = b"\x16\x03"


def test_it_gets_as_far_as_the_first_message() -> None:
    assert get_it_over_with().startswith(HANDSHAKE)
