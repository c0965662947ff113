# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Dockerfile that bundle_init writes, built by buildah: the image is the one that bundle_build makes without it."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Program, perform
from ansible_collections.fleet.olm.plugins.modules import bundle_build, bundle_init, bundle_validate

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
BUILDAH = shutil.which("buildah")
# What the builder says of itself.
OWN_LABEL = "io.buildah.version"

pytestmark = pytest.mark.skipif(BUILDAH is None, reason="buildah is not installed")


def called(program: Program, **options: Any) -> dict[str, Any]:
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(options)
    assert checked.error_messages == []
    result = perform(program, Call(checked.validated_parameters, check_mode=False, diff=False))
    assert not result.get("failed"), result["msg"]
    return result


def built_by_buildah(context: Path, layout: Path, work: Path) -> None:
    """Build without root's help from the kernel: no overlay mounts, no namespaces."""
    place = ["--storage-driver", "vfs", "--root", str(work / "root"), "--runroot", str(work / "run")]
    words = ["bud", "--isolation", "chroot", "-t", f"oci:{layout}:1", str(context)]
    ran = subprocess.run([str(BUILDAH), *place, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def labels_and_files(layout: Path) -> tuple[dict[str, str], dict[str, bytes]]:
    def blob(digest: str) -> Path:
        return layout / "blobs" / "sha256" / digest.removeprefix("sha256:")

    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads(blob(index["manifests"][0]["digest"]).read_text())
    labels = json.loads(blob(manifest["config"]["digest"]).read_text())["config"]["Labels"]
    files: dict[str, bytes] = {}
    for layer in manifest["layers"]:
        with tarfile.open(blob(layer["digest"])) as archive:
            for member in archive:
                opened = archive.extractfile(member) if member.isfile() else None
                if opened:
                    files[member.name] = opened.read()
    return {key: value for key, value in labels.items() if key != OWN_LABEL}, files


@pytest.mark.parametrize("given", ["manifests/kiali", "bundles/kiali-k8sv1", "bundles/greeter"])
def test_both_ways_of_building_give_the_same_bundle(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    context = tmp_path / "bundle"
    shutil.copytree(EXAMPLES / given, context)
    (context / "tests").mkdir()
    (context / "tests" / "config.yaml").write_text("---\nkind: Configuration\n")
    # A name that a shell would take apart.
    listed = next(path for path in sorted(context.rglob("*.yaml")) if path.name not in ("olm.yaml", "annotations.yaml"))
    listed.rename(listed.with_name("a name, with spaces.yaml"))
    called(bundle_init.PROGRAM, src=str(context))
    called(bundle_build.PROGRAM, source=str(context), dest=str(tmp_path / "ours"))
    built_by_buildah(context, tmp_path / "theirs", tmp_path)
    assert labels_and_files(tmp_path / "theirs") == labels_and_files(tmp_path / "ours")
    assert called(bundle_validate.PROGRAM, source=str(tmp_path / "theirs"))["valid"]
