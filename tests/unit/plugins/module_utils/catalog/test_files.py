# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which files of a directory are a catalog's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.files import IGNORE_FILE, catalog_files
from ansible_collections.fleet.olm.plugins.module_utils.catalog.limits import CATALOG_LIMITS

FILES = (
    "README.md",
    "a/catalog.yaml",
    "a/docs/notes.md",
    "a/docs/more.yaml",
    "b/catalog.json",
    "b/keep.md",
    "index.yaml",
)


def names(root: Path) -> list[str]:
    return [name for name, _path in catalog_files(root, CATALOG_LIMITS, "catalog")]


def tree(root: Path, ignore: str, below: str = "") -> Path:
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / below / IGNORE_FILE).write_text(ignore)
    return root


@pytest.mark.parametrize(
    ("ignore", "left_out"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("# a comment\n\n", (), id="comments"),
        pytest.param("README.md", ("README.md",), id="a name"),
        pytest.param("*.md", ("README.md", "a/docs/notes.md", "b/keep.md"), id="a pattern holds in every directory"),
        pytest.param("/*.md", ("README.md",), id="with a slash in front only where the file is"),
        pytest.param("*.md\n!keep.md", ("README.md", "a/docs/notes.md"), id="an exception"),
        pytest.param("!keep.md\n*.md", ("README.md", "a/docs/notes.md", "b/keep.md"), id="the last line counts"),
        pytest.param("docs/", ("a/docs/notes.md", "a/docs/more.yaml"), id="a directory"),
        pytest.param("docs", ("a/docs/notes.md", "a/docs/more.yaml"), id="a name of a directory"),
        pytest.param("index.yaml/", (), id="a directory is no file"),
        pytest.param("a/*/notes.md", ("a/docs/notes.md",), id="a path"),
        pytest.param("docs/notes.md", (), id="a path is meant from the top"),
        pytest.param("**/notes.md", ("a/docs/notes.md",), id="any directories"),
        pytest.param("a/**", ("a/catalog.yaml", "a/docs/notes.md", "a/docs/more.yaml"), id="all below"),
        pytest.param("[ab]/catalog.*", ("a/catalog.yaml", "b/catalog.json"), id="a choice of characters"),
        pytest.param("[!a]/catalog.*", ("b/catalog.json",), id="all but some characters"),
        pytest.param("\\README.md", ("README.md",), id="escaped"),
        pytest.param("[", (), id="a broken pattern"),
    ],
)
def test_ignore_files(tmp_path: Path, ignore: str, left_out: tuple[str, ...]) -> None:
    assert names(tree(tmp_path, ignore)) == [name for name in sorted(FILES) if name not in left_out]


def test_an_ignore_file_is_about_its_own_directory(tmp_path: Path) -> None:
    found = names(tree(tmp_path, "/docs/\ncatalog.*", below="a"))
    assert found == ["README.md", "b/catalog.json", "b/keep.md", "index.yaml"]


def test_a_pattern_made_to_take_long_does_not(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200)).touch()
    (tmp_path / IGNORE_FILE).write_text("*a" * 60 + "b\n" + "**/" * 60 + "x")
    start = time.monotonic()
    assert len(names(tmp_path)) == 1
    assert time.monotonic() - start < 5


def test_bookkeeping_of_a_checkout_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    (tmp_path / "index.yaml").touch()
    assert names(tmp_path) == ["index.yaml"]
