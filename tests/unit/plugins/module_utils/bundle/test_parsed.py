# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle is parsed once and kept; what was kept is used only when it is whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle import load, source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle, read_directory
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.parsed import NAME, pack, unpack
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_tree import examine_tree
from ansible_collections.fleet.olm.plugins.module_utils.bundle.unpack_limits import Limits

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"


@pytest.fixture
def options(tmp_path: Path) -> SourceOptions:
    return SourceOptions(cache_directory=str(tmp_path / "cache"))


@pytest.mark.parametrize("path", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_packed_and_unpacked_is_the_same(path: Path) -> None:
    bundle = read_directory(path)
    packed = pack(bundle)
    assert packed is not None
    assert unpack(packed) == bundle


@pytest.mark.parametrize("cut", [0, 10, 32, 33, -1])
def test_what_is_not_whole_is_not_trusted(cut: int) -> None:
    packed = pack(read_directory(EXAMPLES / "greeter")) or b""
    assert unpack(packed[:cut]) is None
    assert unpack(b"\0" + packed[1:]) is None


def test_an_archive_is_parsed_once(tmp_path: Path, options: SourceOptions) -> None:
    archive = shutil.make_archive(str(tmp_path / "greeter"), "gztar", EXAMPLES / "greeter")
    first = load_bundle(archive, options)
    kept = list((tmp_path / "cache").rglob(f"*{NAME}"))
    assert len(kept) == 1
    stamp = kept[0].stat().st_mtime_ns
    assert load_bundle(archive, options) == first
    assert kept[0].stat().st_mtime_ns == stamp
    kept[0].write_bytes(kept[0].read_bytes()[:-5])
    assert load_bundle(archive, options) == first
    assert kept[0].stat().st_mtime_ns != stamp


def test_a_changed_directory_is_another_bundle(tmp_path: Path, options: SourceOptions) -> None:
    shutil.copytree(EXAMPLES / "greeter", tmp_path / "bundle")
    before = load_bundle(str(tmp_path / "bundle"), options)
    csv = tmp_path / "bundle" / "manifests" / "greeter.clusterserviceversion.yaml"
    csv.write_text(csv.read_text().replace("1.0.0", "1.0.1"))
    after = load_bundle(str(tmp_path / "bundle"), options)
    assert (before.bundle.version, after.bundle.version) == ("1.0.0", "1.0.1")
    assert before.digest != after.digest


def test_what_changed_while_it_was_read_is_not_kept(
    tmp_path: Path, options: SourceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shutil.copytree(EXAMPLES / "greeter", tmp_path / "bundle")
    csv = root / "manifests" / "greeter.clusterserviceversion.yaml"
    before = csv.read_text()

    def read_too_late(directory: Path) -> Bundle:
        csv.write_text(before.replace("1.0.0", "1.0.1"))
        return read_directory(directory)

    with monkeypatch.context() as patch:
        patch.setattr(load, "read_directory", read_too_late)
        assert load_bundle(str(root), options).bundle.version == "1.0.1"
    csv.write_text(before)
    assert load_bundle(str(root), options).bundle.version == "1.0.0"


def test_what_vanished_while_it_was_read_is_not_kept(
    tmp_path: Path, options: SourceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shutil.copytree(EXAMPLES / "greeter", tmp_path / "bundle")

    def read_and_lose(directory: Path) -> Bundle:
        bundle = read_directory(directory)
        shutil.rmtree(root)
        return bundle

    monkeypatch.setattr(load, "read_directory", read_and_lose)
    assert load_bundle(str(root), options).bundle.version == "1.0.0"
    assert list((tmp_path / "cache").rglob(f"*{NAME}")) == []


def test_a_directory_that_is_kept_is_examined_once(
    tmp_path: Path, options: SourceOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shutil.copytree(EXAMPLES / "greeter", tmp_path / "bundle")
    examined: list[Path] = []

    def examine(directory: Path, limits: Limits, place: str) -> str:
        examined.append(directory)
        return examine_tree(directory, limits, place)

    monkeypatch.setattr(source, "examine_tree", examine)
    first = load_bundle(str(root), options)
    assert len(examined) == 2
    assert load_bundle(str(root), options) == first
    assert len(examined) == 3
