#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_convert
short_description: Turn an operator bundle into another format
version_added: 0.1.0
description:
  - Writes a bundle of the format registry+v1, with a ClusterServiceVersion, as k8s+v1, plain manifests and an C(olm.yaml), or the other way round.
  - What comes out is rendered to the same operator. It is read back before anything is written, so that a bundle that the other format
    cannot express is refused, with the reasons. Wildcards in the permissions of the operator, for example, are not accepted in k8s+v1. What has no place
    and changes nothing that runs, such as annotations of a Deployment itself in registry+v1, is left out with a warning.
  - OLM v1 does not know the format k8s+v1. Convert such a bundle to registry+v1 for clusters on which OLM v1 installs it.
options:
  dest:
    description:
      - The directory to write to, laid out as in an image, with C(manifests) and C(metadata). It is made where it is missing.
      - Manifests in it that are not written now, those of another version of the bundle for example, are an error, since they would become part of the bundle.
    type: path
    required: true
  format:
    description: The format to write.
    type: str
    choices: [registry+v1, k8s+v1]
    required: true
  overwrite:
    description: Whether files in O(dest) that have another content are replaced. Without it they are an error, and nothing is written.
    type: bool
    default: false
extends_documentation_fragment:
  - fleet.olm.source
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.bundle_init
  - module: fleet.olm.bundle_build
  - module: fleet.olm.bundle_validate
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: A bundle of plain manifests, for clusters with OLM
  fleet.olm.bundle_convert:
    source: examples/bundles/kiali-k8sv1
    dest: converted/kiali
    format: registry+v1

- name: A bundle without a ClusterServiceVersion to maintain
  fleet.olm.bundle_convert:
    source: examples/bundles/greeter
    dest: converted/greeter
    format: k8s+v1
"""

RETURN = r"""
files:
  description: The files of the bundle below O(dest), whether or not they changed.
  returned: success
  type: list
  elements: str
  sample: [manifests/deployments.yaml, metadata/olm.yaml]
bundle:
  description: Name, package and version of the bundle.
  returned: success
  type: dict
  sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0}
"""

from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.authoring.bundle_files import DEPENDENCIES
from ansible_collections.fleet.olm.plugins.module_utils.authoring.convert import converted_files
from ansible_collections.fleet.olm.plugins.module_utils.authoring.writing import plan_writing, refuse_others
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_opened
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import SOURCE_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.csvless.files import read_dependencies_file
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    with open_source(options["source"], SourceOptions.from_options(options)) as opened:
        loaded = load_opened(opened)
        files, warnings = converted_files(loaded.bundle, options["format"])
        dependencies = read_dependencies_file(opened.directory)[1]
    if dependencies:
        files[DEPENDENCIES] = dependencies
    dest = Path(options["dest"])
    refuse_others(dest, files)
    plan = plan_writing(dest, files, overwrite=options["overwrite"])
    if plan.changed and not call.check_mode:
        plan.carry_out()
    bundle = {"name": loaded.bundle.name, "package": loaded.bundle.package, "version": loaded.bundle.version}
    result: dict[str, Any] = {"files": sorted(files), "bundle": bundle}
    if call.diff:
        result["diff"] = plan.diff
    return Outcome(result, changed=plan.changed, warnings=(*loaded.warnings, *warnings))


PROGRAM = Program(
    argument_spec={
        **SOURCE_OPTIONS,
        "dest": {"type": "path", "required": True},
        "format": {"type": "str", "required": True, "choices": ["registry+v1", "k8s+v1"]},
        "overwrite": {"type": "bool", "default": False},
    },
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
