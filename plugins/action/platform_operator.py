# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.modules import platform_operator
from ansible_collections.fleet.olm.plugins.plugin_utils.in_process import InProcessAction


class ActionModule(InProcessAction):
    """platform_operator, in-process."""

    PROGRAM = platform_operator.PROGRAM
