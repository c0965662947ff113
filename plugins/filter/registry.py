# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: registry
short_description: The options of registries, out of the variables of a cluster
version_added: 0.1.0
description:
  - Picks the variables that are set and named like the options for registries, as V(registry_ca_cert).
  - It is a filter so that C(module_defaults) can set all of them at once.
options:
  _input:
    description: The variables, as C(hostvars[inventory_hostname]) has them.
    type: dict
    required: true
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read bundles with the credentials of each cluster
  hosts: all
  gather_facts: false
  module_defaults:
    group/fleet.olm.registry: "{{ hostvars[inventory_hostname] | fleet.olm.registry }}"
  tasks:
    - name: What is in it?
      fleet.olm.bundle_info:
        source: examples/bundles/greeter
"""

RETURN = r"""
_value:
  description: The options that are set.
  type: dict
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS


def registry(variables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: variables[name] for name in REGISTRY_OPTIONS if name in variables and variables[name] is not None}


class FilterModule:
    """The filters of this file, for Ansible."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"registry": registry}
