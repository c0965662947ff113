# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What comparing two CRDs of a megabyte costs, beside what Python needs to see that they are equal.

Prints ratios; asserts nothing.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.benchmarks.measure import best


def schema(depth: int) -> dict[str, Any]:
    """An object of objects, as deep and as wordy as published ones."""
    words = f"What the field at level {depth} is for, in a sentence or two that someone may read. " * 2
    if depth == 0:
        return {"type": "string", "description": words}
    fields = {f"field{number}": schema(depth - 1) for number in range(8)}
    return {"type": "object", "description": words, "properties": fields, "required": ["field1"]}


def crd(words: str = "") -> dict[str, Any]:
    """A CRD, with a word more in every description."""
    text = json.dumps(schema(4)).replace("someone", f"someone {words}".strip())
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": json.loads(text)}}
    return {"metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com", "versions": [version]}}


def main() -> None:
    """Print the table."""
    old, equal, reworded, one = crd(), crd(), crd("else"), crd()
    one["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["field7"]["maxProperties"] = 5
    anchor = best(lambda: old == equal) * 1000
    print(f"two CRDs of {len(json.dumps(old)) / 1e6:.1f} MB: == takes {anchor:.2f} ms")
    for what, new in (("equal", equal), ("one keyword differs", one), ("every description differs", reworded)):
        cost, changes = best(partial(compare_crds, old, new)) * 1000, len(compare_crds(old, new))
        print(f"{what:28}{changes:6} changes{cost:9.2f} ms{cost / anchor:8.1f} x ==")


if __name__ == "__main__":
    main()
