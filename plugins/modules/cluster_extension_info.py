#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_extension_info
short_description: Look at what OLM v1 has installed on a cluster, and what its catalogs offer
version_added: 0.1.0
description:
  - Tells of one ClusterExtension or of all of them what is installed, how OLM v1 is doing with it, what is deprecated, which newer
    version the catalogs have and by which upgrades it is reached.
options:
  name:
    description: The extension to look at. Left out, it is all of them.
    type: str
  offers:
    description: Whether to look up in the cluster's catalogs, or in O(catalog), what is newer. A catalog that cannot be read is a warning.
    type: bool
    default: true
  catalog:
    description: The catalog to look newer versions up in. Left out, these are the cluster's own.
    type: raw
  objects:
    description: Whether to list the objects that each extension has on the cluster, one request for each kind.
    type: bool
    default: false
  wanted:
    description: >-
      How the extension ought to be, in options of M(fleet.olm.cluster_extension). The result then says in which fields it differs. Needs O(name).
    type: dict
    suboptions:
      namespace:
        description: The install namespace.
        type: str
        required: true
      package:
        description: The package.
        type: str
        required: true
      version:
        description: The version or the range of versions.
        type: str
      channels:
        description: The channels.
        type: list
        elements: str
        default: []
      selector:
        description: Which catalogs are asked.
        type: dict
      upgrade_constraint_policy:
        description: Which upgrades are allowed.
        type: str
        choices: [CatalogProvided, SelfCertified]
      config:
        description: The configuration of the bundle.
        type: raw
      crd_upgrade_safety:
        description: Whether upgrades that could hurt custom resources are refused.
        type: str
        choices: [strict, none]
      progress_deadline_minutes:
        description: After how many minutes an installation is given up.
        type: int
      service_account:
        description: The ServiceAccount of older releases.
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
  - module: fleet.olm.cluster_extension
  - module: fleet.olm.bundle_install_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at everything that OLM v1 has installed
  fleet.olm.cluster_extension_info:
  register: installed

- name: See whether the greeter is as it ought to be
  fleet.olm.cluster_extension_info:
    name: greeter
    wanted:
      namespace: greeter-system
      package: greeter
      version: 1.1.x
"""

RETURN = r"""
extensions:
  description: The extensions in the order of their names.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      returned: always
      type: str
      sample: greeter
    namespace:
      description: The install namespace.
      returned: always
      type: str
      sample: greeter-system
    engine:
      description: Always V(olm).
      returned: always
      type: str
      sample: olm
    package:
      description: The package.
      returned: always
      type: str
      sample: greeter
    version:
      description: The version or range that is asked for; null where any is.
      returned: always
      type: str
      sample: 1.x
    channels:
      description: The channels that are asked for.
      returned: always
      type: list
      elements: str
      sample: [stable]
    installed_channels:
      description: The channels that the installed bundle is in.
      returned: when O(offers) is true and a catalog could be read
      type: list
      elements: str
      sample: [stable]
    bundle:
      description: The bundle that is installed; null where none is.
      returned: always
      type: dict
      sample: {name: greeter.v1.0.0, version: 1.0.0, image: "registry.example.com/greeter-bundle:1.0.0"}
    state:
      description: >-
        V(done) where it is what its spec asks for; V(waiting) where OLM v1 is at it; V(stuck) where it tries again what does not heal unless somebody acts;
        V(failed) where it gave up.
      returned: always
      type: str
      sample: done
    says:
      description: The condition that decides, in words, and what to do about it.
      returned: always
      type: str
      sample: "Installed is True (Succeeded): Installed bundle registry.example.com/greeter-bundle:1.0.0 successfully"
    conditions:
      description: All conditions.
      returned: always
      type: list
      elements: dict
      sample: [{type: Progressing, status: "True", reason: Succeeded, message: Desired state reached, current: true}]
    deprecations:
      description: What of it is deprecated.
      returned: always
      type: list
      elements: str
      sample: []
    offer:
      description: >-
        What the catalogs have that is newer: C(next) is what OLM v1 takes by itself, C(newest) the newest in the channels, and C(path) the upgrades to it.
      returned: when O(offers) is true and a catalog could be read
      type: dict
      sample: {next: null, newest: {name: greeter.v1.1.0, version: 1.1.0}, path: [{name: greeter.v1.1.0, version: 1.1.0, edge: replaces}], problems: []}
    drift:
      description: The fields that differ from O(wanted).
      returned: when O(wanted) is given
      type: list
      elements: dict
      sample: [{path: spec.source.catalog.version, before: 1.0.0, after: 1.1.x}]
    objects:
      description: The objects that it has on the cluster.
      returned: when O(objects) is true
      type: list
      elements: dict
      sample: [{apiVersion: apps/v1, kind: Deployment, name: greeter, namespace: greeter-system}]
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 2
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.config.given import as_mapping
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.observe import CONNECTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.errors import ClusterError
from ansible_collections.fleet.olm.plugins.module_utils.extension.api import EXTENSIONS
from ansible_collections.fleet.olm.plugins.module_utils.extension.catalogd import (
    ReadCatalogs,
    cluster_catalogs,
    given_catalogs,
)
from ansible_collections.fleet.olm.plugins.module_utils.extension.manifest import SPEC_OPTIONS, WantedExtension
from ansible_collections.fleet.olm.plugins.module_utils.extension.status import (
    channel_of,
    drift,
    extension_facts,
    listed,
    offer,
    owned_told,
    selected_catalogs,
)
from ansible_collections.fleet.olm.plugins.module_utils.extension.verdict import extension_verdict
from ansible_collections.fleet.olm.plugins.module_utils.nested import at


