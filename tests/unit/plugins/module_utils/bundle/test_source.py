# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `source` for everything that lies on this machine."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import OpenedSource, open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.bundle.unpack_limits import Limits
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError, OptionError, SourceError
from ansible_collections.fleet.olm.tests.rig.images import (
    OCI_INDEX,
    OCI_LAYER,
    OCI_MANIFEST,
    Image,
    archive_of,
    descriptor,
    digest_of,
    docker_save,
    gzipped,
    image,
    index,
    member,
    tar,
    write_layout,
)
from ansible_collections.fleet.olm.tests.rig.scripts import start_python

FILES = {"manifests/csv.yaml": b"kind: ClusterServiceVersion\n", "metadata/annotations.yaml": b"annotations: {}\n"}
LABELS = {"operators.operatorframework.io.bundle.package.v1": "demo"}
BUNDLE = image([gzipped(tar(FILES))], labels=LABELS)


def options(tmp_path: Path, **more: Any) -> SourceOptions:
    return SourceOptions(cache_directory=str(tmp_path / "cache"), **more)


def content(source: OpenedSource) -> dict[str, bytes]:
    root = source.directory
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def bundle_directory(path: Path, files: Mapping[str, bytes] | None = None) -> Path:
    for name, data in (files or FILES).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def every_kind(tmp_path: Path) -> dict[str, Path]:
    plain = archive_of(bundle_directory(tmp_path / "directory"))
    wrapped = tar({f"demo-bundle/v1/{name}": data for name, data in FILES.items()})
    layout = write_layout(tmp_path / "layout", BUNDLE)
    several = write_layout(
        tmp_path / "several", index({"linux/arm64": image([gzipped(tar({"x": b""}))]), "linux/amd64": BUNDLE})
    )
    return {
        "directory": tmp_path / "directory",
        "tar": saved(tmp_path / "bundle.tar", plain),
        "tar.gz": saved(tmp_path / "bundle.tar.gz", gzipped(plain)),
        "tgz of one directory": saved(tmp_path / "bundle.tgz", gzipped(wrapped)),
        "layout": layout,
        "layout of several platforms": several,
        "OCI archive": saved(tmp_path / "oci.tar", archive_of(layout)),
        "docker save": saved(tmp_path / "docker.tar", docker_save(BUNDLE)),
        "docker save, compressed": saved(tmp_path / "docker.tar.gz", gzipped(docker_save(BUNDLE))),
        "docker save, its layers compressed": saved(tmp_path / "layers.tar", docker_save(BUNDLE, compressed=True)),
    }


def test_every_kind_gives_the_same_files(tmp_path: Path) -> None:
    for kind, path in every_kind(tmp_path).items():
        for run in ("cold", "warm"):
            with open_source(str(path), options(tmp_path)) as source:
                assert content(source) == FILES, f"{kind}, {run}"


def test_digests_labels_and_platforms(tmp_path: Path) -> None:
    found = {}
    for kind, path in every_kind(tmp_path).items():
        with open_source(str(path), options(tmp_path)) as source:
            found[kind] = (source.digest, dict(source.labels), source.platform)
    config = json.loads(BUNDLE.document)["config"]["digest"]
    assert found["directory"][1:] == ({}, "")
    assert found["directory"] == found["tar"] == found["tar.gz"] == found["tgz of one directory"]
    assert found["layout"] == found["OCI archive"] == (BUNDLE.digest, LABELS, "")
    assert found["layout of several platforms"] == (BUNDLE.digest, LABELS, "linux/amd64")
    assert found["docker save"] == found["docker save, compressed"] == found["docker save, its layers compressed"]
    assert found["docker save"] == (config, LABELS, "")


def test_the_digest_of_a_directory_follows_its_content(tmp_path: Path) -> None:
    def digest(name: str, files: Mapping[str, bytes]) -> str:
        with open_source(str(bundle_directory(tmp_path / name, files)), options(tmp_path)) as source:
            return source.digest

    first = digest("a", FILES)
    assert digest("b", dict(reversed(FILES.items()))) == first
    assert digest("c", {**FILES, "metadata/annotations.yaml": b"annotations: {a: b}\n"}) != first
    assert digest("d", {**FILES, "metadata/more.yaml": b""}) != first
    assert digest("e", {**FILES, ".git/HEAD": b"ref: x\n"}) == first


