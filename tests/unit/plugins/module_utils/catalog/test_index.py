# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is read of a catalog, and what is kept of it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import Deprecation, Entry
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadCatalog
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    bundle,
    catalog,
    chain,
    channel,
    deprecations,
    entry,
    package,
    read,
    write,
)

YAML = """\
---
schema: olm.package
name: greeter
defaultChannel: stable
description: |
  Greets.
---
schema: olm.channel
package: greeter
name: stable
entries:
- name: greeter.v1.0.0
- name: greeter.v1.1.0
  replaces: greeter.v1.0.0
  skips: [greeter.v1.0.1]
  skipRange: '>=1.0.0 <1.1.0'
---
schema: olm.bundle
package: greeter
name: greeter.v1.1.0
image: registry.example.com/greeter:v1.1.0
properties:
- type: olm.package
  value: {packageName: greeter, version: 1.1.0}
- type: olm.csv.metadata
  value: {minKubeVersion: 1.27.0}
---
schema: example.com.other
package: greeter
colour: green
---
schema: example.com.global
"""


def test_a_package_as_a_catalog_has_it(tmp_path: Path) -> None:
    (tmp_path / "index.yaml").write_text(YAML)
    opened = Catalog(tmp_path, "catalog")
    assert opened.package_names() == ["greeter"]
    found = opened.package("greeter")
    assert found is not None
    assert (found.default_channel, found.description) == ("stable", "Greets.\n")
    assert found.channels[0].entries[1] == Entry(
        "greeter.v1.1.0", "greeter.v1.0.0", ("greeter.v1.0.1",), ">=1.0.0 <1.1.0"
    )
    assert [(one.name, one.version, one.image) for one in found.bundles] == [
        ("greeter.v1.1.0", "1.1.0", "registry.example.com/greeter:v1.1.0")
    ]
    assert found.others == {"example.com.other": 1}
    assert str(found.bundles[0].location) == "index.yaml, document 3"
    assert opened.document(found.bundles[0].location)["properties"][1]["value"] == {"minKubeVersion": "1.27.0"}
    nowhere = opened.without_package()
    assert nowhere is not None
    assert nowhere.others == {"example.com.global": 1}
    assert opened.package("stamper") is None


def test_documents_of_one_package_come_from_everywhere_in_the_order_of_files(tmp_path: Path) -> None:
    write(tmp_path, [bundle("3.0.0")], "c/more.json")
    write(tmp_path, [package(), bundle("1.0.0")], "a.json")
    write(tmp_path, [bundle("2.0.0"), bundle("9.0.0", of="stamper")], "b/catalog.json")
    found = Catalog(tmp_path, "catalog").package("greeter")
    assert found is not None
    assert [one.version for one in found.bundles] == ["1.0.0", "2.0.0", "3.0.0"]


def test_only_the_first_document_of_deprecations_counts(tmp_path: Path) -> None:
    first, second = (
        deprecations(("olm.bundle", "greeter.v1.0.0", "old")),
        deprecations(("olm.package", "", "all of it")),
    )
    found = read(tmp_path, [package(), first, second])
    assert found.deprecations == (Deprecation("olm.bundle", "greeter.v1.0.0", "old"),)
    assert [str(place) for place in found.deprecation_documents] == [
        "catalog.json, document 2",
        "catalog.json, document 3",
    ]


ANY_CASE = """\
---
Schema: olm.package
Name: greeter
DefaultChannel: stable
---
Schema: olm.channel
Package: greeter
Name: stable
Entries:
- Name: greeter.v1.1.0
  Replaces: greeter.v1.0.0
  SKIPS: [greeter.v1.0.1]
  skiprange: '<2.0.0'
---
SCHEMA: olm.bundle
package: greeter
name: greeter.v1.1.0
Image: registry.example.com/greeter:v1.1.0
Properties:
- Type: olm.package
  Value: {packagename: greeter, Version: 1.1.0}
---
schema: olm.deprecations
package: greeter
entries:
- Reference: {Schema: olm.channel, Name: stable}
  Message: old
"""


def test_fields_are_found_whatever_the_case_of_their_letters(tmp_path: Path) -> None:
    (tmp_path / "index.yaml").write_text(ANY_CASE)
    opened = Catalog(tmp_path, "catalog")
    found = opened.package("greeter")
    assert found is not None
    assert found.default_channel == "stable"
    assert found.channels[0].entries == (Entry("greeter.v1.1.0", "greeter.v1.0.0", ("greeter.v1.0.1",), "<2.0.0"),)
    assert [(one.name, one.version, one.packages, one.image) for one in found.bundles] == [
        ("greeter.v1.1.0", "1.1.0", ("greeter",), "registry.example.com/greeter:v1.1.0")
    ]
    assert found.deprecations == (Deprecation("olm.channel", "stable", "old"),)
    document = opened.document(found.bundles[0].location)
    assert [(one["type"], one["value"]) for one in document["properties"]] == [
        ("olm.package", {"packagename": "greeter", "Version": "1.1.0"})
    ]
    assert opened.document(found.deprecation_documents[0])["entries"] == [
        {"reference": {"schema": "olm.channel", "name": "stable"}, "message": "old"}
    ]


def test_of_one_field_in_several_cases_the_last_in_the_order_of_keys_counts(tmp_path: Path) -> None:
    both = {"skiprange": "<2.0.0", "name": "greeter.v1.0.0", "skipRange": "<1.0.0"}
    found = read(tmp_path, [package(), channel("stable", both), bundle("1.0.0")])
    assert found.channels[0].entries[0].skip_range == "<2.0.0"


def test_keys_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "index.yaml").write_text("{schema: olm.package, Name: greeter, 1: one, true: yes}\n")
    assert Catalog(tmp_path, "catalog").package_names() == ["greeter"]


