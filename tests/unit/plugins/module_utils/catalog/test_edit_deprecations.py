# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles removed from catalogs, and what the deprecations of their packages say then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit import (
    Placement,
    find_catalog,
    plan_adding,
    plan_removing,
)
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit_files import write_changes
from ansible_collections.fleet.olm.plugins.module_utils.catalog.validate import validate
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    chain,
    channel,
    deprecations,
    write,
)

FIRST = ("olm.bundle", "greeter.v1.0.0", "greets in one language")
NEXT = ("olm.bundle", "greeter.v1.1.0", "shouts")
BETA = ("olm.channel", "beta", "is over")
WHOLE = ("olm.package", "", "use stamper")
COMMENTED = """\
# What nobody should install.
schema: olm.deprecations
package: greeter
entries:
  # the oldest
  - reference: {schema: olm.bundle, name: greeter.v1.0.0}
    message: |
      greets in one language

      and only in the morning
  # the package
  - reference:
      schema: olm.package   # all of it
    message: use stamper
"""
LEFT = """\
# What nobody should install.
schema: olm.deprecations
package: greeter
entries:
  # the oldest
  # the package
  - reference:
      schema: olm.package   # all of it
    message: use stamper
"""


def remove(directory: Path, version: str, of: str = "greeter") -> list[str]:
    planned = plan_removing(directory, find_catalog(directory), of, f"{of}.v{version}")
    write_changes(directory, planned)
    assert plan_removing(directory, find_catalog(directory), of, f"{of}.v{version}") == []
    return [change.name for change in planned]


def add(directory: Path, version: str) -> list[str]:
    planned = plan_adding(directory, find_catalog(directory), bundle(version), Placement("stable"), "")
    write_changes(directory, planned)
    assert plan_adding(directory, find_catalog(directory), bundle(version), Placement("stable"), "") == []
    return [change.name for change in planned]


def deprecated(directory: Path) -> list[tuple[str, str]]:
    """What a valid catalog deprecates."""
    found = Catalog(directory, "catalog").package("greeter")
    assert found is not None
    assert [str(problem) for problem in validate(found) if problem.severity == "error"] == []
    return [(item.schema, item.name) for item in found.deprecations]


@pytest.mark.parametrize("file", ["catalog.json", "deprecations.json"])
@pytest.mark.parametrize(
    ("given", "left"),
    [
        pytest.param([FIRST, WHOLE], [WHOLE], id="a bundle"),
        pytest.param([BETA, FIRST, NEXT], [NEXT], id="a bundle and the channel that had it alone"),
        pytest.param([FIRST, BETA], [], id="all that is deprecated"),
        pytest.param([NEXT, WHOLE], [NEXT, WHOLE], id="others"),
    ],
)
def test_what_is_removed_is_deprecated_no_longer(
    tmp_path: Path, file: str, given: list[tuple[str, str, str]], left: list[tuple[str, str, str]]
) -> None:
    documents = {"catalog.json": [*chain("1.0.0", "1.1.0"), channel("beta", "1.0.0")]}
    documents.setdefault(file, []).append(deprecations(*given))
    for name, blobs in documents.items():
        write(tmp_path, blobs, name)
    remove(tmp_path, "1.0.0")
    assert deprecated(tmp_path) == [(schema, name) for schema, name, _message in left]
    assert ("olm.deprecations" in "".join(path.read_text() for path in tmp_path.iterdir())) == bool(left)


def test_a_channel_that_stays_stays_deprecated(tmp_path: Path) -> None:
    beta = channel("beta", "1.0.0", {"name": "greeter.v1.1.0", "replaces": "greeter.v1.0.0"})
    write(tmp_path, [*chain("1.0.0", "1.1.0"), beta, deprecations(BETA)])
    remove(tmp_path, "1.0.0")
    assert deprecated(tmp_path) == [("olm.channel", "beta")]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_only_the_lines_of_an_entry_go(tmp_path: Path, ending: str) -> None:
    write(tmp_path, chain("1.0.0", "1.1.0"))
    stamper = "---\nschema: olm.deprecations\npackage: stamper\nentries: [ ]   # none\n"
    (tmp_path / "old.yaml").write_bytes((COMMENTED + stamper).replace("\n", ending).encode())
    assert remove(tmp_path, "1.0.0") == ["catalog.json", "old.yaml"]
    assert (tmp_path / "old.yaml").read_bytes().decode() == (LEFT + stamper).replace("\n", ending)


