# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.modules import fleet_report
from ansible_collections.fleet.olm.plugins.plugin_utils.in_process import InProcessAction


class ActionModule(InProcessAction):
    """fleet_report, in-process."""

    PROGRAM = fleet_report.PROGRAM