@pytest.mark.parametrize(
    ("properties", "version", "dependency"),
    [
        ([], "", ""),
        ([{"type": "olm.package", "value": {"packageName": "greeter", "version": "1.0.0"}}], "1.0.0", ""),
        ([{"type": "olm.package", "value": {"version": 1}}], "", ""),
        ([{"type": "olm.package", "value": "1.0.0"}], "", ""),
        ([{"type": "olm.package", "value": {}}, {"type": "olm.package", "value": {"version": "2.0.0"}}], "", ""),
        ([{"type": "olm.gvk", "value": {}}], "", ""),
        ([{"type": "olm.constraint"}, {"type": "olm.gvk.required"}], "", "olm.constraint"),
        ([{"type": "olm.gvk.required"}], "", "olm.gvk.required"),
        ([{"type": "olm.package.required"}], "", "olm.package.required"),
    ],
)
def test_properties_of_bundles(tmp_path: Path, properties: list[Any], version: str, dependency: str) -> None:
    found = read(tmp_path, [package(), {**bundle("1.0.0"), "properties": properties}]).bundles[0]
    assert (found.version, found.dependency) == (version, dependency)


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        ({"name": "x"}, "has no schema; every document of a catalog has one"),
        ({"schema": 7}, "schema must be a text, and is the number 7; write it in quotes"),
        ({"schema": "olm.package", "name": 1.5}, "name must be a text, and is the number 1.5; write it in quotes"),
        ({"schema": "other", "package": True}, "package must be a text, and is the boolean true; write it in quotes"),
        ([1], " must be a mapping, and is a list"),
        ({"schema": "x", "name": "a", "Name": "a"}, "has both name and Name, which OLM takes for one; remove one"),
        ({"schema": "x", "colour": "a", "Colour": "b"}, "has both colour and Colour, which OLM takes for one"),
        ({"schema": "olm.channel", "entries": {}}, "entries must be a list, and is a mapping"),
        ({"schema": "olm.channel", "entries": ["x"]}, "entries[0] must be a mapping, and is a text"),
        ({"schema": "olm.channel", "entries": [{"name": []}]}, "entries[0]: name must be a text, and is a list"),
        ({"schema": "olm.channel", "entries": [{"skips": "x"}]}, "entries[0]: skips must be a list, and is a text"),
        (
            {"schema": "olm.bundle", "properties": [{"type": {}}]},
            "properties[0]: type must be a text, and is a mapping",
        ),
        ({"schema": "olm.bundle", "image": "\ud800"}, "image holds half of a character"),
        ({"schema": "olm.deprecations", "entries": [{"reference": 1}]}, "entries[0]: reference must be a mapping"),
    ],
)
def test_documents_of_the_wrong_shape_are_told_with_their_place(tmp_path: Path, blob: Any, message: str) -> None:
    with pytest.raises(BadCatalog) as caught:
        catalog(tmp_path / "broken", [package("other"), blob]).package_names()
    assert str(caught.value).startswith("catalog broken: catalog.json, document 2")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_directory_without_documents_is_no_catalog(tmp_path: Path) -> None:
    (tmp_path / "index.yaml").touch()
    with pytest.raises(BadCatalog, match="holds no documents"):
        Catalog(tmp_path, "catalog").package_names()


class Kept:
    """A catalog whose index is kept in a file; counts how often it is made."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = tmp_path / "index"
        self.directory = write(tmp_path / "catalog", [*chain("1.0.0", "1.1.0"), *chain("1.0.0", of="stamper")])
        self.made = 0

    def keep(self, data: bytes) -> None:
        self.made += 1
        self.path.write_bytes(data)

    def versions(self, of: str = "greeter") -> list[str]:
        found = Catalog(self.directory, "catalog", kept=self.path, keep=self.keep).package(of)
        return [one.version for one in found.bundles] if found else []


def test_an_index_that_is_kept_is_used(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert kept.versions() == ["1.0.0", "1.1.0"]
    (kept.directory / "catalog.json").unlink()
    assert kept.versions() == ["1.0.0", "1.1.0"]
    assert kept.versions("stamper") == ["1.0.0"]
    assert kept.made == 1


def test_an_index_that_was_cut_off_or_changed_is_made_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.versions()
    whole = kept.path.read_bytes()
    chance = random.Random(1)  # noqa: S311 - no secret
    damaged = [whole[:length] for length in range(0, len(whole), 13)]
    for _round in range(200):
        place = chance.randrange(len(whole))
        damaged.append(whole[:place] + bytes([whole[place] ^ (1 << chance.randrange(8))]) + whole[place + 1 :])
    for data in damaged:
        kept.path.write_bytes(data)
        assert kept.versions() == ["1.0.0", "1.1.0"]
        assert kept.versions("stamper") == ["1.0.0"]
        assert kept.path.read_bytes() == whole or kept.made == 1
    assert kept.made > 100


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    def fail(_data: bytes) -> None:
        raise OSError(28, "No space left on device")

    opened = Catalog(write(tmp_path, chain("1.0.0")), "catalog", kept=tmp_path / "none", keep=fail)
    assert opened.package_names() == ["greeter"]


def test_odd_names_of_files_and_packages(tmp_path: Path) -> None:
    blobs = [package("ü\n"), channel("c", entry("1.0.0", of="ü\n"), of="ü\n"), bundle("1.0.0", of="ü\n")]
    (tmp_path / "a\nb.json").write_text("\n".join(json.dumps(blob) for blob in blobs))
    opened = Catalog(tmp_path, "catalog")
    found = opened.package("ü\n")
    assert found is not None
    assert str(found.bundles[0].location) == "a\\nb.json, document 3"
    assert opened.document(found.bundles[0].location)["schema"] == "olm.bundle"
