#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_init
short_description: Begin an operator bundle from the manifests that one would apply by hand
version_added: 0.1.0
description:
  - Writes what manifests lack to be a bundle. For the format k8s+v1 that is an C(olm.yaml) with everything filled in that the manifests
    say, and comments on what a person has to add; for registry+v1, annotations and dependencies. For both, a Dockerfile that docker,
    podman and buildah take, although M(fleet.olm.bundle_build) needs none of them.
  - What is there already stays as it is, unless O(overwrite) or O(update) say otherwise. A second run changes nothing.
options:
  src:
    description: The directory with the manifests. Without any, O(format) is needed, and defaults are written.
    type: path
    required: true
  dest:
    description: The directory to make the bundle in. Left out, it is O(src).
    type: path
  format:
    description: >-
      The format of the bundle. Left out, it is inferred: registry+v1 where there is a ClusterServiceVersion, else k8s+v1.
    type: str
    choices: [registry+v1, k8s+v1]
  package:
    description: The name of the package. Left out, it is the name of the first Deployment, or what the ClusterServiceVersion is called.
    type: str
  version:
    description: The version of the operator. Left out, it is what labels or the image of the Deployment say.
    type: str
  update:
    description:
      - Whether to refresh what is inferred in a bundle that is there, namely C(apis) in C(olm.yaml), the copies of the manifests, and a Dockerfile that was
        written here.
      - Everything else in C(olm.yaml) stays as people wrote it, comments included.
    type: bool
    default: false
  overwrite:
    description: Whether files that are there are replaced, whatever people wrote into them.
    type: bool
    default: false
attributes:
  check_mode:
    description: Can run in check_mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.bundle_validate
  - module: fleet.olm.bundle_build
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: From plain manifests to a bundle
  fleet.olm.bundle_init:
    src: examples/manifests/kiali
    dest: bundle/kiali
  register: begun

- name: What is left to fill in
  ansible.builtin.debug:
    var: begun.fill_in

- name: After the manifests have changed
  fleet.olm.bundle_init:
    src: examples/manifests/kiali
    dest: bundle/kiali
    update: true
"""

RETURN = r"""
format:
  description: The format of the bundle.
  returned: success
  type: str
  sample: k8s+v1
files:
  description: The files of the bundle below O(dest).
  returned: success
  type: list
  elements: str
  sample: [Dockerfile, annotations.yaml, deployment.yaml, olm.yaml]
written:
  description: Those that are new or changed.
  returned: success
  type: list
  elements: str
  sample: [olm.yaml]
kept:
  description: Those that were left as they are although they would be written otherwise.
  returned: success
  type: list
  elements: str
  sample: [olm.yaml]
fill_in:
  description: What a person has to look at or add.
  returned: success
  type: list
  elements: str
  sample: [minKubeVersion, displayName]
inferred:
  description: What the manifests say, namely package, version, install modes, provided APIs, and resources whose kind is not known.
  returned: when the format is k8s+v1
  type: dict
  sample: {package: greeter, version: 1.0.0, install_modes: [AllNamespaces]}
"""

from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.authoring.scaffold import scaffold
from ansible_collections.fleet.olm.plugins.module_utils.authoring.writing import plan_adding, plan_writing
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    src = Path(options["src"])
    dest = Path(options["dest"] or src)
    made = scaffold(src, dest, options["format"], options["package"], options["version"], update=options["update"])
    if options["overwrite"]:
        plan = plan_writing(dest, made.files, overwrite=True)
    else:
        plan = plan_adding(dest, made.files, made.refreshed)
    if plan.changed and not call.check_mode:
        plan.carry_out()
    result: dict[str, Any] = {
        "format": made.format,
        "files": sorted(made.files),
        "written": plan.written,
        "kept": list(plan.kept),
        "fill_in": list(made.fill_in),
    }
    if made.found:
        result["inferred"] = {
            "package": made.found.package,
            "version": made.found.version,
            "install_modes": list(made.found.install_modes),
            "apis": [dict(api) for api in made.found.apis],
            "unknown": [{"group": group, "resource": resource} for group, resource in made.found.unknown],
        }
    if call.diff:
        result["diff"] = plan.diff
    return Outcome(result, changed=plan.changed, warnings=made.warnings)


PROGRAM = Program(
    argument_spec={
        "src": {"type": "path", "required": True},
        "dest": {"type": "path"},
        "format": {"type": "str", "choices": ["registry+v1", "k8s+v1"]},
        "package": {"type": "str"},
        "version": {"type": "str"},
        "update": {"type": "bool", "default": False},
        "overwrite": {"type": "bool", "default": False},
    },
    constraints={"mutually_exclusive": [("update", "overwrite")]},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
