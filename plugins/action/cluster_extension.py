# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import importlib

from ansible_collections.fleet.olm.plugins.modules import cluster_extension
from ansible_collections.fleet.olm.plugins.plugin_utils.in_process import InProcessAction

# The module imports it only where it is needed. Here it is imported by the parent of all workers, so that none of them has to.
importlib.import_module("ansible_collections.fleet.olm.plugins.module_utils.extension.validate")


class ActionModule(InProcessAction):
    """cluster_extension, in-process."""

    PROGRAM = cluster_extension.PROGRAM
