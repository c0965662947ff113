# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `catalog`, and bundles that are named by catalog and package."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle import noted as noted_module
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_tree import examine_tree
from ansible_collections.fleet.olm.plugins.module_utils.catalog import directory as directory_module
from ansible_collections.fleet.olm.plugins.module_utils.catalog import index_build as index_build_module
from ansible_collections.fleet.olm.plugins.module_utils.catalog.index import NAME
from ansible_collections.fleet.olm.plugins.module_utils.catalog.option import parse_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import resolve
from ansible_collections.fleet.olm.plugins.module_utils.catalog.selector import selects
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import CONFIGS_LABEL, open_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError, OptionError, SourceError
from ansible_collections.fleet.olm.tests.rig.images import (
    Image,
    archive_of,
    digest_of,
    docker_save,
    gzipped,
    image,
    index,
    member,
    tar,
    write_layout,
)
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import bundle, chain, package, write
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.server import Answer, Server, running

BLOBS = [*chain("1.0.0", "1.1.0"), *chain("3.0.0", of="stamper")]
LINES = "\n".join(json.dumps(blob) for blob in BLOBS).encode()
# What base images hold, and no bundle may.
SYSTEM = [member("dev/null", tarfile.CHRTYPE), member("bin", tarfile.SYMTYPE, "/usr/bin")]


def catalog_image(label: str = "/configs", **files: bytes) -> Image:
    layers = [
        tar({"usr/bin/opm": b"x" * 100, "configs/old.json": b"not a catalog"}, SYSTEM),
        tar({"configs/greeter/catalog.json": LINES, "configs/.wh.old.json": b"", **files}),
    ]
    return image([gzipped(layer) for layer in layers], labels={CONFIGS_LABEL: label})


def options(tmp_path: Path, **more: Any) -> SourceOptions:
    return SourceOptions(cache_directory=str(tmp_path / "cache"), **more)


def found(option: Any, tmp_path: Path, of: str = "greeter", **more: Any) -> str:
    with open_catalogs(option, options(tmp_path), **more) as opened:
        return resolve(Query(of), opened.catalogs).bundle.name


@pytest.fixture
def server() -> Iterator[Server]:
    with running({}) as started:
        yield started


def every_kind(tmp_path: Path) -> dict[str, Path]:
    directory = write(tmp_path / "directory", BLOBS)
    layout = write_layout(tmp_path / "layout", catalog_image())
    several = index({"linux/arm64": image([gzipped(tar({"x": b""}))]), "linux/amd64": catalog_image()})
    kinds = {
        "directory": directory,
        "layout": layout,
        "layout of several platforms": write_layout(tmp_path / "several", several),
        "one file": directory / "catalog.json",
    }
    archives = {
        "tar": archive_of(directory),
        "tar.gz": gzipped(archive_of(directory)),
        "OCI archive": archive_of(layout),
        "docker save": docker_save(catalog_image()),
    }
    for kind, data in archives.items():
        kinds[kind] = tmp_path / f"{kind.replace(' ', '-')}.tar"
        kinds[kind].write_bytes(data)
    return kinds


def test_every_kind_of_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = every_kind(tmp_path)
    for kind, path in kinds.items():
        assert found(str(path), tmp_path) == "greeter.v1.1.0", kind
    monkeypatch.delattr(index_build_module, "build_index")
    for kind, path in kinds.items():
        assert found(str(path), tmp_path, "stamper") == "stamper.v3.0.0", f"{kind}, from the cache"


def test_a_change_of_the_directory_is_seen(tmp_path: Path) -> None:
    directory = write(tmp_path / "directory", BLOBS)
    assert found(str(directory), tmp_path) == "greeter.v1.1.0"
    write(directory, chain("1.0.0", "1.2.0"))
    assert found(str(directory), tmp_path) == "greeter.v1.2.0"


