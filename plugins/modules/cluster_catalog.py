#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_catalog
short_description: Give a cluster a catalog that OLM v1 installs from, and wait until it is served
version_added: 0.1.0
description:
  - Applies a ClusterCatalog server-side, with a field manager of our own, and waits until catalogd serves the image that it names.
  - An image that is not there, or that catalogd may not pull, fails after O(retry_grace) seconds in the words of the registry.
  - Where there is nothing to change and catalogd gave up or keeps trying, it is asked to look again, because the image may be there by now. That is
    a change, and O(wait) is needed for it.
options:
  name:
    description: The name of the catalog.
    type: str
    required: true
  state:
    description: Whether the catalog is there. What was installed from it stays when it goes.
    type: str
    choices: [present, absent]
    default: present
  image:
    description: The image of the catalog, by tag or by digest. Required where O(state=present).
    type: str
  poll_interval_minutes:
    description: How often catalogd looks whether a tag means another image now. Left out, it does not.
    type: int
  priority:
    description: Of two catalogs that have a package, the one with the higher priority is taken. OLM v1 takes it for 0 where it is left out.
    type: int
  availability_mode:
    description: V(Unavailable) keeps the catalog without serving it. OLM v1 serves it where this is left out.
    type: str
    choices: [Available, Unavailable]
  labels:
    description: Labels, by which extensions choose catalogs.
    type: dict
    default: {}
  wait:
    description: Whether to wait until the catalog is served, or is gone.
    type: bool
    default: true
  wait_timeout:
    description: How long to wait, in seconds.
    type: int
    default: 300
  retry_grace:
    description: How many seconds an error gets that catalogd tries again although it does not heal unless somebody acts.
    type: int
    default: 10
  force_conflicts:
    description: Whether to take over fields that other field managers have set otherwise.
    type: bool
    default: false
extends_documentation_fragment:
  - fleet.olm.cluster
attributes:
  check_mode:
    description: Asks the API server's own dry run and changes nothing.
    support: full
  diff_mode:
    description: Shows the fields of the spec that change.
    support: full
seealso:
  - module: fleet.olm.cluster_catalog_info
  - module: fleet.olm.cluster_extension
  - module: fleet.olm.catalog_build
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Serve a catalog
  fleet.olm.cluster_catalog:
    name: example
    image: registry.example.com/catalog:v1
    poll_interval_minutes: 60
    priority: 10
    labels:
      team: platform

- name: Take it away
  fleet.olm.cluster_catalog:
    name: example
    state: absent
"""

RETURN = r"""
catalog:
  description: The catalog. C(image) is what is served, by digest; null where nothing is.
  returned: success
  type: dict
  sample:
    name: example
    image: registry.example.com/catalog@sha256:4be1
    url: https://catalogd-service.olmv1-system.svc/catalogs/example
object:
  description: The ClusterCatalog as the API server has it; null where there is none. In check mode as it would be.
  returned: success
  type: dict
  sample: {apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: example}}
conditions:
  description: The conditions of the ClusterCatalog. C(current) says whether one is about the spec as it is now.
  returned: always
  type: list
  elements: dict
  sample: [{type: Serving, status: "True", reason: Available, message: Serving desired content from resolved source, current: true}]
plan:
  description: What was done, or would be in check mode. C(action) is C(create), C(update) with the fields, C(keep) or C(prune).
  returned: always
  type: list
  elements: dict
  sample: [{action: create, kind: ClusterCatalog, name: example, namespace: null}]
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 2
"""

from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.diff import plan_diff
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.extension.absent import catalog_absent
from ansible_collections.fleet.olm.plugins.module_utils.extension.catalog_facts import served
from ansible_collections.fleet.olm.plugins.module_utils.extension.conditions import conditions_told
from ansible_collections.fleet.olm.plugins.module_utils.extension.manifest import WantedCatalog
from ansible_collections.fleet.olm.plugins.module_utils.extension.present import catalog_present
from ansible_collections.fleet.olm.plugins.module_utils.extension.report import RETRY_GRACE, Settings, shown


def run(call: Call) -> Outcome:
    options = call.options
    same = ("wait", "wait_timeout", "retry_grace", "force_conflicts")
    settings = Settings(**{name: options[name] for name in same}, rehearse_only=call.check_mode, progress=call.progress)
    with Client(Connection.from_options(options), dry_run=call.check_mode) as client:
        if options["state"] == "present":
            fields = ("name", "image", "poll_interval_minutes", "priority", "availability_mode")
            labels = {str(key): str(value) for key, value in options["labels"].items()}
            wanted = WantedCatalog(**{name: options[name] for name in fields}, labels=labels)
            report = catalog_present(client, wanted, settings)
        else:
            report = catalog_absent(client, options["name"], settings)
        result: dict[str, Any] = {
            "catalog": {"name": options["name"], **served(report.content or {})},
            "object": shown(report.content),
            "conditions": conditions_told(report.content or {}),
            "plan": report.plan.told(),
            "requests": client.requests,
        }
        warnings = (*report.warnings, *client.warnings)
    if call.diff:
        result["diff"] = plan_diff(report.plan)
    return Outcome(result, changed=report.changed, warnings=warnings)


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "image": {"type": "str"},
        "poll_interval_minutes": {"type": "int"},
        "priority": {"type": "int"},
        "availability_mode": {"type": "str", "choices": ["Available", "Unavailable"]},
        "labels": {"type": "dict", "default": {}},
        "wait": {"type": "bool", "default": True},
        "wait_timeout": {"type": "int", "default": 300},
        "retry_grace": {"type": "int", "default": RETRY_GRACE},
        "force_conflicts": {"type": "bool", "default": False},
    },
    run=run,
    constraints={"required_if": [("state", "present", ["image"])]},
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
