#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: gitops_tree
short_description: Write what a fleet runs as a tree of files for Argo CD, Flux or Open Cluster Management
version_added: 0.1.0
description:
  - Renders the extensions of all clusters, as M(fleet.olm.bundle_render) does, and writes them to a directory that a GitOps engine applies from. No
    cluster is asked.
  - C(bases/NAME-DIGEST) has the manifests of an extension, shared by all clusters that run it alike. C(clusters/CLUSTER/NAME/kustomization.yaml) names the
    base, and C(clusters/CLUSTER/kustomization.yaml) everything that the cluster runs.
  - The same input gives the same bytes. Committing them is left to your tools; RV(summary) is what to put under the pull request.
options:
  clusters:
    description:
      - The extensions of each cluster, by the name of the cluster, which becomes a folder. Takes RV(fleet.olm.fleet_lock#module:extensions); what is only for
        those who install by themselves, such as C(engine) and C(wave), is not looked at.
      - Each has C(name), C(namespace) and C(source), which takes what O(fleet.olm.bundle_render#module:source) takes and should be pinned, and may have
        C(config), C(certificate_provider) and C(image_mirrors) as M(fleet.olm.bundle_render) has them, and C(create_namespace).
        Where nothing or V(auto) says who issues certificates, it is cert-manager, since no cluster is asked.
    type: dict
    required: true
  dest:
    description:
      - The directory to write to. It is made where it is missing.
      - Files that were written here before and no longer belong are removed. Other files are never touched.
    type: path
    required: true
  hand_over:
    description: Who is to apply the tree. Each gets the objects that tell it where to find what, in a folder of its own.
    type: list
    elements: dict
    default: []
    suboptions:
      to:
        description: V(argocd) reads C(argocd), V(flux) reads C(flux), and the hub of Open Cluster Management, V(ocm), reads C(ocm).
        type: str
        choices: [argocd, flux, ocm]
        required: true
      kind:
        description:
          - For V(argocd), V(Application), one a cluster, or V(ApplicationSet), one for all. For V(ocm), V(ManifestWork), one for each extension of a
            cluster, or V(ManifestWorkReplicaSet), one for all clusters that run an extension alike. The first is the default.
        type: str
        choices: [Application, ApplicationSet, ManifestWork, ManifestWorkReplicaSet]
      repository:
        description: The URL that the engine reads the tree from. Needed by V(argocd) and V(flux). For V(flux) C(oci://) makes an OCIRepository.
        type: str
      revision:
        description:
          - The branch to follow. V(HEAD) for V(argocd) and V(main) for V(flux) where it is not given.
          - For V(flux) it may also be a Git reference such as V(refs/tags/v1), and with C(oci://) it is a tag or a digest.
        type: str
      path:
        description: Where O(dest) lies in the repository.
        type: str
        default: ""
      name:
        description: What the objects are called, or begin with.
        type: str
        default: operators
      namespace:
        description: The namespace of the objects. V(argocd), V(flux-system) or, for sets of V(ocm), V(default) where it is not given.
        type: str
      project:
        description: For V(argocd), the project.
        type: str
        default: default
      interval:
        description: For V(flux), how often to look.
        type: str
        default: 10m
      kubeconfig_secret:
        description:
          - For V(flux), the Secret with the kubeconfig of a cluster, with V({cluster}) for its name, such as V({cluster}-kubeconfig). C(flux) is then for
            one hub. Without it each cluster runs Flux itself and reads C(flux/CLUSTER).
        type: str
      cluster_label:
        description: For sets of V(ocm), the label of a ManagedCluster that has its name.
        type: str
        default: name
  summary_dest:
    description: A file to write RV(summary) to. It is not part of the tree.
    type: path
extends_documentation_fragment:
  - fleet.olm.registry
attributes:
  check_mode:
    description: Can run in check_mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.fleet_lock
  - module: fleet.olm.bundle_render
  - module: fleet.olm.bundle_diff
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Two clusters that run the same, and one that is ahead
  fleet.olm.gitops_tree:
    dest: gitops
    clusters:
      edge-1: &edge
        - name: greeter
          namespace: greeter-system
          create_namespace: true
          source: examples/bundles/greeter
      edge-2: *edge
      canary:
        - name: greeter
          namespace: greeter-system
          create_namespace: true
          source: examples/bundles/greeter-1.1.0
    hand_over:
      - to: argocd
        kind: ApplicationSet
        repository: https://git.example.com/fleet.git
        path: gitops
  register: tree

- name: What to put under the pull request
  ansible.builtin.debug:
    var: tree.summary
"""

RETURN = r"""
files:
  description: The files below O(dest), whether or not they changed.
  returned: success
  type: list
  elements: str
  sample: [bases/greeter-4be1a90c21d7/kustomization.yaml, clusters/edge-1/kustomization.yaml]
written:
  description: Those that are new or changed.
  returned: success
  type: list
  elements: str
  sample: [clusters/edge-1/greeter/kustomization.yaml]
removed:
  description: Files that no longer belong.
  returned: success
  type: list
  elements: str
  sample: [bases/greeter-77af02b1c9e3/kustomization.yaml]
changes:
  description: What changes on which clusters, with the version before and after, the objects, and the permissions that are gained.
  returned: success
  type: list
  elements: dict
  sample:
    - extension: greeter
      from: 1.0.0
      to: 1.1.0
      clusters: [edge-1, edge-2]
      permissions_gained: ["may list and read Secrets in all namespaces (service account greeter)"]
      objects: {added: [], changed: [deployment-greeter], removed: []}
summary:
  description: The same in Markdown.
  returned: success
  type: str
  sample: "## Operators of the fleet"
"""

from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.gitops.description import fleet_of
from ansible_collections.fleet.olm.plugins.module_utils.gitops.hand_over import HAND_OVER_OPTIONS, hand_overs
from ansible_collections.fleet.olm.plugins.module_utils.gitops.rendering import render_fleet
from ansible_collections.fleet.olm.plugins.module_utils.gitops.summary import summarise
from ansible_collections.fleet.olm.plugins.module_utils.gitops.tree import FOLDERS, tree_files
from ansible_collections.fleet.olm.plugins.module_utils.manifests.files import plan_file, write_file
from ansible_collections.fleet.olm.plugins.module_utils.manifests.tree import plan_files, write_tree


def run(call: Call) -> Outcome:
    options = call.options
    wanted = hand_overs(options["hand_over"])
    placed, warnings = render_fleet(fleet_of(options["clusters"]), SourceOptions.from_options(options))
    plan = plan_files(Path(options["dest"]), tree_files(placed, wanted), FOLDERS)
    summary = summarise(plan, data_stays=bool(wanted))
    note = plan_file(options["summary_dest"], summary.markdown) if options["summary_dest"] else None
    changed = plan.changed or bool(note and note.changed)
    if not call.check_mode:
        if plan.changed:
            write_tree(plan)
        if note and note.changed:
            write_file(note)
    result: dict[str, Any] = {
        "files": sorted(plan.files),
        "written": sorted(plan.written),
        "removed": plan.removed,
        "changes": [dict(change) for change in summary.changes],
        "summary": summary.markdown,
    }
    if call.diff:
        result["diff"] = [*plan.diff, *([note.diff] if note and note.changed else [])]
    return Outcome(result, changed=changed, warnings=warnings)


PROGRAM = Program(
    argument_spec={
        **REGISTRY_OPTIONS,
        **HAND_OVER_OPTIONS,
        "clusters": {"type": "dict", "required": True},
        "dest": {"type": "path", "required": True},
        "summary_dest": {"type": "path"},
    },
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
