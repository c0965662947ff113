#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: catalog_info
short_description: What a catalog holds, whether it is sound, and how its bundles are upgraded
version_added: 0.1.0
description:
  - Lists the packages of a catalog, or tells all about one, its channels with their heads, its bundles and what of them is deprecated.
  - Draws the upgrade graph of a package, as data, as Mermaid text, as SVG or as a page of its own.
  - Validates the catalog as C(opm) does.
options:
  package:
    description: Tell about this package, with its bundles. Without it all packages are listed.
    type: str
  channels:
    description: Only these channels in the graph.
    type: list
    elements: str
    default: []
  icon:
    description: Whether to return icons, which are large.
    type: bool
    default: false
  properties:
    description: Whether to return the properties and related images of the bundles of O(package).
    type: bool
    default: false
  graph:
    description: Return the upgrade graph of O(package) in this form.
    type: str
    choices: [data, mermaid, svg, html]
  graph_dest:
    description: A file to write the graph to.
    type: path
  installed:
    description: The bundle that is installed; it is marked in the graph.
    type: dict
    suboptions:
      name:
        description: Its name, such as V(greeter.v1.0.0).
        type: str
        required: true
      version:
        description: Its version, such as V(1.0.0).
        type: str
        required: true
  validate:
    description:
      - With V(report), return what is wrong with the catalog, or with O(package); with V(strict), fail where C(opm) would refuse it.
    type: str
    choices: [report, strict]
extends_documentation_fragment:
  - fleet.olm.catalog
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.catalog_resolve
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: What is in the catalog?
  fleet.olm.catalog_info:
    catalog: examples/catalog
  register: listed

- name: All about one package, and a page with its upgrades for the browser
  fleet.olm.catalog_info:
    catalog: examples/catalog
    package: greeter
    installed:
      name: greeter.v1.0.0
      version: 1.0.0
    graph: html
    graph_dest: greeter.html

- name: Refuse a catalog that opm would refuse
  fleet.olm.catalog_info:
    catalog: examples/catalog
    validate: strict
"""

RETURN = r"""
packages:
  description: The packages; with O(package) the one from each catalog that has it, with its bundles, the newest first.
  returned: success
  type: list
  elements: dict
  sample:
    - name: greeter
      catalog: examples/catalog
      description: Greets people.
      default_channel: stable
      deprecated: null
      channels: [{name: stable, heads: [greeter.v1.1.0], entries: 2, deprecated: null}]
      bundles:
        - name: greeter.v1.1.0
          package: greeter
          version: 1.1.0
          release: null
          image: registry.example.com/greeter-bundle:1.1.0
          channels: [stable]
          deprecated: null
          location: greeter/bundle-v1.1.0.yaml, document 1
graph:
  description:
    - The upgrade graph; with V(graph=data) a mapping of nodes and edges, otherwise a text. Of several catalogs that have the package, that of the
      highest priority.
  returned: when O(graph) is given
  type: raw
  sample: "flowchart LR"
problems:
  description: What is wrong, each with its severity, package, channel, bundle and place.
  returned: when O(validate) is given
  type: list
  elements: dict
  sample:
    - severity: error
      catalog: examples/catalog
      package: greeter
      channel: stable
      bundle: ""
      place: greeter/channel-stable.yaml, document 1
      message: "has several heads: greeter.v1.0.0, greeter.v1.1.0; one of them must replace or skip the others"
"""

import json
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.on_demand import of_options
from ansible_collections.fleet.olm.plugins.module_utils.catalog.options import CATALOG_OPTIONS, INSTALLED_OPTION
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed
from ansible_collections.fleet.olm.plugins.module_utils.catalog.report import (
    FORMS,
    check,
    described,
    drawn,
)
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import open_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.manifests.files import plan_file, write_file


def run(call: Call) -> Outcome:
    options = call.options
    name = options["package"] or ""
    access = SourceOptions.from_options(options)
    result: dict[str, Any] = {}
    given, of_cluster = options["catalog"], of_options(options)
    with open_catalogs(given, access, package=name, selector=options["selector"], of_cluster=of_cluster) as opened:
        if options["validate"]:
            result["problems"] = check(opened.catalogs, name, strict=options["validate"] == "strict")
        result["packages"] = described(opened.catalogs, name, icon=options["icon"], properties=options["properties"])
        if options["graph"]:
            installed = Installed(**options["installed"]) if options["installed"] else None
            result["graph"] = drawn(opened.catalogs, name, options["channels"], installed, options["graph"])
    changed = False
    if options["graph_dest"]:
        graph = result["graph"]
        text = graph if isinstance(graph, str) else json.dumps(graph, indent=2) + "\n"
        plan = plan_file(options["graph_dest"], text)
        changed = plan.changed
        if call.diff:
            result["diff"] = plan.diff
        if changed and not call.check_mode:
            write_file(plan)
    return Outcome(result, changed=changed, warnings=opened.warnings)


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **CATALOG_OPTIONS,
        "package": {"type": "str"},
        "channels": {"type": "list", "elements": "str", "default": []},
        "icon": {"type": "bool", "default": False},
        "properties": {"type": "bool", "default": False},
        "graph": {"type": "str", "choices": list(FORMS)},
        "graph_dest": {"type": "path"},
        "installed": INSTALLED_OPTION,
        "validate": {"type": "str", "choices": ["report", "strict"]},
    },
    constraints={"required_by": {"graph": ["package"], "graph_dest": ["graph"]}},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