@pytest.mark.parametrize("name", ["directory", "directory/catalog.json"])
def test_what_changed_while_it_was_read_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    directory = write(tmp_path / "directory", BLOBS)
    build_index = index_build_module.build_index

    def read_too_late(*given: Any) -> bytes:
        write(directory, chain("1.0.0", "1.2.0"))
        return build_index(*given)

    with monkeypatch.context() as patch:
        patch.setattr(index_build_module, "build_index", read_too_late)
        assert found(str(tmp_path / name), tmp_path) == "greeter.v1.2.0"
    write(directory, BLOBS)
    assert found(str(tmp_path / name), tmp_path) == "greeter.v1.1.0"


@pytest.mark.parametrize("name", ["directory", "directory/catalog.json"])
def test_what_vanished_while_it_was_read_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    directory = write(tmp_path / "directory", BLOBS)
    build_index = index_build_module.build_index

    def read_and_lose(*given: Any) -> bytes:
        data = build_index(*given)
        shutil.rmtree(directory)
        return data

    monkeypatch.setattr(index_build_module, "build_index", read_and_lose)
    assert found(str(tmp_path / name), tmp_path) == "greeter.v1.1.0"
    assert list((tmp_path / "cache-catalogs").rglob(f"*{NAME}")) == []


def test_a_directory_that_nothing_was_written_to_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write(tmp_path / "directory", BLOBS)
    reads: list[Path] = []

    def counted(path: Path, *more: Any) -> str:
        reads.append(path)
        return examine_tree(path, *more)

    monkeypatch.setattr(directory_module, "examine_tree", counted)
    for expected in (2, 3):
        assert found(str(directory), tmp_path) == "greeter.v1.1.0"
        assert len(reads) == expected, "just written: it might change within the clock's grain, and before it is kept"
    monkeypatch.setattr(noted_module, "_GRAIN", -(10**12))
    for _round in range(3):
        assert found(str(directory), tmp_path) == "greeter.v1.1.0"
    assert len(reads) == 3
    write(directory, chain("1.0.0", "1.2.0"))
    assert found(str(directory), tmp_path) == "greeter.v1.2.0"
    (directory / "more.json").write_text(json.dumps(bundle("1.3.0")))
    assert found(str(directory), tmp_path) == "greeter.v1.3.0"
    (directory / "more.json").unlink()
    assert found(str(directory), tmp_path) == "greeter.v1.2.0"
    assert len(reads) == 6