def test_without_amd64_the_first_platform_is_taken_and_told(tmp_path: Path) -> None:
    other = image([gzipped(tar({**FILES, "more": b""}))])
    layout = write_layout(
        tmp_path / "layout", index({"unknown/unknown": other, "linux/s390x": BUNDLE, "linux/arm64": other})
    )
    with open_source(str(layout), options(tmp_path)) as source:
        assert (source.platform, source.digest) == ("linux/s390x", BUNDLE.digest)
        assert source.warnings == (f"{layout} has no image for linux/amd64; the one for linux/s390x was taken",)


def test_layers_and_whiteouts_of_an_image(tmp_path: Path) -> None:
    layers = [gzipped(tar({**FILES, "manifests/old.yaml": b"old"})), tar({"manifests/.wh.old.yaml": b""})]
    document = json.loads(image(layers).document)
    document["layers"][1]["mediaType"] = OCI_LAYER
    whole = Image(json.dumps(document).encode(), OCI_MANIFEST, image(layers).blobs)
    with open_source(str(write_layout(tmp_path / "layout", whole)), options(tmp_path)) as source:
        assert content(source) == FILES


def test_a_directory_is_read_where_it_lies_and_nothing_is_cached(tmp_path: Path) -> None:
    with open_source(str(bundle_directory(tmp_path / "bundle")), options(tmp_path)) as source:
        assert source.directory == tmp_path / "bundle"
    assert not (tmp_path / "cache").exists()


def test_a_plain_directory_imports_no_http_library(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from ansible_collections.fleet.olm.plugins.module_utils.bundle import source, source_options\n"
        "source.open_source(sys.argv[1], source_options.SourceOptions()).close()\n"
        "print(sorted({'urllib3', 'requests', 'dxf', 'ssl', 'tarfile', 'ansible'} & set(sys.modules)))\n"
    )
    path = str(bundle_directory(tmp_path / "bundle"))
    with start_python(code, path) as process:
        assert process.communicate()[0] == "[]\n"


@pytest.mark.parametrize("source", ["", "  ", "https://registry.example/x:v1", "oci:///x", 7, None])
def test_what_is_no_source(tmp_path: Path, source: Any) -> None:
    with pytest.raises(OptionError, match=r"^source: "):
        open_source(source, options(tmp_path))


def with_link(directory: Path, target: str) -> Path:
    (directory / "manifests" / "link").symlink_to(target)
    return directory


def soft(name: str, target: str) -> tarfile.TarInfo:
    return member(name, tarfile.SYMTYPE, target)


def with_fifo(directory: Path) -> Path:
    os.mkfifo(directory / "manifests" / "pipe")
    return directory


def empty(directory: Path) -> Path:
    directory.mkdir()
    return directory


def layout_with(tmp_path: Path, document: Any, media_type: str = OCI_MANIFEST) -> Path:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return write_layout(tmp_path / "layout", Image(data, media_type, BUNDLE.blobs))


def damaged_blob(tmp_path: Path, number: int, change: Any) -> Path:
    layout = write_layout(tmp_path / "layout", BUNDLE)
    path = layout / "blobs" / "sha256" / list(BUNDLE.everything())[number].removeprefix("sha256:")
    path.write_bytes(change(path.read_bytes()))
    return layout


MANIFEST = json.loads(BUNDLE.document)
TWO = {"manifests": [descriptor(b"1", OCI_MANIFEST), descriptor(b"2", OCI_MANIFEST)]}


def with_index(tmp_path: Path, content: Any) -> Path:
    layout = write_layout(tmp_path / "layout", BUNDLE)
    (layout / "index.json").write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return layout


