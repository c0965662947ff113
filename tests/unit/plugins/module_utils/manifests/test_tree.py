# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests as text and as trees of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.bundle.yaml_text import parse_document
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.manifests.tree import plan_tree, write_tree
from ansible_collections.fleet.olm.plugins.module_utils.manifests.yaml_writer import to_yaml


def config_map(name: str, **data: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


TRICKY = [
    *("y", "N", "yes", "Off", "true", "NULL", "~", "", " ", "a b", "trailing ", " leading", "-", "- a", "a: b", "a #b"),
    *("1", "1.0", "1e3", "0x1f", "0o17", "017", "1_000", "12:30", "2026-11-16", "=", "<<", ".inf", ".NaN", "+1", "-0"),
    *(
        "line\nline",
        "line\n",
        "\nline",
        "line\n\n",
        "  indented\nline",
        "tab\tline\n",
        "trailing \nline",
        "\r\n",
        "nul\x00",
    ),
    *(
        "é",
        "\u2028",
        "\x85",
        "\ufeff",
        "😀",
        "'",
        '"',
        "\\",
        "{a}",
        "[a]",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "?",
        "? a",
        "|",
        ">",
    ),
]


@pytest.mark.parametrize("value", TRICKY, ids=repr)
def test_text_stays_text_for_every_reader(value: str) -> None:
    text = to_yaml({"value": value, value or "empty": 1})
    for read in (parse_document(text, "here", []), yaml.safe_load(text)):
        assert read["value"] == value


@pytest.mark.parametrize(
    "value", [0, -5, 10**15, True, False, None, 1.5, [], {}, [[1], []], {"a": {"b": [None]}}], ids=repr
)
def test_other_values_keep_their_type(value: Any) -> None:
    text = to_yaml({"value": value})
    assert parse_document(text, "here", [])["value"] == value
    assert type(parse_document(text, "here", [])["value"]) is type(value)


def test_what_it_is_comes_first_and_the_rest_is_sorted() -> None:
    text = to_yaml(
        {"spec": {"second": 1, "first": 2}, "data": {}, "metadata": {"name": "one"}, "kind": "Kind", "apiVersion": "v1"}
    )
    assert text == "apiVersion: v1\nkind: Kind\nmetadata:\n  name: one\ndata: {}\nspec:\n  first: 2\n  second: 1\n"


def test_shared_parts_are_written_out() -> None:
    shared = {"key": "value"}
    assert "&" not in to_yaml({"one": shared, "two": shared})


def test_one_file_an_object_and_a_list_in_the_order_to_apply(tmp_path: Path) -> None:
    plan = plan_tree(tmp_path / "new" / "tree", [config_map("b"), config_map("a")])
    write_tree(plan)
    assert plan.changed
    assert sorted(path.name for path in (tmp_path / "new" / "tree").iterdir()) == [
        "configmap-a.yaml",
        "configmap-b.yaml",
        "kustomization.yaml",
    ]
    listed = yaml.safe_load((tmp_path / "new" / "tree" / "kustomization.yaml").read_text())
    assert listed["resources"] == ["configmap-b.yaml", "configmap-a.yaml"]


def test_again_changes_nothing(tmp_path: Path) -> None:
    write_tree(plan_tree(tmp_path, [config_map("a")]))
    again = plan_tree(tmp_path, [config_map("a")])
    assert (again.changed, again.diff) == (False, [])


def test_what_no_longer_belongs_goes_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "patch.yaml").write_text("mine: true\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "configmap-a.yaml").write_text("mine: true\n")
    write_tree(plan_tree(tmp_path, [config_map("a"), config_map("b")]))
    plan = plan_tree(tmp_path, [config_map("b", key="new")])
    assert (plan.written, plan.removed) == (["configmap-b.yaml", "kustomization.yaml"], ["configmap-a.yaml"])
    assert [change["after_header"].rpartition("/")[2] for change in plan.diff] == [
        "configmap-a.yaml (removed)",
        "configmap-b.yaml",
        "kustomization.yaml",
    ]
    write_tree(plan)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "README.md",
        "configmap-b.yaml",
        "kustomization.yaml",
        "patch.yaml",
        "sub",
    ]


def test_a_file_of_somebody_else_in_the_way_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    with pytest.raises(OptionError, match=r"were not written here and would be replaced: kustomization.yaml"):
        plan_tree(tmp_path, [config_map("a")])


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "configmap-a.yaml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OptionError, match=r"would be replaced: configmap-a.yaml"):
        plan_tree(tmp_path / "tree", [config_map("a")])


def test_a_dest_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="is not a directory"):
        plan_tree(tmp_path / "file", [config_map("a")])


def test_equal_objects_are_written_once_and_different_ones_of_one_name_both(tmp_path: Path) -> None:
    plan = plan_tree(tmp_path, [config_map("a"), config_map("a"), config_map("a", key="other")])
    assert list(plan.files) == ["configmap-a.yaml", "configmap-a-2.yaml", "kustomization.yaml"]


def test_names_that_a_file_system_would_not_take(tmp_path: Path) -> None:
    plan = plan_tree(tmp_path, [config_map("system:../../etc/passwd")])
    assert next(iter(plan.files)) == "configmap-system_.._.._etc_passwd.yaml"
