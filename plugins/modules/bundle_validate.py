#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_validate
short_description: Whether an operator bundle can be installed, and whether a configuration fits it
version_added: 0.1.0
description:
  - Checks a bundle as OLM v1 would before it installs it and, with O(namespace), a configuration for it. Every problem is told at once.
  - Of an image it is also checked whether its labels, by which OLM v0 and catalogs know it, say what its annotations say.
  - Changes nothing and needs no cluster.
options:
  namespace:
    description: The namespace that the operator is to be installed in. With it O(config) is checked, too.
    type: str
  config:
    description: >-
      The configuration, as under C(spec.config.inline) of a ClusterExtension: a mapping, or text in YAML or JSON. Left out, it is checked
      whether the bundle can do without one.
    type: raw
  strict:
    description: Whether problems fail the task. Where V(false) they are only returned.
    type: bool
    default: true
extends_documentation_fragment:
  - fleet.olm.source
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: Changes nothing, so there is nothing to show.
seealso:
  - module: fleet.olm.bundle_info
  - module: fleet.olm.bundle_render
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Does this configuration fit?
  fleet.olm.bundle_validate:
    source: examples/bundles/greeter
    namespace: greeter-system
    config:
      watchNamespace: greeter-system

- name: What would be wrong with this one?
  fleet.olm.bundle_validate:
    source: examples/bundles/greeter
    namespace: greeter-system
    config:
      watchNamespaces: greeter-system
    strict: false
  register: checked

- name: Show it
  ansible.builtin.debug:
    var: checked.problems
"""

RETURN = r"""
valid:
  description: Whether there is no problem.
  returned: success
  type: bool
  sample: false
problems:
  description: Everything that is wrong, one line each.
  returned: always
  type: list
  elements: str
  sample: ["invalid bundle configuration: unknown key 'watchNamespaces', did you mean 'watchNamespace'?"]
bundle:
  description: Name, package and version of the bundle.
  returned: success
  type: dict
  sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0}
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.labels import format_warnings, label_problems
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import SOURCE_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.errors import Problems
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check


def run(call: Call) -> Outcome:
    loaded = load_bundle(call.options["source"], SourceOptions.from_options(call.options))
    found = check(loaded.bundle, call.options["config"], call.options["namespace"])
    problems = (*label_problems(loaded.bundle, loaded.labels), *found.problems)
    if problems and call.options["strict"]:
        raise Problems(problems)
    bundle = {"name": loaded.bundle.name, "package": loaded.bundle.package, "version": loaded.bundle.version}
    result = {"valid": not problems, "problems": list(problems), "bundle": bundle}
    return Outcome(result, warnings=(*loaded.warnings, *found.warnings, *format_warnings(loaded.bundle)))


PROGRAM = Program(
    argument_spec={
        **SOURCE_OPTIONS,
        "namespace": {"type": "str"},
        "config": {"type": "raw"},
        "strict": {"type": "bool", "default": True},
    },
    constraints={"required_by": {"config": ["namespace"]}},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
