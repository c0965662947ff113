#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_catalog_info
short_description: Look at the catalogs that OLM v1 serves on a cluster, and at what is in them
version_added: 0.1.0
description:
  - Tells of one ClusterCatalog or of all of them which image is served, how catalogd is doing with it and, where asked for, which packages it has.
options:
  name:
    description: The catalog to look at. Left out, it is all of them.
    type: str
  packages:
    description:
      - Whether to list the packages of each catalog, read through the API server's proxy to catalogd, or from the cache where a catalog of the same digest is
        known. A catalog that cannot be read is a warning.
    type: bool
    default: false
  package:
    description: A package to tell of with its bundles, instead of all packages in short. Implies O(packages).
    type: str
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  check_mode:
    description: Only reads.
    support: full
  diff_mode:
    description: Only reads.
    support: none
seealso:
  - module: fleet.olm.cluster_catalog
  - module: fleet.olm.catalog_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at all catalogs of a cluster
  fleet.olm.cluster_catalog_info:
  register: catalogs

- name: See what one of them has
  fleet.olm.cluster_catalog_info:
    name: example
    packages: true
"""

RETURN = r"""
catalogs:
  description: The catalogs in the order of their names.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      returned: always
      type: str
      sample: example
    image:
      description: The image that is served, by digest; null where none is.
      returned: always
      type: str
      sample: registry.example.com/catalog@sha256:4be1
    url:
      description: Where catalogd serves it; null where it does not.
      returned: always
      type: str
      sample: https://catalogd-service.olmv1-system.svc/catalogs/example
    spec:
      description: What is asked for.
      returned: always
      type: dict
      sample: {availabilityMode: Available, priority: 0, source: {type: Image, image: {ref: "registry.example.com/catalog:v1"}}}
    labels:
      description: Its labels.
      returned: always
      type: dict
      sample: {}
    last_unpacked:
      description: When catalogd last unpacked an image of it.
      returned: always
      type: str
      sample: "2026-01-01T00:00:00Z"
    state:
      description: V(done) where it is what its spec asks for; V(waiting), V(stuck) or V(failed) else.
      returned: always
      type: str
      sample: done
    says:
      description: The condition that decides, in words, and what to do about it.
      returned: always
      type: str
      sample: "Serving is True (Available): Serving desired content from resolved source"
    conditions:
      description: All conditions.
      returned: always
      type: list
      elements: dict
      sample: [{type: Serving, status: "True", reason: Available, message: Serving desired content from resolved source, current: true}]
    packages:
      description: The packages, as M(fleet.olm.catalog_info) returns them; null where the catalog could not be read.
      returned: when O(packages) or O(package) is given
      type: list
      elements: dict
      sample: [{name: greeter, default_channel: stable}]
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 1
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.extension.api import CATALOGS
from ansible_collections.fleet.olm.plugins.module_utils.extension.catalog_facts import catalog_facts
from ansible_collections.fleet.olm.plugins.module_utils.extension.status import listed, packages_of
from ansible_collections.fleet.olm.plugins.module_utils.extension.verdict import catalog_verdict


def run(call: Call) -> Outcome:
    options = call.options
    warnings: list[str] = []
    with Client(Connection.from_options(options), dry_run=True) as client:
        catalogs = []
        for item in listed(client, CATALOGS, options["name"]):
            told = catalog_facts(item, catalog_verdict(item))
            if options["packages"] or options["package"]:
                told["packages"] = _packages(client, item, options, warnings)
            catalogs.append(told)
        result = {"catalogs": catalogs, "requests": client.requests}
        warnings += client.warnings
    return Outcome(result, warnings=tuple(warnings))


def _packages(client: Client, item: Mapping[str, Any], options: Mapping[str, Any], warnings: list[str]) -> Any:
    try:
        return packages_of(client, item, options["package"], SourceOptions.from_options(options))
    except FleetError as error:
        warnings.append(str(error))
        return None


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **REGISTRY_OPTIONS,
        "name": {"type": "str"},
        "packages": {"type": "bool", "default": False},
        "package": {"type": "str"},
    },
    run=run,
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
