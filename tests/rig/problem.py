# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one error of the rig."""

from __future__ import annotations


class RigError(Exception):
    """Something the rig could not do; the message is for a person."""