@pytest.mark.parametrize(
    "entries",
    [
        "entries: [{reference: {schema: olm.bundle, name: greeter.v1.0.0}, message: old}, {reference: {schema: olm.package}, message: old}]",
        "entries:\n- reference: {schema: olm.package}\n  message: &why old\n- reference: {schema: olm.bundle, name: greeter.v1.0.0}\n  message: *why",
        "entries:\n- message: &why old\n  reference: {schema: olm.bundle, name: greeter.v1.0.0}\n- reference: {schema: olm.package}\n  message: *why",
    ],
)
def test_deprecations_of_every_style(tmp_path: Path, entries: str) -> None:
    write(tmp_path, chain("1.0.0", "1.1.0"))
    other = "schema: example.com.other\npackage: greeter   # stays\n"
    (tmp_path / "old.yaml").write_text(f"schema: olm.deprecations\npackage: greeter\n{entries}\n---\n{other}")
    remove(tmp_path, "1.0.0")
    assert deprecated(tmp_path) == [("olm.package", "")]
    found = Catalog(tmp_path, "catalog").package("greeter")
    assert found is not None
    assert [item.message for item in found.deprecations] == ["old"]
    assert (tmp_path / "old.yaml").read_text().endswith(f"\n---\n{other}")
    assert "\n\n" not in (tmp_path / "old.yaml").read_text()


def test_the_deprecations_of_another_package_stay(tmp_path: Path) -> None:
    others: list[Blob] = [
        *chain("1.0.0", of="stamper"),
        deprecations(("olm.bundle", "stamper.v1.0.0", "x"), of="stamper"),
    ]
    write(tmp_path, [*chain("1.0.0", "1.1.0"), *others, deprecations(FIRST)])
    remove(tmp_path, "1.0.0")
    assert (tmp_path / "catalog.json").read_text().endswith("\n".join(json.dumps(blob) for blob in others) + "\n")


@pytest.mark.parametrize("file", ["greeter/catalog.yaml", "deprecations.yaml"])
def test_deprecations_go_with_the_last_bundle(tmp_path: Path, file: str) -> None:
    write(tmp_path, chain("3.0.0", of="stamper"), "stamper/catalog.json")
    add(tmp_path, "1.0.0")
    with (tmp_path / file).open("a") as written:
        written.write(f"---\n{COMMENTED}")
    assert remove(tmp_path, "1.0.0") == sorted({file, "greeter/catalog.yaml"})
    assert [path.name for path in tmp_path.iterdir()] == ["stamper"]
    assert add(tmp_path, "1.0.0") == ["greeter/catalog.yaml"]
    assert deprecated(tmp_path) == []


@pytest.mark.parametrize("file", ["greeter/catalog.yaml", "deprecations.yaml"])
def test_a_package_that_has_only_deprecations_is_new(tmp_path: Path, file: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(COMMENTED)
    assert add(tmp_path, "1.0.0") == ["greeter/catalog.yaml"]
    assert deprecated(tmp_path) == [("olm.bundle", "greeter.v1.0.0"), ("olm.package", "")]
    assert (tmp_path / file).read_text().startswith(COMMENTED)


def test_a_package_of_which_only_deprecations_are_left_goes(tmp_path: Path) -> None:
    write(tmp_path, [deprecations(FIRST)], "old.json")
    write(tmp_path, chain("3.0.0", of="stamper"))
    assert remove(tmp_path, "1.0.0") == ["old.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["catalog.json"]
