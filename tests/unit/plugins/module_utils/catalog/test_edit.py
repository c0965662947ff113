# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles added to and removed from catalogs: what changes, and what stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError, Problems
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import bundle, chain, write

COMMENTED = """\
# The greeter, and what there is to say of it.
schema: olm.package
name: greeter
defaultChannel: stable   # what most want
---
schema: olm.channel
name: stable
package: greeter
entries:
  # the first one
  - name: greeter.v1.0.0
  - name: greeter.v1.1.0   # safe
    replaces: greeter.v1.0.0
  # the end
properties: []
--- # bundles
schema: olm.bundle
name: greeter.v1.0.0
package: greeter
image: registry.example.com/greeter:v1.0.0
properties:
- {type: olm.package, value: {packageName: greeter, version: 1.0.0}}
---
schema: olm.bundle
name: greeter.v1.1.0
package: greeter
image: registry.example.com/greeter:v1.1.0
properties:
- {type: olm.package, value: {packageName: greeter, version: 1.1.0}}
"""
NEXT = Placement("stable", "greeter.v1.1.0")


def commented(tmp_path: Path) -> Path:
    (tmp_path / "index.yaml").write_text(COMMENTED)
    return tmp_path


def add(directory: Path, version: str, placement: Placement) -> list[str]:
    planned = plan_adding(directory, find_catalog(directory), bundle(version), placement, "Greets.")
    write_changes(directory, planned)
    assert plan_adding(directory, find_catalog(directory), bundle(version), placement, "Greets.") == []
    return [change.name for change in planned]


def remove(directory: Path, version: str) -> list[str]:
    planned = plan_removing(directory, find_catalog(directory), "greeter", f"greeter.v{version}")
    write_changes(directory, planned)
    assert plan_removing(directory, find_catalog(directory), "greeter", f"greeter.v{version}") == []
    return [change.name for change in planned]


def entries(directory: Path, channel: str = "stable") -> list[dict[str, Any]]:
    found = Catalog(directory, "catalog").package("greeter")
    assert found is not None
    assert [str(problem) for problem in validate(found) if problem.severity == "error"] == []
    return [vars(one) for item in found.channels if item.name == channel for one in item.entries]


def test_a_new_catalog(tmp_path: Path) -> None:
    directory = tmp_path / "catalog"
    assert add(directory, "1.0.0", Placement("stable")) == ["greeter/catalog.yaml"]
    assert (directory / "greeter" / "catalog.yaml").read_text().startswith("---\ndefaultChannel: stable\n")
    assert add(directory, "1.1.0", Placement("stable", "greeter.v1.0.0", (), ">=1.0.0 <1.1.0")) == [
        "greeter/catalog.yaml"
    ]
    assert [one["name"] for one in entries(directory)] == ["greeter.v1.0.0", "greeter.v1.1.0"]
    assert entries(directory)[1]["skip_range"] == ">=1.0.0 <1.1.0"


