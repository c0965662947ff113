# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""YAML is read as go-yaml reads it, whichever parser does the work."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle import yaml_text
from ansible_collections.fleet.olm.plugins.module_utils.bundle.go_yaml import MOST_VALUES
from ansible_collections.fleet.olm.plugins.module_utils.bundle.problems import BadBundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.yaml_text import parse_document, parse_with_pyyaml
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.values import plain

both_parsers = pytest.mark.parametrize("parse", [parse_document, parse_with_pyyaml], ids=["fast", "PyYAML"])


@both_parsers
@pytest.mark.parametrize(
    ("scalar", "then"),
    [
        ("yes", True),
        ("y", True),
        ("Off", False),
        ("N", False),
        ("true", True),
        ('"yes"', "yes"),
        ("yes!", "yes!"),
        ("010", 8),
        ("08", 8),
        ("-010", -8),
        ("0o10", 8),
        ("0O17", 15),
        ("0x1F", 31),
        ("0X1f", 31),
        ("0b11", 3),
        ("0B1", 1),
        ("0x", "0x"),
        ("1_000", 1000),
        ("1_000.5", 1000.5),
        ("_1", "_1"),
        ("1:30", "1:30"),
        ("190:20:30.15", "190:20:30.15"),
        ("1e3", 1000),
        ("1.5e3", 1500),
        ("1E-3", 0.001),
        ("1e400", "1e400"),
        (".5", 0.5),
        ("-.5", -0.5),
        ("+1", 1),
        ("1.0", 1),
        ("9223372036854775808", 9223372036854776000),
        ("99999999999999999999", 100000000000000000000),
        ("2020-01-01", "2020-01-01"),
        ("=", "="),
        ("~", None),
        ("Null", None),
        ("", None),
        ("nULL", "nULL"),
        ("!!str 1", "1"),
        ("!foo x", "x"),
        ("! 1", "1"),
        ("!!int '3'", 3),
        ("!!float 3", 3),
        ("!!binary aGk=", "hi"),
        ("[yes, 010, no]", [True, 8, False]),
        ("{a: on}", {"a": True}),
    ],
)
def test_scalars(parse: Any, scalar: str, then: Any) -> None:
    data = plain(parse(f"key: {scalar}\n", "file", []))

    assert data == {"key": then}
    assert type(data["key"]) is type(then)


@both_parsers
@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("y: 1\n", {"true": 1}),
        ("1: a\n1.5: b\nfalse: c\n", {"1": "a", "1.5": "b", "false": "c"}),
        (
            "1.23456789: a\n1234567.0: b\n0.00001: c\n1.0e39: d\n",
            {"1.2345679": "a", "1.234567e+06": "b", "1e-05": "c", ".inf": "d"},
        ),
        ("a: &x [1, 2]\nb: *x\n", {"a": [1, 2], "b": [1, 2]}),
        ("x: &x {b: 1, c: 3}\ny1: {<<: *x, b: 2}\n", {"x": {"b": 1, "c": 3}, "y1": {"b": 2, "c": 3}}),
        ("a: 1\n<<: {a: 2}\n", {"a": 2}),
        ("a: {<<: [{b: 1}, {b: 2, c: 3}]}\n", {"a": {"b": 1, "c": 3}}),
        ("a: 1\n...\nb: 2\n", {"a": 1}),
        ('a: "<<"\n', {"a": "<<"}),
        ("a: |\n  x\n\n  y\n", {"a": "x\n\ny\n"}),
    ],
    ids=[
        "boolean key",
        "number keys",
        "keys that Go holds with 32 bits",
        "alias",
        "merge",
        "merge overrides what stands before it",
        "merge list",
        "document end",
        "quoted",
        "block",
    ],
)
def test_structures(parse: Any, text: str, then: Any) -> None:
    assert plain(parse(text, "file", [])) == then


@both_parsers
def test_the_last_of_two_equal_keys_counts_and_is_warned_of(parse: Any) -> None:
    warnings: list[str] = []

    assert parse("a: 1\nb: 2\na: 3\n", "file.yaml", warnings) == {"a": 3, "b": 2}
    assert warnings == ["file.yaml: the key 'a' stands twice in line 3, column 4; the last one counts"]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@both_parsers
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2\n", "not valid YAML"),
        ("a: b: c\n", "not valid YAML"),
        ("\ta: 1\n", "not valid YAML"),
        ("a: \x01\n", "not valid YAML"),
        ("a: .nan\n", "JSON knows no such number"),
        ("a: -.inf\n", "JSON knows no such number"),
        ("null: x\n", "cannot be a key"),
        ("? [a]\n: x\n", "cannot be a key"),
        ("a: *nowhere\n", "nowhere"),
        ("a: &a [*a]\n", "a"),
        ("a: !!int x\n", "does not fit its tag"),
        ("a: !!binary '%'\n", "not valid base64"),
        ("a: {<<: 1}\n", "only a mapping can be merged"),
        (BOMB, f"more than {MOST_VALUES} values"),
        ("".join(" " * depth + "a:\n" for depth in range(500)), "nested deeper than 128 levels"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_bad_text_is_refused_in_one_line_that_names_the_file(parse: Any, text: str, message: str) -> None:
    with pytest.raises(BadBundle) as refusal:
        parse(text, "manifests/x.yaml", [])

    assert str(refusal.value).startswith("manifests/x.yaml: ")
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, "{a: " * 200_000, "- " * 100_000 + "x\n"], ids=["lists", "maps", "block"]
)
@pytest.mark.parametrize("parser", ["fast", "PyYAML"])
def test_depth_exhausts_neither_stack_nor_patience(text: str, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if parser == "PyYAML":
        monkeypatch.setattr(yaml_text, "ryaml", None)
    with pytest.raises(BadBundle, match="nested deeper than 128 levels"):
        parse_document(text, "file", [])
