#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_report
short_description: The status of a fleet of clusters as JSON, JUnit and one self-contained page
version_added: 0.1.0
description:
  - Puts together what was found out about many clusters, and writes it as JSON, as JUnit XML for continuous integration and as one HTML page that loads
    nothing from anywhere.
  - Takes the results of M(fleet.olm.bundle_install_info) and M(fleet.olm.cluster_extension_info), the extensions that are wanted, and the results of runs,
    and says of each extension on each cluster which version it has, how it is doing, what it can be upgraded to, what of it is deprecated, which
    permissions wait for somebody to accept them, and what it is blocked by.
  - The same data give the same files, so a second run on a fleet where nothing happened changes nothing.
options:
  clusters:
    description: The clusters, in any order.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Its name, which no other cluster has.
        type: str
        required: true
      reachable:
        description: Whether it answered.
        type: bool
        default: true
      error:
        description: Why it did not, or what of it could not be looked at.
        type: str
      kubernetes_version:
        description: Its Kubernetes version.
        type: str
      engine:
        description: The engine that is used on it where an extension says nothing else.
        type: str
        choices: [direct, olm]
      groups:
        description: The groups of the inventory that it is in.
        type: list
        elements: str
        default: []
      labels:
        description: Its labels.
        type: dict
        default: {}
      wanted:
        description: >-
          The extensions that it ought to have, each with C(name), and as far as known C(namespace), C(package), C(version), C(engine), C(state), C(when),
          labels of the clusters that it is for, and C(needs), the names of those that have to be healthy first. Other keys are left alone.
        type: list
        elements: dict
        default: []
      bundle_install_info:
        description: What M(fleet.olm.bundle_install_info) returned for it.
        type: dict
      cluster_extension_info:
        description: What M(fleet.olm.cluster_extension_info) returned for it.
        type: dict
      runs:
        description: >-
          What M(fleet.olm.fleet_extensions), M(fleet.olm.bundle_install) and M(fleet.olm.cluster_extension) returned for it, failed or not,
          also from loops. C(name) is the extension where the result does not tell, C(blocked_by) names those that kept it from being run.
        type: list
        elements: dict
        default: []
      upgrades:
        description: >-
          What M(fleet.olm.catalog_resolve) returned with O(fleet.olm.catalog_resolve#module:upgrade_path) for what was installed without OLM, also
          from loops, each with the C(name) of the extension.
        type: list
        elements: dict
        default: []
      extensions:
        description: Extensions in the form that the report has them in, for what comes from elsewhere. C(name) is needed.
        type: list
        elements: dict
        default: []
  title:
    description: The title of the report.
    type: str
    default: Fleet report
  time:
    description:
      - When the report was made, as it is to be shown. Left out, it says nothing of the time, and is the same as long as the fleet is.
    type: str
  json_dest:
    description: A file to write the report to as JSON.
    type: path
  schema_dest:
    description: A file to write the JSON Schema of the report to.
    type: path
  junit_dest:
    description: A file to write the report to as JUnit XML, with a suite for each cluster.
    type: path
  html_dest:
    description: A file to write the page to.
    type: path
attributes:
  check_mode:
    description: Can run in check mode and say what it would write.
    support: full
  diff_mode:
    description: Shows what is changed in the JSON and JUnit files. Of the page it says only that it changes.
    support: full
notes:
  - Run it once for all hosts, on the controller.
seealso:
  - module: fleet.olm.bundle_install_info
  - module: fleet.olm.cluster_extension_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at a cluster
  fleet.olm.bundle_install_info:
  register: found

- name: Report on it and on one that did not answer
  fleet.olm.fleet_report:
    title: Operators of the fleet
    clusters:
      - name: edge-1
        groups: [edge]
        wanted:
          - name: greeter
            version: 1.1.x
        bundle_install_info: "{{ found }}"
      - name: edge-2
        reachable: false
        error: no route to host
    html_dest: report.html
    json_dest: report.json
    junit_dest: report.xml
  register: report

- name: Fail where something did
  ansible.builtin.assert:
    that: report.summary.health.failed == 0
"""

RETURN = r"""
summary:
  description: Counts over all of it.
  returned: success
  type: dict
  sample:
    clusters: 3
    unreachable: 1
    extensions: 6
    health: {failed: 0, degraded: 0, absent: 1, unknown: 2, progressing: 0, healthy: 3}
    not_as_wanted: 0
    upgrades: 1
    deprecated: 0
    pending_approval: 0
    blocked: 0
report:
  description: The report, in the form of RV(schema).
  returned: when no file is asked for
  type: dict
  sample: {schema: fleet.olm/report/v1, title: Fleet report, time: null, summary: {}, clusters: []}
schema:
  description: The JSON Schema of the report.
  returned: success
  type: dict
  sample: {"$schema": "https://json-schema.org/draft/2020-12/schema"}
files:
  description: The files that were written, or were as they ought to be already.
  returned: success
  type: list
  elements: str
  sample: [report.html, report.json]
"""

from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_json import as_json
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_junit import as_junit
from ansible_collections.fleet.olm.plugins.module_utils.fleet.report_page import as_page
from ansible_collections.fleet.olm.plugins.module_utils.fleet.schema import REPORT_SCHEMA
from ansible_collections.fleet.olm.plugins.module_utils.fleet.status import fleet_status
from ansible_collections.fleet.olm.plugins.module_utils.manifests.files import FilePlan, plan_file, write_file

FORMS = {
    "json_dest": as_json,
    "schema_dest": lambda _report: as_json(REPORT_SCHEMA),
    "junit_dest": as_junit,
    "html_dest": as_page,
}


def run(call: Call) -> Outcome:
    options = call.options
    report = fleet_status(options["clusters"], options["title"], options["time"])
    plans = {name: plan_file(options[name], form(report)) for name, form in FORMS.items() if options[name]}
    changed = [plan for plan in plans.values() if plan.changed]
    if not call.check_mode:
        for plan in changed:
            write_file(plan)
    result: dict[str, Any] = {
        "summary": report["summary"],
        "schema": REPORT_SCHEMA,
        "files": [str(plan.path) for plan in plans.values()],
    }
    if not plans:
        result["report"] = report
    if call.diff:
        result["diff"] = [_diff(name, plan) for name, plan in plans.items() if plan.changed]
    return Outcome(result, changed=bool(changed))


def _diff(name: str, plan: FilePlan) -> dict[str, str]:
    """A page is its data in one line and a program: nobody wants to read that."""
    return {"prepared": f"{plan.path} changes\n"} if name == "html_dest" else plan.diff


PROGRAM = Program(
    argument_spec={
        "clusters": {
            "type": "list",
            "elements": "dict",
            "required": True,
            "options": {
                "name": {"type": "str", "required": True},
                "reachable": {"type": "bool", "default": True},
                "error": {"type": "str"},
                "kubernetes_version": {"type": "str"},
                "engine": {"type": "str", "choices": ["direct", "olm"]},
                "groups": {"type": "list", "elements": "str", "default": []},
                "labels": {"type": "dict", "default": {}},
                "wanted": {"type": "list", "elements": "dict", "default": []},
                "bundle_install_info": {"type": "dict"},
                "cluster_extension_info": {"type": "dict"},
                "runs": {"type": "list", "elements": "dict", "default": []},
                "upgrades": {"type": "list", "elements": "dict", "default": []},
                "extensions": {"type": "list", "elements": "dict", "default": []},
            },
        },
        "title": {"type": "str", "default": "Fleet report"},
        "time": {"type": "str"},
        "json_dest": {"type": "path"},
        "schema_dest": {"type": "path"},
        "junit_dest": {"type": "path"},
        "html_dest": {"type": "path"},
    },
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