def test_everything_else_stays_as_it_was(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    assert add(directory, "1.2.0", NEXT) == ["index.yaml"]
    text = (directory / "index.yaml").read_text()
    assert [line for line in COMMENTED.splitlines() if line not in text.splitlines()] == []
    assert (
        "  - name: greeter.v1.1.0   # safe\n    replaces: greeter.v1.0.0\n  - name: greeter.v1.2.0\n    replaces: greeter.v1.1.0\n  # the end\n"
        in text
    )
    assert text.startswith(COMMENTED[: COMMENTED.index("  # the end")])
    assert len(entries(directory)) == 3


def test_fields_in_another_case_are_edited_as_the_fields_they_are(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    text = (
        COMMENTED.replace("schema:", "Schema:").replace("- name:", "- Name:").replace("    replaces:", "    Replaces:")
    )
    (directory / "index.yaml").write_text(text)
    assert add(directory, "1.2.0", NEXT) == ["index.yaml"]
    assert (directory / "index.yaml").read_text().startswith(text[: text.index("  # the end")])
    assert remove(directory, "1.1.0") == ["index.yaml"]
    left = [(one["name"], one["replaces"], one["skips"]) for one in entries(directory)]
    assert left == [("greeter.v1.0.0", "", ()), ("greeter.v1.2.0", "greeter.v1.0.0", ("greeter.v1.1.0",))]


def test_an_entry_that_changes_changes_alone(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    add(directory, "1.2.0", NEXT)
    before = (directory / "index.yaml").read_text()
    add(directory, "1.2.0", Placement("stable", "greeter.v1.1.0", ("greeter.v1.0.0",), "<1.2.0"))
    after = (directory / "index.yaml").read_text()
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    assert entries(directory)[2]["skips"] == ("greeter.v1.0.0",)


def test_a_bundle_that_changes_is_replaced_in_its_place(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    changed = bundle("1.0.0", image="registry.example.com/other:v1")
    planned = plan_adding(directory, find_catalog(directory), changed, Placement("stable"), "")
    write_changes(directory, planned)
    found = Catalog(directory, "catalog").package("greeter")
    assert found is not None
    assert [one.image for one in found.bundles] == [
        "registry.example.com/other:v1",
        "registry.example.com/greeter:v1.1.0",
    ]


def test_another_channel(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    add(directory, "1.1.0", Placement("beta"))
    assert [one["name"] for one in entries(directory, "beta")] == ["greeter.v1.1.0"]
    text = (directory / "index.yaml").read_text()
    assert text.index("name: beta") < text.index("--- # bundles")
    add(directory, "1.1.0", Placement("beta", default_channel="beta"))
    found = Catalog(directory, "catalog").package("greeter")
    assert found is not None
    assert found.default_channel == "beta"


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_json_stays_json(tmp_path: Path, indent: int | None) -> None:
    (tmp_path / "catalog.json").write_text(
        "\n".join(json.dumps(blob, indent=indent) for blob in chain("1.0.0", "1.1.0"))
    )
    assert add(tmp_path, "1.2.0", NEXT) == ["catalog.json"]
    assert len(entries(tmp_path)) == 3
    text = (tmp_path / "catalog.json").read_text()
    assert text.startswith(json.dumps(chain("1.0.0", "1.1.0")[0], indent=indent))
    assert ("\n" + " " * (indent or 1) + '"name": "greeter.v1.2.0"' in text) is (indent is not None)
    assert remove(tmp_path, "1.2.0") == ["catalog.json"]
    assert len(entries(tmp_path)) == 2


@pytest.mark.parametrize(
    ("placement", "message"),
    [
        (Placement("stable"), "channel stable .*: has several heads: greeter.v1.1.0, greeter.v1.2.0"),
        (Placement("stable", "greeter.v1.0.0"), "several heads"),
        (Placement("beta", default_channel="gamma"), "its default channel gamma does not exist"),
    ],
)
def test_a_change_that_opm_would_refuse_is_refused(tmp_path: Path, placement: Placement, message: str) -> None:
    directory = commented(tmp_path)
    with pytest.raises(Problems, match=f"the catalog would not be valid: .*{message}"):
        plan_adding(directory, find_catalog(directory), bundle("1.2.0"), placement, "")
    assert (directory / "index.yaml").read_text() == COMMENTED


def test_removing_the_newest(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    add(directory, "1.2.0", NEXT)
    remove(directory, "1.2.0")
    assert (directory / "index.yaml").read_text() == COMMENTED


def test_what_replaced_the_removed_one_takes_its_place(tmp_path: Path) -> None:
    directory = commented(tmp_path)
    add(directory, "1.2.0", NEXT)
    remove(directory, "1.1.0")
    last = entries(directory)[-1]
    assert (last["name"], last["replaces"], last["skips"]) == ("greeter.v1.2.0", "greeter.v1.0.0", ("greeter.v1.1.0",))
    assert "# the first one" in (directory / "index.yaml").read_text()


def test_removing_everything(tmp_path: Path) -> None:
    directory = write(tmp_path, chain("3.0.0", of="stamper"), "stamper/catalog.json")
    add(directory, "1.0.0", Placement("stable"))
    assert remove(directory, "1.0.0") == ["greeter/catalog.yaml"]
    assert sorted(path.name for path in directory.iterdir()) == ["stamper"]


def test_a_file_of_which_only_comments_are_left_goes(tmp_path: Path) -> None:
    add(tmp_path, "1.0.0", Placement("stable"))
    file = tmp_path / "greeter" / "catalog.yaml"
    file.write_text("# Licensed to greet.\n" + file.read_text())
    assert remove(tmp_path, "1.0.0") == ["greeter/catalog.yaml"]
    assert add(tmp_path, "1.0.0", Placement("stable")) == ["greeter/catalog.yaml"]


@pytest.mark.parametrize("files", [[], [".git/HEAD"], [".gitkeep"], [".git/HEAD", ".gitignore"]])
def test_a_directory_without_documents_is_a_catalog_to_begin(tmp_path: Path, files: list[str]) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("" if name == ".gitkeep" else "# nothing\n")
    assert find_catalog(tmp_path) is None
    assert add(tmp_path, "1.0.0", Placement("stable")) == ["greeter/catalog.yaml"]


def test_a_channel_with_aliases_says_what_it_said(tmp_path: Path) -> None:
    """The lines of an entry cannot go where another entry refers to them."""
    written = COMMENTED.replace("- name: greeter.v1.0.0\n", "- name: &first greeter.v1.0.0\n")
    written = written.replace("    replaces: greeter.v1.0.0\n", "    skips: [*first]\n")
    (tmp_path / "index.yaml").write_text(written)
    remove(tmp_path, "1.0.0")
    assert [(one["name"], one["skips"]) for one in entries(tmp_path)] == [("greeter.v1.1.0", ("greeter.v1.0.0",))]


def test_removing_what_is_not_there(tmp_path: Path) -> None:
    assert plan_removing(tmp_path / "none", find_catalog(tmp_path / "none"), "greeter", "greeter.v1.0.0") == []
    found = find_catalog(commented(tmp_path))
    assert plan_removing(tmp_path, found, "stamper", "stamper.v1.0.0") == []
    assert plan_removing(tmp_path, found, "greeter", "greeter.v9.0.0") == []


@pytest.mark.parametrize(
    "style",
    ["entries: [{name: greeter.v1.0.0}]\n", "entries:\n- name: greeter.v1.0.0", "entries:\n- {name: greeter.v1.0.0}\n"],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_channels_of_every_style(tmp_path: Path, style: str, ending: str) -> None:
    documents = [
        "schema: olm.package\nname: greeter\ndefaultChannel: stable",
        json.dumps(bundle("1.0.0")).replace("{", "{ ", 1),
        f"schema: olm.channel\npackage: greeter\nname: stable\n{style}",
    ]
    (tmp_path / "index.yaml").write_bytes("\n---\n".join(documents).replace("\n", ending).encode())
    add(tmp_path, "1.1.0", Placement("stable", "greeter.v1.0.0"))
    assert [one["name"] for one in entries(tmp_path)] == ["greeter.v1.0.0", "greeter.v1.1.0"]
    remove(tmp_path, "1.0.0")
    assert [one["name"] for one in entries(tmp_path)] == ["greeter.v1.1.0"]


@pytest.mark.parametrize("name", ["../outside", "/outside", "..", ".", "", "a/b", "a\0b", "a" * 254, "é" * 127])
def test_a_package_name_leads_nowhere_but_into_the_catalog(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    with pytest.raises(OptionError, match="cannot be the name of a directory in the catalog"):
        plan_adding(catalog, None, {**bundle("1.0.0"), "package": name}, Placement("stable"), "")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["catalog", "scratch"]