def run(call: Call) -> Outcome:
    options = call.options
    warnings: list[str] = []
    with Client(Connection.from_options(options), dry_run=True, connections=CONNECTIONS) as client:
        found = listed(client, EXTENSIONS, options["name"])
        extensions = [extension_facts(item, extension_verdict(item)) for item in found]
        if options["offers"] and found:
            with _catalogs(client, options, warnings) as read:
                for told, item in zip(extensions, found, strict=True):
                    # A catalog that is given is the one to look into, whatever its labels.
                    given = options["catalog"] is not None
                    catalogs = read.catalogs if given else selected_catalogs(item, read.catalogs)
                    if catalogs:
                        told["offer"] = offer(item, catalogs)
                        told["installed_channels"] = channel_of(item, catalogs)
        for told, item in zip(extensions, found, strict=True):
            if options["wanted"]:
                told["drift"] = drift(item, _wanted(options, warnings))
            if options["objects"]:
                told["objects"] = owned_told(client, str(at(item, "metadata", "name")))
        result = {"extensions": extensions, "requests": client.requests}
        warnings += client.warnings
    return Outcome(result, warnings=tuple(warnings))


@contextmanager
def _catalogs(client: Client, options: Mapping[str, Any], warnings: list[str]) -> Iterator[ReadCatalogs]:
    access = SourceOptions.from_options(options)
    if options["catalog"] is not None:
        context = given_catalogs(client, options["catalog"], access, "", None)
    else:
        context = cluster_catalogs(client, access, "", None)
    read = ReadCatalogs(())
    with ExitStack() as stack:
        try:
            read = stack.enter_context(context)
        except ClusterError as error:
            warnings.append(f"what the catalogs offer was not looked up: {error}")
        warnings += read.unread
        yield read


def _wanted(options: Mapping[str, Any], warnings: list[str]) -> WantedExtension:
    given = dict(options["wanted"])
    given |= {"channels": tuple(given["channels"]), "config": as_mapping(given["config"], warnings)}
    return WantedExtension(name=options["name"], **given)


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        **REGISTRY_OPTIONS,
        "name": {"type": "str"},
        "offers": {"type": "bool", "default": True},
        "catalog": {"type": "raw"},
        "objects": {"type": "bool", "default": False},
        "wanted": {
            "type": "dict",
            "options": {
                "namespace": {"type": "str", "required": True},
                "package": {"type": "str", "required": True},
                **SPEC_OPTIONS,
            },
        },
    },
    run=run,
    constraints={"required_by": {"wanted": ["name"]}},
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