@pytest.mark.parametrize(("name", "first"), [("catalog.tar", 1), ("catalog.json", 2)])
def test_a_file_that_nothing_was_written_to_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, first: int
) -> None:
    def content(version: str) -> bytes:
        lines = "\n".join(json.dumps(blob) for blob in chain("1.0.0", version)).encode()
        return tar({"catalog.json": lines}) if name.endswith(".tar") else lines

    reads: list[str] = []
    read = noted_module._content_digest

    def counted(file: BinaryIO) -> str:
        reads.append(name)
        return read(file)

    monkeypatch.setattr(noted_module, "_content_digest", counted)
    monkeypatch.setattr(noted_module, "_WORTH_NOTING", 0)
    path = tmp_path / name
    path.write_bytes(content("1.1.0"))
    for expected in (first, first + 1):
        assert found(str(path), tmp_path) == "greeter.v1.1.0"
        assert len(reads) == expected, "just written: it might change within the clock's grain, and before it is kept"
    monkeypatch.setattr(noted_module, "_GRAIN", -(10**12))
    for _round in range(3):
        assert found(str(path), tmp_path) == "greeter.v1.1.0"
    assert len(reads) == first + 1
    # Another content of the same size, with the time of the old one.
    before = path.stat()
    path.write_bytes(content("1.2.0"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert found(str(path), tmp_path) == "greeter.v1.2.0"
    assert len(reads) == first + 2
    # What is kept is cut off, every file of it in turn.
    cache = tmp_path / "cache-catalogs"
    for kept in sorted(file for file in cache.rglob("*") if file.is_file()):
        whole = kept.read_bytes()
        kept.write_bytes(whole[: len(whole) // 2])
        assert found(str(path), tmp_path) == "greeter.v1.2.0", kept


def test_a_link_out_of_a_directory_is_refused(tmp_path: Path) -> None:
    directory = write(tmp_path / "directory", BLOBS)
    (directory / "more.json").symlink_to("/etc/hostname")
    with pytest.raises(SourceError, match=r"more.json is a link to /etc/hostname, which leads out of it"):
        found(str(directory), tmp_path)


def test_a_catalog_in_a_registry(tmp_path: Path, server: Server) -> None:
    reference = "docker://" + server.hold(catalog_image(), "team/catalog", "v1")
    assert found(reference, tmp_path) == "greeter.v1.1.0"
    asked = len(server.asked)
    assert found(reference, tmp_path, "stamper") == "stamper.v3.0.0"
    assert [path for path, _status in server.asked[asked:]] == ["/v2/team/catalog/manifests/v1"]


def test_a_layer_without_anything_of_the_catalog_is_fetched_once_for_all_images(tmp_path: Path, server: Server) -> None:
    system = gzipped(tar({"usr/bin/opm": b"x" * 100}, SYSTEM))

    def asked_for(tag: str, *versions: str) -> list[str]:
        lines = "\n".join(json.dumps(blob) for blob in chain(*versions)).encode()
        content = image([system, gzipped(tar({"configs/catalog.json": lines}))], labels={CONFIGS_LABEL: "/configs"})
        reference = "docker://" + server.hold(content, "team/catalog", tag)
        server.asked.clear()
        assert found(reference, tmp_path) == f"greeter.v{versions[-1]}"
        layers = {digest_of(system): "system"}
        return [layers.get(path.rpartition("/")[2], "other") for path, _status in server.asked if "/blobs/" in path]

    assert sorted(asked_for("v1", "1.0.0")) == ["other", "other", "system"]
    assert sorted(asked_for("v2", "1.0.0", "1.1.0")) == ["other", "other"]


def test_half_an_image_is_told_and_the_whole_one_is_fetched_next_time(tmp_path: Path, server: Server) -> None:
    content = catalog_image()
    reference = "docker://" + server.hold(content, "team/catalog", "v1")
    blobs = {path: answer for path, answer in server.answers.items() if "/blobs/" in path}
    for path, answer in blobs.items():
        server.answers[path] = replace(answer, sent=len(answer.body) // 2)
        with pytest.raises(FleetError, match=rf"^catalog {reference}|{server.address}") as caught:
            found(reference, tmp_path)
        assert "\n" not in str(caught.value)
        server.answers[path] = answer
    assert found(reference, tmp_path) == "greeter.v1.1.0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (image([gzipped(tar({"x": b""}))]), f"is no image of a catalog: it lacks the label {CONFIGS_LABEL}"),
        (catalog_image("/../etc"), "names the directory /../etc, with '..' in it"),
        (catalog_image("/nowhere"), "is empty"),
        (catalog_image(**{"configs/notes.txt": b"hello"}), "notes.txt, document 1 must be a mapping, and is a text"),
    ],
)
def test_images_that_are_no_catalogs(tmp_path: Path, content: Image, message: str) -> None:
    layout = write_layout(tmp_path / "layout", content)
    with pytest.raises(FleetError) as caught:
        found(str(layout), tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_served_catalog_is_fetched_once_and_then_asked_whether_it_changed(tmp_path: Path, server: Server) -> None:
    path = "/catalogs/main/api/v1/all"
    server.answers[path] = Answer(LINES, {"ETag": '"1"'})
    assert found(server.url + path, tmp_path) == "greeter.v1.1.0"
    assert found(server.url + path, tmp_path, "stamper") == "stamper.v3.0.0"
    changed = "\n".join(json.dumps(blob) for blob in chain("2.0.0")).encode()
    server.answers[path] = Answer(changed, {"ETag": '"2"'})
    assert found(server.url + path, tmp_path) == "greeter.v2.0.0"
    assert server.asked == [(path, 200), (path, 304), (path, 200)]


def test_of_a_server_that_answers_queries_only_one_package_is_fetched(tmp_path: Path, server: Server) -> None:
    path = "/catalogs/main/api/v1/metas"
    own = [blob for blob in BLOBS if blob.get("package") == "greeter"]
    server.answers[f"{path}?schema=olm.package&name=greeter"] = Answer(json.dumps(package()).encode())
    server.answers[f"{path}?package=greeter"] = Answer("\n".join(json.dumps(blob) for blob in own).encode())
    assert found(server.url + path, tmp_path, package="greeter") == "greeter.v1.1.0"
    server.answers[f"{path}?schema=olm.package&name=none"] = server.answers[f"{path}?package=none"] = Answer(b"")
    with pytest.raises(Unresolved, match="does not have this package"):
        found(server.url + path, tmp_path, "none", package="none")
    server.answers["/catalogs/main/api/v1/all"] = Answer(LINES)
    assert found(server.url + path, tmp_path, "stamper") == "stamper.v3.0.0"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(b"", status=404), "is not there (404); catalogd serves a catalog below its address at /api/v1/all"),
        (Answer(b"", status=403), "does not allow it (403)"),
        (Answer(b"", status=500), "failed (500)"),
        (Answer(b"<html>", {"Content-Type": "text/html"}), "answered with an HTML page"),
        (Answer(LINES, sent=200), "cannot be read: "),
        (Answer(LINES[:200]), "catalog.json, document 2: breaks off at the end of the file"),
        (Answer(b"", {"Location": "https://127.0.0.1:1/x"}, 302), "cannot be read: "),
    ],
)
def test_servers_that_do_not_deliver(tmp_path: Path, server: Server, answer: Answer, message: str) -> None:
    server.answers["/x"] = answer
    with pytest.raises(FleetError) as caught:
        found(f"{server.url}/x", tmp_path)
    assert str(caught.value).startswith(f"catalog {server.url}/x: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"catalog http://127.0.0.1:1/x: cannot be read: Connection refused"):
        found("http://127.0.0.1:1/x", tmp_path)


def test_several_catalogs_with_names_priorities_and_labels(tmp_path: Path) -> None:
    first, second = write(tmp_path / "first", chain("1.0.0")), write(tmp_path / "second", chain("2.0.0"))
    option = [
        {"catalog": str(first), "name": "first", "priority": 1, "labels": {"stage": "prod"}},
        {"catalog": {"catalog": str(second)}, "name": "second"},
    ]
    assert found(option, tmp_path) == "greeter.v1.0.0"
    by_label = {"matchExpressions": [{"key": "stage", "operator": "DoesNotExist"}]}
    assert found(option, tmp_path, selector=by_label) == "greeter.v2.0.0"
    by_name = {"matchLabels": {"olm.operatorframework.io/metadata.name": "second"}}
    assert found(option, tmp_path, selector=by_name) == "greeter.v2.0.0"
    with pytest.raises(OptionError, match="selector: takes none of the catalogs"):
        found(option, tmp_path, selector={"matchLabels": {"stage": "test"}})


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ([], "catalog: the list is empty"),
        ("", "catalog: '' is no catalog; give a path"),
        (7, "catalog: 7 is no catalog"),
        (["a", "a"], "catalog: a is there twice"),
        (
            ["a", {"catalog": "b", "nam": "x"}],
            r"catalog\[1\]: nam is unknown; a catalog has catalog, cluster_catalog, name",
        ),
        ({"name": "x"}, "catalog: give either catalog or cluster_catalog"),
        ({"catalog": "x", "cluster_catalog": "y"}, "catalog: give either catalog or cluster_catalog"),
        ({"catalog": 7}, "catalog: catalog must be a text, and is 7"),
        ({"catalog": "x", "priority": "high"}, "catalog: priority must be a whole number of 32 bits, and is 'high'"),
        ({"catalog": "x", "priority": 2**31}, "catalog: priority must be a whole number of 32 bits"),
        ({"catalog": "x", "labels": ["a"]}, "catalog: labels must be a mapping"),
    ],
)
def test_what_is_no_catalog(option: Any, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        parse_catalogs(option)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("/no/such/catalog", "catalog /no/such/catalog: does not exist"),
        ("docker://nowhere", "catalog: 'docker://nowhere' names no registry host"),
        ("ftp://example.com/x", "catalog: 'ftp://example.com/x' has an unknown scheme"),
        ("https://me:secret@example.com/x", "catalog: an URL holds no user name and no password"),
        ("https:///x", "catalog: 'https:///x' names no host"),
        ("a\0b", r"catalog a\\x00b: "),
        (
            {"cluster_catalog": "main"},
            "catalog: cluster_catalog main is on a cluster, and this module talks to none; ask catalog_resolve",
        ),
    ],
)
def test_catalogs_that_cannot_be_opened(tmp_path: Path, source: Any, message: str) -> None:
    with pytest.raises(FleetError, match=f"^{message}"):
        found(source, tmp_path)


