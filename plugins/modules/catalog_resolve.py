#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: catalog_resolve
short_description: Which bundle of a catalog would be installed, and why
version_added: 0.1.0
description:
  - "Answers as OLM v1 does: bundles of the package, in the channels, in the version range, upgrades of what is installed; deprecated ones
    last, then the highest version. Says which bundles each rule left out."
  - Where OLM v1 would refuse, it fails and names the nearest change of the options that would work.
  - Finds the shortest way of upgrades to a bundle, and what an installed one can be taken back to.
options:
  package:
    description: The package.
    type: str
    required: true
  version:
    description:
      - A range of versions, in the language that OLM v1 has in C(spec.source.catalog.version), such as V(1.2.3), V(1.2.x), V(~1.2), V(^1),
        V(>=1.2 <2), V(1.2 - 1.4) and several of them joined by V(||).
      - Pre-releases are taken only where the range names one, such as V(>=1.0.0-0).
    type: str
  channels:
    description: Only bundles in one of these channels, and only the upgrades that they have.
    type: list
    elements: str
    default: []
  installed:
    description: The bundle that is installed. Only it and upgrades of it are taken then, unless O(policy=SelfCertified).
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
  policy:
    description: Whether the upgrades of the catalog decide what may follow the installed bundle, or the user does.
    type: str
    choices: [CatalogProvided, SelfCertified]
    default: CatalogProvided
  kubernetes_version:
    description:
      - Leaves out bundles whose C(minKubeVersion) is newer, as platform operators must.
      - OLM v1 does not look at it, and without this option neither does this module.
    type: str
  openshift_version:
    description:
      - Leaves out bundles whose property C(olm.maxOpenShiftVersion) is older, as platform operators must.
      - OLM v1 does not look at it, and without this option neither does this module.
    type: str
  upgrade_path:
    description: Return the shortest chain of upgrades from O(installed) to the bundle that the other options name, which may be several away.
    type: bool
    default: false
  compare:
    description:
      - With O(upgrade_path), tell what each hop changes in permissions, configuration and CRDs, as M(fleet.olm.bundle_diff) does. The bundles are pulled
        for it.
    type: bool
    default: false
  rollback:
    description: Return what O(installed) can be taken back to, the newest first, and the policy that allows it.
    type: bool
    default: false
extends_documentation_fragment:
  - fleet.olm.catalog
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: Changes nothing, so there is nothing to show.
seealso:
  - module: fleet.olm.catalog_info
  - module: fleet.olm.bundle_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Which bundle would be installed?
  fleet.olm.catalog_resolve:
    catalog: examples/catalog
    package: greeter
    version: 1.x
    channels: [stable]
  register: resolved

- name: Which bundles came into question, and which rule left out the others?
  ansible.builtin.debug:
    msg: "{{ resolved.why }}"

- name: How to get from here to there, one upgrade after the other
  fleet.olm.catalog_resolve:
    catalog: examples/catalog
    package: greeter
    installed:
      name: greeter.v1.0.0
      version: 1.0.0
    upgrade_path: true

- name: Ask two catalogs, of which the approved one comes first
  fleet.olm.catalog_resolve:
    catalog:
      - catalog: examples/catalog
        name: community
      - catalog: examples/catalog/greeter
        name: approved
        priority: 10
    package: greeter
"""

RETURN = r"""
bundle:
  description: The bundle that answers the query; with O(upgrade_path) the last of the path, with O(rollback) the newest to go back to.
  returned: success
  type: dict
  sample:
    name: greeter.v1.1.0
    package: greeter
    version: 1.1.0
    release: null
    image: registry.example.com/greeter-bundle:1.1.0
    channels: [stable]
    deprecated: null
    catalog: examples/catalog
edges:
  description: By which fields of which channels the bundle is an upgrade of O(installed).
  returned: when neither O(upgrade_path) nor O(rollback)
  type: list
  elements: dict
  sample: [{channel: stable, edge: replaces}]
why:
  description: For every catalog that has the package, the rules in their order, what each kept and removed, and the candidates that were left, best first.
  returned: when not O(rollback), also on failure
  type: list
  elements: dict
  sample:
    - catalog: examples/catalog
      priority: 0
      steps:
        - {rule: package, because: of package greeter, kept: 3, removed: [], removed_count: 0}
        - {rule: channels, because: in channels stable, kept: 2, removed: [2.0.0-rc.1], removed_count: 1}
      candidates: [1.1.0, 1.0.0]
changes:
  description: On failure, changes of the options that would work, the smallest first, with the bundle that each leads to.
  returned: failure
  type: list
  elements: dict
  sample: [{options: {version: 1.2.0}, bundle: greeter.v1.2.0, message: 1.1.0 → 1.4.0 needs 1.2.0 first}]
path:
  description: The upgrades to make, one after the other. With O(compare) each has what it changes.
  returned: when O(upgrade_path)
  type: list
  elements: dict
  sample: [{name: greeter.v1.1.0, version: 1.1.0, image: "registry.example.com/greeter-bundle:1.1.0", edge: replaces, channel: stable}]
rollback:
  description: The bundles to go back to, each with the policy that allows it.
  returned: when O(rollback)
  type: list
  elements: dict
  sample: [{name: greeter.v1.0.0, version: 1.0.0, policy: SelfCertified}]
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.answers import image_of, path_to, resolved, ways_back
from ansible_collections.fleet.olm.plugins.module_utils.catalog.on_demand import of_options
from ansible_collections.fleet.olm.plugins.module_utils.catalog.options import CATALOG_OPTIONS, INSTALLED_OPTION
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import CATALOG_PROVIDED, POLICIES, parse_query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import open_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    access = SourceOptions.from_options(options)
    query = parse_query(options)
    given, of_cluster = options["catalog"], of_options(options)
    with open_catalogs(
        given, access, package=query.package, selector=options["selector"], of_cluster=of_cluster
    ) as opened:
        work = path_to if options["upgrade_path"] else ways_back if options["rollback"] else resolved
        report = work(query, opened.catalogs)
        result = dict(report.result)
        if options["upgrade_path"] and options["compare"]:
            # Only here: nothing else reads bundles.
            from ansible_collections.fleet.olm.plugins.module_utils.catalog.hop_changes import with_changes

            start = image_of(query, opened.catalogs)
            result["path"] = with_changes(result["path"], start, report.hops, access)
    return Outcome(result, warnings=(*opened.warnings, *report.warnings))


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **CATALOG_OPTIONS,
        "package": {"type": "str", "required": True},
        "version": {"type": "str"},
        "channels": {"type": "list", "elements": "str", "default": []},
        "installed": INSTALLED_OPTION,
        "policy": {"type": "str", "choices": list(POLICIES), "default": CATALOG_PROVIDED},
        "kubernetes_version": {"type": "str"},
        "openshift_version": {"type": "str"},
        "upgrade_path": {"type": "bool", "default": False},
        "compare": {"type": "bool", "default": False},
        "rollback": {"type": "bool", "default": False},
    },
    constraints={"required_if": [("upgrade_path", True, ["installed"]), ("rollback", True, ["installed"])]},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
