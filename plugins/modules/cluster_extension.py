#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_extension
short_description: Install, upgrade and remove an operator with OLM v1, and know beforehand whether it will work
version_added: 0.1.0
description:
  - Applies a ClusterExtension, waits until OLM v1 has installed it, and explains where it cannot.
  - It is applied server-side with a field manager of our own. Fields that others set stay; what others set and this task sets, too, is told as a
    conflict. A run that changes nothing says so.
  - Errors that heal by themselves are waited for. What operator-controller refuses, as a configuration that the bundle does not accept, fails at once.
    What it tries again for ever although nothing will come of it, as a version that no catalog has, fails after O(retry_grace) seconds.
  - Where there is nothing to change and OLM v1 gave up or keeps trying, it is asked to look again, because what was in the way may be gone. That is
    a change, and O(wait) is needed for it.
  - Deleted in the usual way, a ClusterExtension takes its CRDs and every custom resource with it. Removed with this module, they stay unless they are named.
options:
  name:
    description: The name of the extension. It is unique on a cluster.
    type: str
    required: true
  namespace:
    description: The namespace that the operator is installed in. It cannot be changed later. Required where O(state=present).
    type: str
  create_namespace:
    description: Whether to create the install namespace where it is missing. A namespace made so goes with the extension if it is empty then.
    type: bool
    default: false
  state:
    description:
      - V(present) installs or changes it.
      - V(absent) removes it. CRDs and custom resources stay, see O(delete_crds). In check mode the plan lists what would go and what would stay.
    type: str
    choices: [present, absent]
    default: present
  package:
    description: The package to install. It cannot be changed later. Required where O(state=present).
    type: str
  version:
    description: A version or a range of versions, such as V(1.1.0), V(1.x) or V(>=1.2 <2). Left out, the newest is taken.
    type: str
  channels:
    description: The channels of the package that are looked at. Left out, all of them are.
    type: list
    elements: str
    default: []
  selector:
    description: Which of the cluster's catalogs are asked, a label selector with V(matchLabels) and V(matchExpressions).
    type: dict
  upgrade_constraint_policy:
    description:
      - V(CatalogProvided) allows only the upgrades that the catalog has, and is what OLM v1 does where this is left out. V(SelfCertified) allows
        any, and going back, too.
    type: str
    choices: [CatalogProvided, SelfCertified]
  config:
    description:
      - The configuration of the bundle, a mapping or text in YAML or JSON. It stands under C(spec.config.inline), a field that only the experimental CRDs
        of OLM v1 have; where the cluster's have it not, the task fails and nothing is changed.
    type: raw
  crd_upgrade_safety:
    description: Whether OLM v1 refuses upgrades whose CRDs could hurt custom resources. Left out, it does.
    type: str
    choices: [strict, none]
  progress_deadline_minutes:
    description: After how many minutes OLM v1 gives up an installation, from 10 to 720. Only the experimental CRDs have it.
    type: int
  service_account:
    description: The ServiceAccount that older releases of OLM v1 install with. They need it; newer ones ignore it.
    type: str
  catalog:
    description:
      - The catalog to look the bundle up in before it is applied; see M(fleet.olm.catalog_resolve) for what it can be. Left out, these are the cluster's own
        ClusterCatalogs, read through the API server's proxy to catalogd, or from the cache where a catalog of the same digest is known.
    type: raw
  validate:
    description:
      - Whether to find out before anything is applied if it will work, and to fail with all that speaks against it. The bundle is resolved as
        OLM v1 would, and the configuration held against its schema; install mode, namespaces, C(minKubeVersion), feature gates, the safety of
        changes to CRDs and objects that belong to somebody else are looked at, too.
      - What cannot be looked at, as a catalog or a registry that is out of reach from here, is a warning.
      - V(warn) tells and goes on, V(false) does not look.
    type: str
    choices: ["true", "warn", "false"]
    default: "true"
  wait:
    description: Whether to wait until it is installed, in a version of the range, and until what is removed is gone.
    type: bool
    default: true
  wait_timeout:
    description: How long to wait, in seconds.
    type: int
    default: 300
  retry_grace:
    description: How many seconds an error gets that OLM v1 tries again although it does not heal unless somebody acts.
    type: int
    default: 10
  force_conflicts:
    description: Whether to take over fields that other field managers have set otherwise.
    type: bool
    default: false
  adopt_from:
    description:
      - V(direct) takes over what M(fleet.olm.bundle_install) has installed under this name, without a restart of anything. It has to be in the
        version range and of the configuration that the task gives, and the cluster as OLM v1 would make it; else it is refused with the
        differences. Where OLM v1 does not take it, everything is as before. Once it is handed over this has no effect.
    type: str
    choices: [direct]
  delete_crds:
    description: Names of CRDs of the extension to delete with it. One that has custom resources is refused unless O(delete_custom_resources) names it, too.
    type: list
    elements: str
    default: []
  delete_custom_resources:
    description: Names of CRDs, out of O(delete_crds), all custom resources of which are to be deleted first.
    type: list
    elements: str
    default: []
  backup_dest:
    description:
      - A file to write the custom resources of the extension to before it is removed. Where there are none, none is written.
      - A file that is there already is left alone, so that a run that goes on where another was broken off does not lose what that one saved. The
        new one is written beside it, with V(.1), V(.2) and so on after its name; RV(backup_file) tells which.
    type: path
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  check_mode:
    description: Asks the API server's own dry run and changes nothing.
    support: full
  diff_mode:
    description: Shows the fields of the spec that change, and the objects that go.
    support: full
