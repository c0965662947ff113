# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The olm.bundle document that is made of a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import HELM, Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.catalog.bundle_document import (
    bundle_document,
    read_dependencies,
)
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError

CHECKOUT = Path(__file__).resolve().parents[5]
EXAMPLES = CHECKOUT / "examples" / "bundles"
CORPUS = CHECKOUT.parent / "shared" / "corpus"


def properties(document: dict[str, Any], *kinds: str) -> list[tuple[str, Any]]:
    return [(item["type"], item["value"]) for item in document["properties"] if not kinds or item["type"] in kinds]


def test_an_example() -> None:
    document = bundle_document(read_bundle(EXAMPLES / "greeter"), "registry.example.com/greeter-bundle:1.0.0", [])
    assert properties(document, "olm.package", "olm.gvk") == [
        ("olm.gvk", {"group": "greeter.example.com", "kind": "Greeting", "version": "v1"}),
        ("olm.package", {"packageName": "greeter", "version": "1.0.0"}),
    ]
    metadata = dict(properties(document))["olm.csv.metadata"]
    assert metadata["minKubeVersion"] == "1.27.0"
    assert metadata["apiServiceDefinitions"] == {}
    assert [item["image"] for item in document["relatedImages"]] == [
        "registry.example.com/greeter-bundle:1.0.0",
        "registry.example.com/greeter/controller:1.0.0",
    ]


def test_dependencies_and_declared_properties(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "dependencies.yaml").write_text(
        "dependencies:\n"
        "- {type: olm.package, value: {packageName: stamper, version: '>1.0.0'}}\n"
        "- {type: olm.gvk, value: {group: g, kind: K, version: v1}}\n"
        "- {type: olm.constraint, value: {cel: {rule: 'true'}}}\n"
    )
    csv = {
        "metadata": {
            "name": "greeter.v1.0.0",
            "annotations": {"olm.properties": '[{"type":"olm.maxOpenShiftVersion","value":"4.17"}]'},
        },
        "spec": {
            "version": "1.0.0",
            "customresourcedefinitions": {
                "required": [{"name": "things.example.com", "kind": "Thing", "version": "v1"}]
            },
        },
    }
    document = bundle_document(Bundle("greeter", csv), "image", read_dependencies(tmp_path))
    assert [item for item in properties(document) if item[0] != "olm.csv.metadata"] == [
        ("olm.constraint", {"cel": {"rule": "true"}}),
        ("olm.gvk.required", {"group": "example.com", "kind": "Thing", "version": "v1"}),
        ("olm.gvk.required", {"group": "g", "kind": "K", "version": "v1"}),
        ("olm.maxOpenShiftVersion", "4.17"),
        ("olm.package", {"packageName": "greeter", "version": "1.0.0"}),
        ("olm.package.required", {"packageName": "stamper", "versionRange": ">1.0.0"}),
    ]
    assert read_dependencies(tmp_path / "none") == []


def test_another_format_is_refused() -> None:
    with pytest.raises(OptionError, match="has the format helm"):
        bundle_document(Bundle("greeter", {}, format=HELM), "image", [])


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus of bundles and catalogs at {CORPUS}")
def test_published_bundles_get_the_properties_that_opm_gave_them() -> None:
    catalog = Catalog(CORPUS / "catalog" / "configs", "catalog")
    compared = 0
    for directory in sorted((CORPUS / "bundles").iterdir()):
        name = directory.name.partition(".")[0]
        found = catalog.package(name)
        bundle = read_bundle(directory) if found else None
        if found is None or bundle is None or bundle.name not in found.by_name:
            continue
        compared += 1
        listed = found.by_name[bundle.name]
        expected = catalog.document(listed.location)
        made = bundle_document(bundle, listed.image, read_dependencies(directory))
        # Old catalogs carry manifests where newer ones have metadata.
        other = [item for item in expected["properties"] if item["type"] != "olm.bundle.object"]
        assert [item for item in made["properties"] if item["type"] != "olm.csv.metadata"] == other
        assert made["relatedImages"] == expected["relatedImages"]
    assert compared
