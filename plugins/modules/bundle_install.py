#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_install
short_description: Install, upgrade, roll back and remove an operator bundle on a cluster without any OLM
version_added: 0.1.0
description:
  - Renders a bundle exactly as OLM v1 would and puts it on a cluster by server-side apply. Nothing is left running on the cluster
    but the operator itself.
  - Everything that could go wrong is checked before the first change, and told at once. A run that is broken off, however hard, is
    finished by the next one. A second run changes nothing.
  - Each install and upgrade is a revision. Its record is a Secret of the type C(fleet.olm/revision.v1) in the install namespace, with what
    pruning and rolling back take.
  - CRDs and custom resources are never deleted unless they are asked for by name.
options:
  name:
    description: The name of the extension. It is unique on a cluster.
    type: str
    required: true
  namespace:
    description: The namespace that the operator is installed in. It cannot be changed later.
    type: str
    required: true
  state:
    description:
      - V(present) installs, upgrades, or mends what drifted.
      - V(rolled_back) makes the extension what it was in an earlier revision, from the record on the cluster. Doing it twice does not go
        back further.
      - V(absent) removes it. CRDs and custom resources stay, see O(delete_crds).
    type: str
    choices: [present, absent, rolled_back]
    default: present
  source:
    description:
      - The bundle; required to install one. See M(fleet.olm.bundle_info) for what it can be.
      - "A bundle of a catalog, given as a mapping, follows the upgrades of the catalog: it is the best that can be upgraded to at once from the installed
        one, as OLM v1 takes it. Where the mapping has V(policy: SelfCertified), it is the best of the range, whatever is installed."
      - "The mapping's V(catalog) can be V({cluster_catalog: NAME}), a ClusterCatalog of the cluster."
    type: raw
  create_namespace:
    description: Whether to create the install namespace where it is missing. A namespace made so goes with the extension if it is empty then.
    type: bool
    default: false
  config:
    description: >-
      The configuration, as under C(spec.config.inline) of a ClusterExtension: a mapping, or text in YAML or JSON.
    type: raw
  certificate_provider:
    description: Who issues the certificates of webhooks. V(auto) takes what the cluster has.
    type: str
    choices: [auto, cert-manager, openshift-service-ca, none]
    default: auto
  image_mirrors:
    description: Registries to take images from instead, as for M(fleet.olm.bundle_render).
    type: list
    elements: dict
    default: []
    suboptions:
      source:
        description: The beginning of images to replace, up to a slash, colon or the end.
        type: str
        required: true
      mirror:
        description: What to put in its place.
        type: str
        required: true
  revision:
    description: The revision to roll back to. Left out, it is the last good one.
    type: int
  wait:
    description: Whether to wait until the extension is what O(wait_for) says, or is gone.
    type: bool
    default: true
  wait_timeout:
    description: How long to wait for any one thing, in seconds.
    type: int
    default: 300
  wait_for:
    description:
      - V(ready) waits until Deployments are available, CRDs established, certificates ready, and webhooks have endpoints and a CA.
      - V(applied) waits for nothing but CRDs to be established, which everything else needs.
    type: str
    choices: [ready, applied]
    default: ready
  adopt:
    description: Whether to take over objects that are there already and belong to nobody.
    type: bool
    default: false
  adopt_from:
    description:
      - V(olm) takes over what a ClusterExtension of this name has installed, without a restart of anything. O(source) and O(config) have to be what OLM v1
        has, and the cluster as we would render it; else it is refused with the differences. Where that fails half-way, the ClusterExtension gets everything
        back. Once it is taken over this has no effect.
    type: str
    choices: [olm]
  force_conflicts:
    description: Whether to take over fields that somebody else set. Fields that the extension had set before are mended anyway.
    type: bool
    default: false
  accept_permissions:
    description:
      - An upgrade that gains permissions stops and tells them, with a digest. This option accepts that gain, by its digest, or V(all).
      - M(fleet.olm.bundle_diff) tells the digest beforehand.
      - First installs return their permissions for review.
    type: str
  crd_safety:
    description:
      - What happens to changes of CRDs that could hurt custom resources.
      - V(live) looks at the custom resources that are there and refuses only what would hurt one, by name. Where they cannot be listed, it
        is as V(strict), which refuses whatever could hurt one. V(warn) tells and goes on, V(off) does not look.
    type: str
    choices: [live, strict, warn, "off"]
    default: live
  delete_crds:
    description:
      - Names of CRDs of the extension to delete with it, for example V(greetings.greeter.example.com). Refused while custom resources exist.
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
      - A file to write the custom resources of the extension to before it is removed or rolled back. Where there are none, none is written.
      - A file that is there already is left alone, so that a run that goes on where another was broken off does not lose what that one saved. The
        new one is written beside it, with V(.1), V(.2) and so on after its name; RV(backup_file) tells which.
    type: path
  history_limit:
    description: How many revisions to keep. The last good one is never dropped.
    type: int
    default: 5