REFUSED: dict[str, tuple[Any, str]] = {
    "path that does not exist": (lambda t: t / "nowhere", "does not exist"),
    "path with a zero byte": (lambda t: str(t) + "/a\0b", "does not exist"),
    "empty directory": (lambda t: empty(t / "empty"), "is empty; a bundle has the directories manifests and metadata"),
    "directory of empty directories": (lambda t: empty(empty(t / "empty") / "manifests").parent, "is empty"),
    "empty file": (lambda t: saved(t / "x.tar", b""), "is no tar"),
    "text file": (lambda t: saved(t / "x.txt", b"text\n" * 500), "is no tar"),
    "tar of nothing": (lambda t: saved(t / "x.tar", tar({})), "is empty"),
    "fifo as source": (lambda t: with_fifo(bundle_directory(t / "d")) / "manifests" / "pipe", "is no regular file"),
    "fifo in a directory": (lambda t: with_fifo(bundle_directory(t / "d")), "manifests/pipe is a device file, FIFO or"),
    "link out of a directory": (lambda t: with_link(bundle_directory(t / "d"), "/etc/passwd"), "which leads out of it"),
    "relative link out": (
        lambda t: with_link(bundle_directory(t / "d"), "../../x"),
        "is a link to ../../x, which leads",
    ),
    "link without end": (
        lambda t: with_link(bundle_directory(t / "d"), "link"),
        "manifests/link is a link without end",
    ),
    "link through a link without end": (
        lambda t: saved(t / "x.tar", tar({"p/f": b""}, [soft("loop", "loop"), soft("x", "loop/y")])),
        "is a link without end",
    ),
    "links that lead out only together": (
        lambda t: saved(t / "x.tar", tar({"p/q/f": b""}, [soft("p/q/top", "../.."), soft("x", "p/q/top/..")])),
        "x is a link to p/q/top/.., which leads out of it",
    ),
    "tar with a device": (
        lambda t: saved(t / "x.tar", tar(FILES, [member("n", tarfile.CHRTYPE)])),
        "n is a device file",
    ),
    "manifest that is no JSON": (lambda t: layout_with(t, b"{no"), "is no JSON"),
    "manifest that is HTML": (lambda t: layout_with(t, b"<html>"), "is an HTML page"),
    "manifest that is a list": (lambda t: layout_with(t, []), "is no JSON object"),
    "manifest nested without end": (lambda t: layout_with(t, b"[" * 200_000), "is no JSON"),
    "manifest far too large": (lambda t: layout_with(t, b" " * (5 << 20)), "says that it has 5242880 bytes"),
    "unknown media type": (
        lambda t: layout_with(t, {**MANIFEST, "mediaType": "text/x"}),
        "has the media type 'text/x'; accepted",
    ),
    "schema 1": (lambda t: layout_with(t, {"schemaVersion": 1}, "application/x.v1+prettyjws"), "has the media type"),
    "index without images": (
        lambda t: layout_with(t, {"manifests": []}, OCI_INDEX),
        "is an index that lists no images",
    ),
    "index and manifest at once": (
        lambda t: layout_with(t, {**MANIFEST, "manifests": []}),
        "is an index and a manifest at once",
    ),
    "manifest without layers": (lambda t: layout_with(t, {**MANIFEST, "layers": []}), "is a manifest without layers"),
    "manifest without config": (
        lambda t: layout_with(t, {"layers": MANIFEST["layers"]}),
        "config: has the digest 'None'",
    ),
    "layer of unknown type": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "mediaType": "text/y"}]}),
        "layer 1 has the media type 'text/y'; accepted are",
    ),
    "layer with a negative size": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "size": -1}]}),
        "layer 1: has the size '-1'",
    ),
    "layer with a digest that is a path": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "digest": "sha256:../../x"}]}),
        "layer 1: has the digest 'sha256:../../x'",
    ),
    "layer larger than any bundle": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "size": 1 << 40}]}),
        "its layers have 1048576 MiB",
    ),
    "wrong size": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "size": 20}]}),
        "layer 1 of 1: has more than the 20 bytes",
    ),
    "layer that is not there": (
        lambda t: layout_with(t, {**MANIFEST, "layers": [{**MANIFEST["layers"][0], "digest": digest_of(b"?")}]}),
        "layer 1 of 1: cannot be read: No such file or directory",
    ),
    "damaged manifest": (
        lambda t: damaged_blob(t, 0, lambda data: data.replace(b"amd64", b"arm64") + b" "),
        "has more than",
    ),
    "changed manifest": (
        lambda t: damaged_blob(t, 0, lambda data: data.replace(b"2", b"3")),
        "it is damaged or was changed",
    ),
    "changed config": (
        lambda t: damaged_blob(t, 1, lambda data: data.replace(b"demo", b"evil")),
        "config: has the digest",
    ),
    "changed layer": (
        lambda t: damaged_blob(t, 2, lambda data: data[:9] + b"\x00" + data[10:]),
        "layer 1 of 1: has the digest",
    ),
    "truncated layer": (lambda t: damaged_blob(t, 2, lambda data: data[:-9]), "layer 1 of 1: the gzip breaks off"),
    "index.json that is no JSON": (lambda t: with_index(t, "nothing"), "index.json: is no JSON"),
    "index.json that is a manifest": (
        lambda t: with_index(t, MANIFEST),
        "index.json: is a manifest where an index must be",
    ),
    "layout of several images": (lambda t: with_index(t, TWO), "index.json: lists 2 images (unnamed, unnamed)"),
    "docker save of two images": (
        lambda t: saved(
            t / "x.tar", tar({"manifest.json": b'[{"Config":"a","Layers":[]},{"Config":"b","Layers":[]}]'})
        ),
        "holds 2 images",
    ),
    "docker save that names a file elsewhere": (
        lambda t: saved(t / "x.tar", tar({"manifest.json": b'[{"Config":"../../etc/passwd","Layers":["a"]}]'})),
        "../../etc/passwd has '..' in its path",
    ),
    "docker save without its config": (
        lambda t: saved(t / "x.tar", tar({"manifest.json": b'[{"Config":"c.json","Layers":["a"]}]'})),
        "names the file c.json, which is not in the archive",
    ),
    "docker save with a changed layer": (
        lambda t: saved(t / "x.tar", docker_save(BUNDLE).replace(b"ClusterService", b"KlusterService")),
        "layer 1 of 1: has the digest",
    ),
    "docker save with a changed config": (
        lambda t: saved(t / "x.tar", docker_save(BUNDLE).replace(b'"demo"', b'"evil"')),
        "config: has the digest",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line_and_nothing_left_behind(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, words = REFUSED[name]
    scratch = empty(tmp_path / "scratch")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = make(tmp_path)
    with pytest.raises(SourceError) as caught:
        open_source(str(path), options(tmp_path))
    message = str(caught.value)
    assert words in message
    assert message.startswith("source ")
    assert "\n" not in message
    assert list((tmp_path / "cache").glob("*")) == []
    assert list(scratch.iterdir()) == []


def test_limits_hold_for_directories_too(tmp_path: Path) -> None:
    path = str(bundle_directory(tmp_path / "bundle"))
    for limits in (Limits(files=2), Limits(total_bytes=30), Limits(file_bytes=20), Limits(depth=0)):
        with pytest.raises(SourceError):
            open_source(path, options(tmp_path, limits=limits))


def test_a_cache_that_cannot_be_used_is_told_and_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = empty(tmp_path / "scratch")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    path = saved(tmp_path / "bundle.tar", tar(FILES))
    blocked = saved(tmp_path / "cache", b"a file")
    with open_source(str(path), options(tmp_path)) as source:
        assert content(source) == FILES
        assert "the cache of bundles cannot be used" in source.warnings[0]
    assert list(scratch.iterdir()) == []
    assert blocked.read_bytes() == b"a file"


def test_options_are_taken_by_name_and_hide_the_password() -> None:
    given = {
        "registry_username": "me",
        "registry_password": "secret!",
        "registry_validate_certs": False,
        "registry_ca_cert": None,
        "ca_cert": "the cluster's",
        "state": "present",
    }
    found = SourceOptions.from_options(given)
    assert (found.username, found.password, found.validate_certs, found.ca_cert) == ("me", "secret!", False, None)
    assert "secret!" not in repr(found)


def test_every_error_belongs_to_the_family() -> None:
    assert issubclass(SourceError, FleetError)
