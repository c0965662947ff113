#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_diff
short_description: What an upgrade from one operator bundle to another would change
version_added: 0.1.0
description:
  - "Compares two bundles without a cluster: permissions gained and lost, configurations that would no longer be accepted, changes of
    CRDs with their severity, images, webhooks, install modes and the Kubernetes version needed."
options:
  old:
    description: The bundle that is in use. Takes what O(fleet.olm.bundle_info#module:source) takes.
    type: raw
    required: true
  new:
    description: The bundle to upgrade to.
    type: raw
    required: true
  namespace:
    description:
      - The namespace that the operator is installed in. With it O(config) is checked against O(new).
      - The digest of the permissions gained is the same in every namespace, unless bindings that a bundle ships name a service account in this one.
    type: str
  config:
    description:
      - The configuration in use.
      - The digest of the permissions gained depends on its C(watchNamespace) where they are gained in the watched namespaces. Without it, all namespaces
        are watched or, where O(new) or O(old) does not support that, its own.
    type: raw
  format:
    description: With V(markdown) the comparison is also returned as text for a pull request.
    type: str
    choices: [data, markdown]
    default: data
extends_documentation_fragment:
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: Changes nothing, so there is nothing to show.
seealso:
  - module: fleet.olm.bundle_install
    description: Holds an upgrade that gains permissions until they are accepted by their digest.
  - module: fleet.olm.bundle_info
  - module: fleet.olm.bundle_render
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: What would the upgrade change?
  fleet.olm.bundle_diff:
    old: examples/bundles/greeter
    new: examples/bundles/greeter-1.1.0
    namespace: greeter-system
    config:
      watchNamespace: greeter-system
    format: markdown
  register: compared

- name: Hold an upgrade that gains permissions or breaks something
  ansible.builtin.assert:
    that:
      - compared.comparison.permissions.gained | length == 0
      - compared.comparison.breaking | length == 0
    fail_msg: "{{ compared.markdown }}"
  ignore_errors: true

- name: Accept just what was looked at
  ansible.builtin.debug:
    msg: "accept_permissions: {{ compared.comparison.permissions.digest }}"
"""

RETURN = r"""
comparison:
  description:
    - All that differs.
    - C(permissions.digest) is what O(fleet.olm.bundle_install#module:accept_permissions) takes for this upgrade, where the installed revision has the same
      O(config). It is V(null) where that would not ask for it, because nothing is gained there, and where the watched namespace has to be configured and
      O(config) is not given or is refused.
    - C(webhooks.changed) are webhooks of both bundles, by type and name, with the fields of their definitions that differ.
  returned: success
  type: dict
  sample:
    from: {name: greeter.v1.0.0, version: 1.0.0}
    to: {name: greeter.v1.1.0, version: 1.1.0}
    breaking: []
    permissions:
      gained: ["may read and list Secrets in all namespaces (service account greeter)"]
      lost: []
      digest: sha256:a0899e96ed1b30797e77b292aad13eec0917ef7f139c575fca4ebe38b976fb3f
    webhooks:
      added: []
      removed: []
      changed: [{webhook: ValidatingAdmissionWebhook greetings.example.com, fields: [failurePolicy, rules]}]
    images: {added: ["registry.example.com/greeter:1.1.0"], removed: ["registry.example.com/greeter:1.0.0"]}
markdown:
  description: The comparison as text.
  returned: when O(format=markdown)
  type: str
  sample: "## greeter.v1.0.0 → greeter.v1.1.0"
"""

from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import as_data, compare_bundles
from ansible_collections.fleet.olm.plugins.module_utils.compare.markdown import as_markdown
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    access = SourceOptions.from_options(call.options)
    old, new = (load_bundle(call.options[name], access) for name in ("old", "new"))
    comparison = compare_bundles(old.bundle, new.bundle, call.options["config"], call.options["namespace"])
    result: dict[str, Any] = {"comparison": as_data(comparison)}
    if call.options["format"] == "markdown":
        result["markdown"] = as_markdown(comparison)
    return Outcome(result, warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))))


PROGRAM = Program(
    argument_spec={
        **REGISTRY_OPTIONS,
        "old": {"type": "raw", "required": True},
        "new": {"type": "raw", "required": True},
        "namespace": {"type": "str"},
        "config": {"type": "raw"},
        "format": {"type": "str", "choices": ["data", "markdown"], "default": "data"},
    },
    constraints={"required_by": {"config": ["namespace"]}},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