extends_documentation_fragment:
  - fleet.olm.cluster
  - fleet.olm.registry
attributes:
  check_mode:
    description: Plans with the API server's own dry run and changes nothing.
    support: full
  diff_mode:
    description: Shows the fields of the plan. The contents of Secrets are hidden.
    support: full
seealso:
  - module: fleet.olm.bundle_install_info
  - module: fleet.olm.bundle_render
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Install an operator
  fleet.olm.bundle_install:
    name: greeter
    source: examples/bundles/greeter
    namespace: greeter-system
    create_namespace: true

- name: Upgrade it, knowing that it will be able to read Secrets
  fleet.olm.bundle_install:
    name: greeter
    source: examples/bundles/greeter-1.1.0
    namespace: greeter-system
    accept_permissions: all

- name: Go back
  fleet.olm.bundle_install:
    name: greeter
    namespace: greeter-system
    state: rolled_back

- name: Remove it, and its CRD, too
  fleet.olm.bundle_install:
    name: greeter
    namespace: greeter-system
    state: absent
    delete_crds:
      - greetings.greeter.example.com
"""

RETURN = r"""
extension:
  description: The extension.
  returned: success
  type: dict
  sample: {name: greeter, namespace: greeter-system, engine: direct}
bundle:
  description: The bundle that the extension is made of.
  returned: unless removed
  type: dict
  sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0, digest: sha256:4be1, reference: examples/bundles/greeter}
revision:
  description: The number of the revision; null where the extension is not there.
  returned: success, and when a change was begun and not finished
  type: int
  sample: 1
plan:
  description:
    - What was done, or would be in check mode. C(action) is C(create), C(update) with the fields, C(recreate), C(keep), C(prune), or C(retain)
      for what stays although the bundle no longer has it. C(why) is there where it is not obvious.
  returned: success, and when a change was begun and not finished
  type: list
  elements: dict
  sample:
    - {action: update, kind: Deployment, name: greeter, namespace: greeter-system, fields: [{path: spec.replicas, before: 2, after: 1}]}
conditions:
  description: What was waited for.
  returned: success
  type: list
  elements: dict
  sample: [{object: Deployment greeter-system/greeter, condition: Available, seconds: 1.2}]
permissions:
  description: What the operator may do, in words, and what it gained over the revision before with the digest that accepts that.
  returned: when something was installed or upgraded
  type: dict
  sample:
    all: [may read and list Secrets in all namespaces (service account greeter)]
    gained: []
    digest: null
why:
  description: Which bundles of the catalog each rule left out, as M(fleet.olm.catalog_resolve) tells it.
  returned: when a O(source) in a catalog leads to no bundle
  type: list
  elements: dict
  sample: [{catalog: examples/catalog, priority: 0, steps: [], candidates: []}]
changes:
  description: Changes of O(source) that would work, the smallest first, with the bundle that each leads to.
  returned: when a O(source) in a catalog leads to no bundle
  type: list
  elements: dict
  sample: [{options: {version: 1.2.0}, bundle: greeter.v1.2.0, message: 1.1.0 → 1.4.0 needs 1.2.0 first}]
notes:
  description: What was looked at and found harmless.
  returned: success
  type: list
  elements: str
  sample: []
backed_up:
  description: How many custom resources were written to O(backup_dest).
  returned: when O(backup_dest) is given and something was changed
  type: int
  sample: 3
backup_file:
  description: The file that they were written to; null where there were none.
  returned: when O(backup_dest) is given and something was changed
  type: str
  sample: /backup/greeter.yaml
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 9
bytes_sent:
  description: How many bytes the bodies of those requests had.
  returned: success
  type: int
  sample: 0
bytes_received:
  description: How many bytes the bodies of the answers had.
  returned: success
  type: int
  sample: 20480
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.observe import CONNECTIONS
from ansible_collections.fleet.olm.plugins.module_utils.direct.task import DIRECT_OPTIONS, direct_task
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    with Client(Connection.from_options(call.options), dry_run=call.check_mode, connections=CONNECTIONS) as client:
        if call.options["adopt_from"] != "olm":
            return direct_task(call, client)
        # Only here: a module in a process of its own compiles all that it imports.
        from ansible_collections.fleet.olm.plugins.module_utils.extension.to_direct import adopt_from_olm

        return direct_task(call, client, put=adopt_from_olm)


PROGRAM = Program(
    argument_spec={**CONNECTION_OPTIONS, **REGISTRY_OPTIONS, **DIRECT_OPTIONS},
    run=run,
    constraints={"required_if": [("state", "present", ["source"])]},
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
