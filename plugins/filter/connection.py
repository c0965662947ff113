# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: connection
short_description: The connection options of a cluster, out of its variables
version_added: 0.1.0
description:
  - Picks the variables that are set and named like the connection options of the modules. Inventories made for kubernetes.core, and the
    inventory plugin P(fleet.olm.clusters#inventory), have such variables.
  - It is a filter so that C(module_defaults) can set all of them at once.
  - For a cluster that the inventory plugin found no way to, C(unreachable_reason) is among them, and the modules fail with it. Without any option
    they would work on the cluster that the kubeconfig of the user names.
options:
  _input:
    description: The variables, as C(hostvars[inventory_hostname]) has them.
    type: dict
    required: true
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at every cluster
  hosts: all
  gather_facts: false
  module_defaults:
    group/fleet.olm.cluster: "{{ hostvars[inventory_hostname] | fleet.olm.connection }}"
  tasks:
    - name: What is it?
      fleet.olm.cluster_info:
"""

RETURN = r"""
_value:
  description: The options that are set.
  type: dict
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS


def connection(variables: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: variables[name] for name in CONNECTION_OPTIONS if name in variables and variables[name] is not None}
    if any(found.get(name) for name in ("kubeconfig", "context", "host")):
        # It did not answer when the inventory was read, and may by now.
        found.pop("unreachable_reason", None)
    return found


class FilterModule:
    """The filters of this file, for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"connection": connection}