@pytest.mark.parametrize(
    ("selector", "taken"),
    [
        (None, True),
        ({}, True),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "2"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["1"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False),
    ],
)
def test_selectors(selector: Any, taken: bool) -> None:
    assert selects(selector, {"a": "1"}) is taken


@pytest.mark.parametrize(
    "selector",
    [
        {"labels": {}},
        {"matchLabels": []},
        {"matchExpressions": {}},
        {"matchExpressions": ["a"]},
        {"matchExpressions": [{"key": "a", "operator": "Is"}]},
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
    ],
)
def test_what_is_no_selector(selector: Any) -> None:
    with pytest.raises(OptionError, match=r"^selector"):
        selects(selector, {})


FILES = {"manifests/csv.yaml": b"kind: ClusterServiceVersion\n", "metadata/annotations.yaml": b"annotations: {}\n"}


def test_a_bundle_by_catalog_package_version_and_channels(tmp_path: Path, server: Server) -> None:
    content = image([gzipped(tar(FILES))])
    reference = server.hold(content, "team/greeter", "v1")
    old = {"schema": "olm.deprecations", "package": "greeter"}
    old["entries"] = [{"reference": {"schema": "olm.package"}, "message": "use stamper"}]
    blobs = [*(blob for blob in BLOBS if blob["name"] != "greeter.v1.0.0"), bundle("1.0.0", image=reference), old]
    source = {
        "catalog": str(write(tmp_path / "catalog", blobs)),
        "package": "greeter",
        "version": "1.0.x",
        "channels": ["stable"],
    }
    with open_source(source, options(tmp_path)) as opened:
        assert opened.digest == content.digest
        assert opened.reference == f"docker://{server.address}/team/greeter@{content.digest}"
        assert opened.warnings == ("package greeter is deprecated: use stamper",)
        assert (opened.directory / "manifests" / "csv.yaml").is_file()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"pakage": "x"}, "source: pakage is unknown; a mapping has catalog, package, version, channels, policy"),
        ({"package": ""}, "source: package is missing"),
        ({"version": "2.x"}, "package greeter, version 2.x: no version matches"),
        ({"channels": 7}, "channels: 7 is no list of names"),
        ({"policy": "Any"}, "policy: 'Any' is unknown; it is CatalogProvided or SelfCertified"),
        ({"version": "1.1.0"}, "source: the catalog has no image for greeter.v1.1.0, only its manifests"),
    ],
)
def test_bundles_that_a_catalog_does_not_have(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    blobs = [package(), bundle("1.1.0", image="")]
    source = {"catalog": str(write(tmp_path / "catalog", blobs)), "package": "greeter", **more}
    with pytest.raises(FleetError, match=message):
        open_source(source, options(tmp_path))
