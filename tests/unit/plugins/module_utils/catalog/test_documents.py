# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Streams of JSON and YAML, cut into documents."""

from __future__ import annotations

import io
import json
import os
import random
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog import documents as module
from ansible_collections.fleet.olm.plugins.module_utils.catalog.documents import Document, documents, parse_bytes
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadCatalog

ROUNDS = int(os.environ.get("FLEET_OLM_FUZZ", "300"))
SEED = int(os.environ.get("FLEET_OLM_SEED", "1"))


def found(content: bytes, **more: int) -> list[Document]:
    return list(documents(io.BytesIO(content), "file", **more))


def data(content: bytes) -> list[Any]:
    return [document.data for document in found(content)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b'{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}], id="JSON lines"),
        pytest.param(b'{"a": 1}{"a": 2}', [{"a": 1}, {"a": 2}], id="JSON without anything between"),
        pytest.param(b'\n\n{\n  "a": 1\n}\n{\n  "a": 2\n}', [{"a": 1}, {"a": 2}], id="JSON on several lines"),
        pytest.param(b"---\na: 1\n---\na: 2\n", [{"a": 1}, {"a": 2}], id="YAML"),
        pytest.param(b"a: 1\n--- # more\na: 2", [{"a": 1}, {"a": 2}], id="YAML with a comment after the separator"),
        pytest.param(b"---\n---\na: 1\n---\n# nothing\n---\n", [{"a": 1}], id="empty documents"),
        pytest.param(b"---\r\na: 1\r\n---\r\na: 2\r\n", [{"a": 1}, {"a": 2}], id="lines as on Windows"),
        pytest.param(b"a: |\n  x\n  ---\n  y\n", [{"a": "x\n---\ny\n"}], id="an indented separator is text"),
        pytest.param(b"{a: 1}\n---\n{a: 2}\n", [{"a": 1}, {"a": 2}], id="YAML that begins as JSON does"),
        pytest.param('{"a": "ü€😀"}\n{"b": 1}'.encode(), [{"a": "ü€😀"}, {"b": 1}], id="beyond ASCII"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n \n", [], id="space"),
        pytest.param(b"---", [], id="a separator"),
        pytest.param(b"name: 1.10\nflag: yes\n", [{"name": 1.1, "flag": True}], id="types as Go's parser has them"),
    ],
)
def test_streams(content: bytes, expected: list[Any]) -> None:
    assert data(content) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": ', "file, document 2: breaks off at the end of the file"),
        (b'{"a": "x', "file, document 1: breaks off at the end of the file"),
        (
            b'{"a": 1}\n{"a" 2, "b": "' + b"x" * 99 + b'"}',
            "file, document 2: is not valid JSON: Expecting ':' delimiter in line 1 of it",
        ),
        (b'{}\n{"a": NaN}', "file, document 2: is not valid JSON: NaN is not JSON"),
        (b'{"a": 1}\xff', "file: byte 9 is not UTF-8"),
        (b"a: 1\n---\na: [\n", "file, document 2: not valid YAML"),
        (b"a: 1\n--- b\nc: 2", "file, document 2: '---' must stand alone on its line, seen 'b' after it"),
        (b"a: \xff", "file, document 1: not a text file: byte 4 is not UTF-8"),
        (b'{"a": ' + b"[" * 100_000, "file, document 1: nested deeper than 1000 levels"),
        (b"a: " + b"[" * 100_000, "file, document 1: nested deeper than"),
    ],
)
def test_bad_streams_are_told_in_one_line(content: bytes, message: str) -> None:
    with pytest.raises(BadCatalog) as caught:
        found(content)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_document_that_has_no_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AHEAD", 64)
    for content in (b'{"a": "' + b"x" * 5000, b"a: " + b"x" * 5000 + b"\n---\nb: 1"):
        with pytest.raises(BadCatalog, match="document 1: is larger than 1000 bytes"):
            found(content, largest=1000)


def test_every_document_lies_where_it_is_said_to_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _round in range(ROUNDS // 3):
        monkeypatch.setattr(module, "_AHEAD", chance.choice([1, 3, 7, 16, 64, 1024]))
        blobs = [
            {"n": number, "text": chance.choice(["", "a", "ü", "😀", "---", "\n---\n", "}{"]) * chance.randint(0, 40)}
            for number in range(9)
        ]
        as_json = chance.choice(["", "\n", " \n\n"]).join(json.dumps(blob, ensure_ascii=False) for blob in blobs)
        as_yaml = "---\n" + "\n---\n".join(
            json.dumps(blob, ensure_ascii=False).replace("{", "", 1)[:-1].replace(', "text"', '\n"text"')
            for blob in blobs
        )
        for text in (as_json, as_yaml):
            content = text.encode()
            listed = found(content)
            assert [document.data for document in listed] == blobs
            for document in listed:
                piece = content[document.offset : document.offset + document.length]
                assert parse_bytes(piece, "piece") == document.data


def test_whatever_is_read_ends_in_documents_or_in_one_line() -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    given = b'---\nschema: olm.bundle\nname: "a"\n---\n{"schema": "olm.channel", "entries": [{"name": "x"}]}\n'
    other = b'{"schema": "olm.bundle", "name": "a\\u00e9"}\n{"schema": "olm.channel", "entries": [{"name": "x"}]}\n'
    for _round in range(ROUNDS):
        content = bytearray(chance.choice([given, other]))
        for _change in range(chance.randint(1, 6)):
            place = chance.randrange(len(content))
            content[place : place + chance.randint(0, 3)] = bytes(chance.choices(range(256), k=chance.randint(0, 3)))
        try:
            found(bytes(content))
        except BadCatalog as error:
            assert "\n" not in str(error)  # noqa: PT017 - most of them are fine
