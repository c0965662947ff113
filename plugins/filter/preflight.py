# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: preflight
short_description: What stands in the way of a fleet, out of what its clusters answered
version_added: 0.1.0
description:
  - Puts together what M(fleet.olm.fleet_extensions) returned in check mode on every cluster, and what M(fleet.olm.fleet_lock) found.
    What is the same on several clusters is told once.
  - It is a filter because results of a thousand clusters would have to be copied to get into a module.
positional: lock
options:
  _input:
    description: The results of M(fleet.olm.fleet_extensions), by cluster.
    type: dict
    required: true
  lock:
    description: The result of M(fleet.olm.fleet_lock).
    type: dict
    required: true
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Say what would happen
  ansible.builtin.debug:
    msg: "{{ (dict(ansible_play_hosts_all | zip(ansible_play_hosts_all | map('extract', hostvars, 'plan'))) | fleet.olm.preflight(lock)).summary }}"
"""

RETURN = r"""
_value:
  description: C(problems) and C(summary), lines each, and C(changing), the clusters where something would change.
  type: dict
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.fleet.preflight import preflight_told


def preflight(plans: Mapping[str, Any], lock: Mapping[str, Any]) -> dict[str, Any]:
    return preflight_told(plans, lock)


class FilterModule:
    """The filters of this file, for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"preflight": preflight}
