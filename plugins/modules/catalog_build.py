#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: catalog_build
short_description: Make the image of a catalog
version_added: 0.1.0
description:
  - Makes an image of a catalog directory that catalogd accepts, with one layer and the label that says where the catalog lies in it.
  - The same files give the same digest, whoever builds them and when.
  - Refuses a catalog that C(opm) would refuse.
options:
  catalog:
    description: The directory of the file-based catalog. Files that C(.indexignore) names are left out.
    type: path
    required: true
  dest:
    description: A directory to write the image to, as OCI image layout. Another image in it is replaced.
    type: path
  push:
    description: Where to push the image to, V(docker://HOST[:PORT]/REPOSITORY:TAG).
    type: str
  labels:
    description: Further labels of the image.
    type: dict
    default: {}
extends_documentation_fragment:
  - fleet.olm.registry
attributes:
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: An image has no text to show.
seealso:
  - module: fleet.olm.catalog_bundle
  - module: fleet.olm.catalog_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Make the image of a catalog
  fleet.olm.catalog_build:
    catalog: examples/catalog
    dest: catalog-image
  register: built

- name: Read it back
  fleet.olm.catalog_info:
    catalog: catalog-image
"""

RETURN = r"""
digest:
  description: The digest of the image's manifest.
  returned: success
  type: str
  sample: sha256:9f2c
reference:
  description: The image by digest, as clusters are to pull it.
  returned: when O(push) is given
  type: str
  sample: registry.example.com/catalog@sha256:9f2c
"""

import tempfile
from pathlib import Path
from typing import Any, NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.bundle.image_delivery import DELIVERY_OPTIONS, Delivery
from ansible_collections.fleet.olm.plugins.module_utils.bundle.options import REGISTRY_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.catalog.build import build_catalog_image
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit import open_directory
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    options = call.options
    directory = Path(options["catalog"])
    delivery = Delivery.from_options(options)
    with tempfile.TemporaryDirectory(prefix="fleet.olm-") as work:
        image = build_catalog_image(open_directory(directory), directory, _labels(options), Path(work))
        changed = delivery.deliver(image, rehearse_only=call.check_mode)
    return Outcome(delivery.told(image), changed=changed)


def _labels(options: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in options["labels"].items()}


PROGRAM = Program(
    argument_spec={
        **REGISTRY_OPTIONS,
        **DELIVERY_OPTIONS,
        "catalog": {"type": "path", "required": True},
        "labels": {"type": "dict", "default": {}},
    },
    constraints={"required_one_of": [("dest", "push")]},
    run=run,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