seealso:
  - module: fleet.olm.cluster_extension_info
  - module: fleet.olm.cluster_catalog
  - module: fleet.olm.bundle_install
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Have a catalog to install from
  fleet.olm.cluster_catalog:
    name: example
    image: registry.example.com/catalog:v1

- name: Install an operator
  fleet.olm.cluster_extension:
    name: greeter
    namespace: greeter-system
    create_namespace: true
    package: greeter
    version: 1.0.0

- name: Upgrade it
  fleet.olm.cluster_extension:
    name: greeter
    namespace: greeter-system
    package: greeter
    version: 1.1.x
    channels: [stable]

- name: See what removing it would delete, and what it would leave
  fleet.olm.cluster_extension:
    name: greeter
    state: absent
  check_mode: true

- name: Remove it, and its CRD, too
  fleet.olm.cluster_extension:
    name: greeter
    state: absent
    delete_crds:
      - greetings.greeter.example.com
"""

RETURN = r"""
extension:
  description: The extension.
  returned: success
  type: dict
  sample: {name: greeter, namespace: greeter-system, engine: olm}
object:
  description: The ClusterExtension as the API server has it; null where there is none. In check mode as it would be.
  returned: success
  type: dict
  sample: {apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: greeter}}
bundle:
  description: The bundle that is installed; null where none is.
  returned: success
  type: dict
  sample: {name: greeter.v1.1.0, version: 1.1.0}
resolved:
  description: The bundle that the catalogs have for it; null where that was not looked up, or none is.
  returned: when O(state=present)
  type: dict
  sample: {name: greeter.v1.1.0, package: greeter, version: 1.1.0, image: "registry.example.com/greeter-bundle:1.1.0", catalog: example}
why:
  description: What each rule of resolution did in each catalog, as M(fleet.olm.catalog_resolve) returns it.
  returned: when O(state=present)
  type: list
  elements: dict
  sample: []
changes:
  description: What differs between the installed bundle and the resolved one; empty where they are the same or cannot be read.
  returned: when O(state=present)
  type: dict
  sample: {from: greeter.v1.0.0, to: greeter.v1.1.0, permissions_gained: [], permissions_lost: [], crds: []}
conditions:
  description: The conditions of the ClusterExtension. C(current) says whether one is about the spec as it is now.
  returned: always
  type: list
  elements: dict
  sample:
    - {type: Installed, status: "True", reason: Succeeded, message: Installed bundle registry.example.com/greeter:1.1.0 successfully, current: true}
plan:
  description:
    - What was done, or would be in check mode. C(action) is C(create), C(update) with the fields, C(keep), C(prune) for what goes or C(retain) for what stays.
  returned: always
  type: list
  elements: dict
  sample:
    - action: update
      kind: ClusterExtension
      name: greeter
      namespace: null
      fields: [{path: spec.source.catalog.version, before: 1.0.0, after: 1.1.x}]
backed_up:
  description: How many custom resources were written to O(backup_dest).
  returned: when O(backup_dest) is given and something was removed
  type: int
  sample: 3
backup_file:
  description: The file that they were written to; null where there were none.
  returned: when O(backup_dest) is given and something was removed
  type: str
  sample: /backup/greeter.yaml
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 2
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.observe import CONNECTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.extension.task import OLM_OPTIONS, olm_task


def run(call: Call) -> Outcome:
    with Client(Connection.from_options(call.options), dry_run=call.check_mode, connections=CONNECTIONS) as client:
        return olm_task(call, client)


PROGRAM = Program(
    argument_spec={**CONNECTION_OPTIONS, **REGISTRY_OPTIONS, **OLM_OPTIONS},
    run=run,
    constraints={"required_if": [("state", "present", ["namespace", "package"])]},
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
