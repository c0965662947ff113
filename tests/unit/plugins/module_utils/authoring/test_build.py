# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The image of a bundle."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.authoring.build import date_of
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.modules.bundle_build import PROGRAM

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"
PREFIX = "operators.operatorframework.io.bundle"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


def build(*, check: bool = False, **options: Any) -> dict[str, Any]:
    checked = ArgumentSpecValidator(dict(PROGRAM.argument_spec), **PROGRAM.constraints).validate(options)
    assert checked.error_messages == []
    return perform(PROGRAM, Call(checked.validated_parameters, check, diff=False))


@pytest.mark.parametrize("name", ["kiali-k8sv1", "greeter"])
@pytest.mark.parametrize("way", ["dest", "archive"])
def test_a_bundle_is_built_once_and_read_back(name: str, way: str, tmp_path: Path) -> None:
    given = {"source": str(EXAMPLES / name), way: str(tmp_path / "image")}
    predicted = build(check=True, **given)
    assert not (tmp_path / "image").exists()
    first, second = build(**given), build(**given)
    assert [one["changed"] for one in (predicted, first, second)] == [True, True, False]
    assert predicted["digest"] == first["digest"] == second["digest"]
    source = load_bundle(str(EXAMPLES / name), SourceOptions()).bundle
    image = load_bundle(str(tmp_path / "image"), SourceOptions()).bundle
    assert (image.csv, image.crds, image.others, image.format) == (
        source.csv,
        source.crds,
        source.others,
        source.format,
    )
    assert image.package == source.package


def test_the_same_files_give_the_same_digest(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLES / "kiali-k8sv1", copy)
    for path in copy.iterdir():
        os.utime(path, (1, 1))
        path.chmod(0o600)
    built = [
        build(source=str(source), dest=str(tmp_path / f"{number}"))
        for number, source in enumerate((EXAMPLES / "kiali-k8sv1", copy))
    ]
    assert built[0]["digest"] == built[1]["digest"]
    (copy / "olm.yaml").write_text((copy / "olm.yaml").read_text() + "\n# more\n")
    assert build(source=str(copy), dest=str(tmp_path / "1"))["changed"]


def test_what_is_in_an_image(tmp_path: Path) -> None:
    built = build(source=str(EXAMPLES / "kiali-k8sv1"), dest=str(tmp_path / "image"))
    blobs = tmp_path / "image" / "blobs" / "sha256"
    manifest = json.loads((blobs / built["digest"].removeprefix("sha256:")).read_text())
    config = json.loads((blobs / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
    assert config["config"]["Labels"] == built["labels"]
    assert "created" not in config
    assert built["labels"] == {
        f"{PREFIX}.mediatype.v1": "k8s+v1",
        f"{PREFIX}.manifests.v1": "manifests/",
        f"{PREFIX}.metadata.v1": "metadata/",
        f"{PREFIX}.package.v1": "kiali-operator",
    }
    shipped = (EXAMPLES / "kiali-k8sv1").iterdir()
    manifests = sorted(f"manifests/{path.name}" for path in shipped if path.name != "olm.yaml")
    with tarfile.open(blobs / manifest["layers"][0]["digest"].removeprefix("sha256:")) as layer:
        assert layer.getnames() == [
            *("manifests", *manifests),
            *("metadata", "metadata/annotations.yaml", "metadata/olm.yaml"),
        ]


def test_the_time_that_an_image_bears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"source": str(EXAMPLES / "greeter"), "dest": str(tmp_path / "image")}
    without = build(**given)["digest"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    built = build(**given)
    assert built["digest"] != without
    assert build(**given)["digest"] == built["digest"]
    blobs = tmp_path / "image" / "blobs" / "sha256"
    manifest = json.loads((blobs / built["digest"].removeprefix("sha256:")).read_text())
    config = json.loads((blobs / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
    assert config["created"] == "1970-01-02T00:00:00Z"
    with tarfile.open(blobs / manifest["layers"][0]["digest"].removeprefix("sha256:")) as layer:
        assert {member.mtime for member in layer} == {86400}


@pytest.mark.parametrize(("text", "date"), [(None, None), ("", None), ("0", 0), ("86400", 86400)])
def test_dates(text: str | None, date: int | None) -> None:
    assert date_of(text) == date


def test_a_date_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    result = build(source=str(EXAMPLES / "greeter"), dest=str(tmp_path / "image"))
    assert result["msg"] == "SOURCE_DATE_EPOCH: must be seconds since 1970, seen 'yesterday'"


def test_what_cannot_be_installed_is_not_built(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLES / "greeter", copy)
    (copy / "manifests" / "greetings.crd.yaml").unlink()
    result = build(source=str(copy), dest=str(tmp_path / "image"))
    assert result["failed"]
    assert "owns the CustomResourceDefinition" in result["msg"]
    assert not (tmp_path / "image").exists()


def test_files_that_are_no_image_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("mine")
    assert "is no OCI image layout" in build(source=str(EXAMPLES / "greeter"), dest=str(tmp_path))["msg"]
