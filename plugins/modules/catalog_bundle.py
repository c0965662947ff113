#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: catalog_bundle
short_description: Add a bundle to a catalog directory, or remove one from it
version_added: 0.1.0
description:
  - Writes the document of a bundle with the properties that C(opm) would write, and its entry in a channel.
  - Everything else in the files stays as it is, comments and order included. A package that is new gets a file C(PACKAGE/catalog.yaml).
  - Refuses a change after which C(opm) would refuse the package.
  - Warns where the catalog has bundles of another format than the one that is added.
options:
  catalog:
    description: The directory of the file-based catalog. It is made where it is not there.
    type: path
    required: true
  state:
    description:
      - Whether the bundle is to be in the catalog.
      - Where a bundle is removed, what replaced it replaces what it replaced and skips it, so that those who have it installed can still be
        upgraded. A channel or package without bundles is removed, too, and so are the deprecations of all that is removed.
    type: str
    choices: [present, absent]
    default: present
  source:
    description: The bundle to add. Takes what O(fleet.olm.bundle_info#module:source) takes.
    type: raw
  image:
    description:
      - The image of the bundle, as clusters pull it, such as V(registry.example.com/greeter-bundle@sha256:DIGEST).
      - Needed where O(source) is no image in a registry. Otherwise the image that O(source) names, by digest.
    type: str
  channel:
    description: The channel to put the bundle into. The default channel of the bundle's own metadata where it is not given, or its first.
    type: str
  replaces:
    description:
      - The name of the bundle that this one is the next after.
      - Left out, it is what the bundle says itself, in C(olm.yaml) or in its ClusterServiceVersion. Empty text means none.
    type: str
  skips:
    description:
      - Names of other bundles that can be upgraded to this one.
      - Left out, they are those that the bundle says itself, in C(olm.yaml) or in its ClusterServiceVersion. An empty list means none.
    type: list
    elements: str
  skip_range:
    description:
      - Versions that can be upgraded to this one, such as V(>=1.0.0 <1.1.0). This is not the language of O(fleet.olm.catalog_resolve#module:version).
      - Left out, it is what the bundle says itself, in the annotation C(olm.skipRange) of C(olm.yaml) or of its ClusterServiceVersion. Empty text means none.
    type: str
  default_channel:
    description: The default channel of the package. For a new package it is O(channel) where it is not given.
    type: str
  package:
    description: With O(state=absent), the package of the bundle to remove.
    type: str
  name:
    description: With O(state=absent), the name of the bundle to remove, such as V(greeter.v1.0.0).
    type: str
extends_documentation_fragment:
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.catalog_info
  - module: fleet.olm.catalog_resolve
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Start a catalog with a bundle
  fleet.olm.catalog_bundle:
    catalog: catalog
    source: examples/bundles/greeter
    image: registry.example.com/greeter-bundle:1.0.0
    channel: stable

- name: Add the next version
  fleet.olm.catalog_bundle:
    catalog: catalog
    source: examples/bundles/greeter-1.1.0
    image: registry.example.com/greeter-bundle:1.1.0
    channel: stable
    replaces: greeter.v1.0.0
    skip_range: ">=1.0.0 <1.1.0"

- name: Remove the first
  fleet.olm.catalog_bundle:
    catalog: catalog
    state: absent
    package: greeter
    name: greeter.v1.0.0
"""

RETURN = r"""
files:
  description: The files of the catalog that were written or removed.
  returned: success
  type: list
  elements: str
  sample: [greeter/catalog.yaml]
bundle:
  description: The bundle as the catalog lists it.
  returned: when O(state=present)
  type: dict
  sample:
    schema: olm.bundle
    name: greeter.v1.1.0
    package: greeter
    image: registry.example.com/greeter-bundle:1.1.0
    properties: [{type: olm.package, value: {packageName: greeter, version: 1.1.0}}]
    relatedImages: []
"""

from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit import find_catalog, plan_adding, plan_removing
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit_files import differences, write_changes
from ansible_collections.fleet.olm.plugins.module_utils.catalog.mixed import warn_of_mixture
from ansible_collections.fleet.olm.plugins.module_utils.catalog.new_bundle import load_new_bundle
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    directory = Path(options["catalog"])
    result: dict[str, Any] = {}
    warnings: tuple[str, ...] = ()
    if options["state"] == "present":
        new = load_new_bundle(options, SourceOptions.from_options(options))
        catalog = find_catalog(directory)
        planned = plan_adding(directory, catalog, new.document, new.placement, new.description)
        result["bundle"] = new.document
        warnings = (*new.warnings, *warn_of_mixture(catalog, new.document))
    else:
        planned = plan_removing(directory, find_catalog(directory), options["package"], options["name"])
    result["files"] = [change.name for change in planned]
    if call.diff:
        result["diff"] = differences(planned)
    if planned and not call.check_mode:
        write_changes(directory, planned)
    return Outcome(result, changed=bool(planned), warnings=warnings)


PROGRAM = Program(
    argument_spec={
        **REGISTRY_OPTIONS,
        "catalog": {"type": "path", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "source": {"type": "raw"},
        "image": {"type": "str"},
        "channel": {"type": "str"},
        "replaces": {"type": "str"},
        "skips": {"type": "list", "elements": "str"},
        "skip_range": {"type": "str"},
        "default_channel": {"type": "str"},
        "package": {"type": "str"},
        "name": {"type": "str"},
    },
    constraints={"required_if": [("state", "present", ["source"]), ("state", "absent", ["package", "name"])]},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
