# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The image of a catalog."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.image_build import BuiltImage
from ansible_collections.fleet.olm.plugins.module_utils.bundle.image_layout import check_place, holds, write_layout
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.build import build_catalog_image
from ansible_collections.fleet.olm.plugins.module_utils.catalog.edit import open_directory
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import CONFIGS_LABEL, open_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError, Problems
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import bundle, chain, package, write


def built(directory: Path, work: Path, **labels: str) -> BuiltImage:
    work.mkdir()
    return build_catalog_image(open_directory(directory), directory, labels, work)


def catalog(tmp_path: Path, name: str = "catalog") -> Path:
    directory = write(tmp_path / name, chain("1.0.0", "1.1.0"), "greeter/catalog.json")
    (directory / ".indexignore").write_text("README.md\n")
    (directory / "README.md").write_text("About this catalog")
    return directory


def test_the_same_files_give_the_same_digest(tmp_path: Path) -> None:
    first = catalog(tmp_path, "first")
    second = tmp_path / "second"
    second.mkdir(0o700)
    for path in (".indexignore", "greeter/catalog.json"):
        (second / path).parent.mkdir(exist_ok=True)
        shutil.copyfile(first / path, second / path)
        os.utime(second / path, (1, 1))
        (second / path).chmod(0o600)
    assert built(first, tmp_path / "a").digest == built(second, tmp_path / "b").digest
    assert built(first, tmp_path / "c", more="label").digest != built(first, tmp_path / "d").digest
    write(second, [*chain("1.0.0")], "greeter/catalog.json")
    assert built(first, tmp_path / "e").digest != built(second, tmp_path / "f").digest


def test_what_is_in_the_layer(tmp_path: Path) -> None:
    image = built(catalog(tmp_path), tmp_path / "work")
    with tarfile.open(image.layer.path) as archive:
        members = {member.name: (member.mode, member.mtime, member.uid) for member in archive}
    assert members == {
        "configs": (0o755, 0, 0),
        "configs/greeter": (0o755, 0, 0),
        "configs/greeter/catalog.json": (0o644, 0, 0),
    }


def test_it_is_read_back(tmp_path: Path) -> None:
    image = built(catalog(tmp_path), tmp_path / "work", vendor="fleet")
    layout = tmp_path / "layout"
    assert not holds(layout, image)
    write_layout(layout, image)
    assert holds(layout, image)
    with open_catalogs(str(layout), SourceOptions(cache_directory=str(tmp_path / "cache"))) as opened:
        assert opened.catalogs[0].package_names() == ["greeter"]
    assert CONFIGS_LABEL in image.config.path.read_text()


def test_another_image_in_a_layout_is_replaced(tmp_path: Path) -> None:
    layout = tmp_path / "layout"
    directory = catalog(tmp_path)
    write_layout(layout, built(directory, tmp_path / "a"))
    write(directory, chain("2.0.0"), "greeter/catalog.json")
    image = built(directory, tmp_path / "b")
    assert not holds(layout, image)
    check_place(layout)
    write_layout(layout, image)
    assert holds(layout, image)
    assert len(list((layout / "blobs" / "sha256").iterdir())) == 3
    (layout / "blobs" / "sha256" / image.layer.digest[7:]).write_bytes(b"cut off")
    assert not holds(layout, image)


def test_where_no_layout_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(OptionError, match="is there already and is no OCI image layout"):
            check_place(place)
    check_place(tmp_path / "none")


@pytest.mark.parametrize("blobs", [[package()], [*chain("1.0.0"), bundle("2.0.0")]])
def test_a_catalog_that_opm_refuses_is_not_built(tmp_path: Path, blobs: list[Any]) -> None:
    with pytest.raises(Problems, match="package greeter"):
        built(write(tmp_path / "catalog", blobs), tmp_path / "work")
    with pytest.raises(OptionError, match="holds no catalog"):
        open_directory(tmp_path / "none")
