# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: waves
short_description: Clusters in waves, for C(serial)
version_added: 0.1.0
description:
  - Puts clusters into waves, which a play with C(serial) goes through one after the other. It is a filter and no module because
    C(hosts) and C(serial) of a play take nothing but expressions.
positional: groups
options:
  _input:
    description: The clusters.
    type: list
    elements: str
    required: true
  groups:
    description: The groups of the inventory, as the variable C(groups) has them.
    type: dict
    required: true
  waves:
    description:
      - One wave for each. A wave is the name of a group or a cluster, a list of those, or a number of clusters that are taken in
        their order. What no wave takes comes last.
    type: raw
  canary:
    description: A cluster or group to begin with, or several, as a list or with commas.
    type: raw
  partial:
    description: Whether O(groups) are those of a part of the fleet, as where its inventory was sliced. A group or cluster that is not there is then no mistake.
    type: bool
    default: false
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Change the clusters of one group, then those of another, then all others
  hosts: "{{ query('ansible.builtin.inventory_hostnames', 'all') | fleet.olm.waves(groups, waves=['edge', 'prod']) | flatten }}"
  serial: "{{ query('ansible.builtin.inventory_hostnames', 'all') | fleet.olm.waves(groups, waves=['edge', 'prod']) | map('length') | list }}"
"""

RETURN = r"""
_value:
  description: The waves, each a list of clusters; none is empty.
  type: list
  elements: list
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.fleet.waves import wave_list


def waves(
    clusters: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    waves: Any = None,
    canary: Any = None,
    partial: Any = False,
) -> list[list[str]]:
    try:
        return wave_list(clusters, groups, waves, canary, partial=boolean(partial))
    except FleetError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """The filters of this file, for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"waves": waves}
