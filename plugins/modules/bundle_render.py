#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_render
short_description: The manifests that OLM v1 would make of an operator bundle
version_added: 0.1.0
description:
  - Renders a bundle for a namespace and a configuration into plain manifests, exactly as OLM v1's operator-controller would, without
    a cluster. They are returned in the order to apply them in and, with O(dest), written to files.
  - The same input gives the same bytes.
options:
  namespace:
    description: The namespace that the operator is to be installed in.
    type: str
    required: true
  config:
    description: >-
      The configuration, as under C(spec.config.inline) of a ClusterExtension: a mapping, or text in YAML or JSON.
    type: raw
  certificate_provider:
    description: Who issues the certificates of webhooks on the cluster.
    type: str
    choices: [cert-manager, openshift-service-ca, none]
    default: cert-manager
  image_mirrors:
    description:
      - Registries to take images from instead, as in an ImageDigestMirrorSet. Of several that fit the longest O(image_mirrors[].source) counts.
      - Images of pods and variables named C(RELATED_IMAGE_*) are replaced, and listed in RV(images_mirrored). OLM v1 does no such thing.
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
  dest:
    description:
      - A directory to write the manifests to, one file an object, with a C(kustomization.yaml). It is made where it is missing.
      - Files that were rendered there before and no longer belong are removed. Other files are never touched.
    type: path
extends_documentation_fragment:
  - fleet.olm.source
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: full
seealso:
  - module: fleet.olm.bundle_validate
  - module: fleet.olm.bundle_diff
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Render for review, exactly as OLM v1 would
  fleet.olm.bundle_render:
    source: examples/bundles/greeter
    namespace: greeter-system
    config:
      watchNamespace: greeter-system
      deploymentConfig:
        tolerations:
          - key: dedicated
            operator: Exists
    dest: rendered/greeter

- name: Render for a cluster that pulls from its own registry
  fleet.olm.bundle_render:
    source: examples/bundles/greeter
    namespace: greeter-system
    image_mirrors:
      - source: registry.example.com/greeter
        mirror: mirror.example.com/approved/greeter
  register: rendered
"""

RETURN = r"""
manifests:
  description: The manifests, in the order to apply them in.
  returned: success
  type: list
  elements: dict
  sample: [{apiVersion: v1, kind: ServiceAccount, metadata: {name: greeter, namespace: greeter-system}}]
digest:
  description: Tells two renderings apart.
  returned: success
  type: str
  sample: sha256:77af
files:
  description: The files below O(dest), whether or not they changed.
  returned: when O(dest) is given
  type: list
  elements: str
  sample: [kustomization.yaml, serviceaccount-greeter.yaml]
images_mirrored:
  description: The images that were replaced because of O(image_mirrors).
  returned: success
  type: list
  elements: dict
  sample: [{image: registry.example.com/greeter:1.0.0, by: mirror.example.com/approved/greeter:1.0.0}]
bundle:
  description: Name, package and version of the bundle, and the digest of its source.
  returned: success
  type: dict
  sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0, digest: sha256:4be1}
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import unsupported
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import SOURCE_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.manifests.mirrors import MIRROR_OPTIONS, Mirror, mirror_images
from ansible_collections.fleet.olm.plugins.module_utils.render.check import configured
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import digest, render


def run(call: Call) -> Outcome:
    options = call.options
    loaded = load_bundle(options["source"], SourceOptions.from_options(options))
    bundle, namespace = loaded.bundle, options["namespace"]
    config, advice = configured(bundle, options["config"], namespace)
    rendered = render(bundle, config, namespace, options["certificate_provider"])
    mirrors = tuple(Mirror(**rule) for rule in options["image_mirrors"])
    manifests, mirrored = mirror_images(rendered, mirrors)
    result: dict[str, Any] = {
        "manifests": list(manifests),
        "digest": digest(manifests),
        "images_mirrored": [asdict(item) for item in mirrored],
        "bundle": {
            "name": bundle.name,
            "package": bundle.package,
            "version": bundle.version,
            "digest": loaded.digest,
        },
    }
    changed = False
    if options["dest"]:
        # Only here: most of what writing takes to import is for YAML.
        from ansible_collections.fleet.olm.plugins.module_utils.manifests.tree import plan_tree, write_tree

        plan = plan_tree(Path(options["dest"]), manifests)
        changed = plan.changed
        result["files"] = sorted(plan.files)
        if call.diff:
            result["diff"] = plan.diff
        if changed and not call.check_mode:
            write_tree(plan)
    return Outcome(result, changed=changed, warnings=(*loaded.warnings, *unsupported(bundle), *advice))


PROGRAM = Program(
    argument_spec={
        **SOURCE_OPTIONS,
        **MIRROR_OPTIONS,
        "namespace": {"type": "str", "required": True},
        "config": {"type": "raw"},
        "certificate_provider": {
            "type": "str",
            "choices": ["cert-manager", "openshift-service-ca", "none"],
            "default": "cert-manager",
        },
        "dest": {"type": "path"},
    },
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
