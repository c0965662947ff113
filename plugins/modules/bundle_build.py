#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: bundle_build
short_description: Make the image of an operator bundle
version_added: 0.1.0
description:
  - Makes an image of a bundle without docker or podman, with one layer and the bundle's annotations as labels, and writes or pushes it.
  - The same files give the same digest, whoever builds them and when. Where the environment variable E(SOURCE_DATE_EPOCH) is set, files and image bear
    that time, else none.
  - Refuses a bundle that M(fleet.olm.bundle_validate) would refuse.
  - Does not sign and makes no SBOM. RV(reference) is what such tools want to be told.
options:
  dest:
    description: A directory to write the image to, as OCI image layout. Another image in it is replaced.
    type: path
  archive:
    description: A file to write the image to, as C(docker save) would. It is replaced.
    type: path
  push:
    description: Where to push the image to, V(docker://HOST[:PORT]/REPOSITORY:TAG).
    type: str
extends_documentation_fragment:
  - fleet.olm.source
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: An image has no text to show.
seealso:
  - module: fleet.olm.bundle_validate
  - module: fleet.olm.catalog_bundle
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Make the image of a bundle
  fleet.olm.bundle_build:
    source: examples/bundles/kiali-k8sv1
    dest: kiali-image
    archive: kiali-image.tar
  register: built

- name: Read it back
  fleet.olm.bundle_info:
    source: kiali-image
"""

RETURN = r"""
digest:
  description: The digest of the image's manifest.
  returned: success
  type: str
  sample: sha256:9f2c
reference:
  description: The image by digest, as catalogs are to name it.
  returned: when O(push) is given
  type: str
  sample: registry.example.com/greeter-bundle@sha256:9f2c
labels:
  description: The labels of the image.
  returned: success
  type: dict
  sample: {operators.operatorframework.io.bundle.package.v1: greeter}
bundle:
  description: Name, package and version of the bundle.
  returned: success
  type: dict
  sample: {name: greeter.v1.0.0, package: greeter, version: 1.0.0}
"""

import os
import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.authoring.build import build_bundle_image, date_of, image_labels
from ansible_collections.fleet.olm.plugins.module_utils.bundle.image_delivery import DELIVERY_OPTIONS, Delivery
from ansible_collections.fleet.olm.plugins.module_utils.bundle.image_docker_archive import archive_plan, write_archive
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_opened
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import SOURCE_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    delivery = Delivery.from_options(options)
    changed = False
    with (
        open_source(options["source"], delivery.access) as opened,
        tempfile.TemporaryDirectory(prefix="fleet.olm-") as scratch,
    ):
        loaded, work = load_opened(opened), Path(scratch)
        bundle = loaded.bundle
        image = build_bundle_image(bundle, opened.directory, work, date_of(os.environ.get("SOURCE_DATE_EPOCH")))
        if options["archive"]:
            tag = f"{bundle.package}:{bundle.version.replace('+', '_')}"
            made = archive_plan(Path(options["archive"]), image, tag, work)
            if made:
                changed = True
                if not call.check_mode:
                    write_archive(Path(options["archive"]), made)
        changed |= delivery.deliver(image, rehearse_only=call.check_mode)
    result: dict[str, Any] = {
        **delivery.told(image),
        "labels": image_labels(bundle),
        "bundle": {"name": bundle.name, "package": bundle.package, "version": bundle.version},
    }
    return Outcome(result, changed=changed, warnings=loaded.warnings)


PROGRAM = Program(
    argument_spec={
        **SOURCE_OPTIONS,
        **DELIVERY_OPTIONS,
        "archive": {"type": "path"},
    },
    constraints={"required_one_of": [("dest", "archive", "push")]},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
