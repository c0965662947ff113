# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles from real registries: open, with TLS and a password, and with tokens; pushed by another client than ours."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import OpenedSource, open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.errors import RegistryError
from ansible_collections.fleet.olm.tests.rig.images import Push, digest_of, gzipped, image, index, tar
from ansible_collections.fleet.olm.tests.rig.processes import Ports
from ansible_collections.fleet.olm.tests.rig.registry import Registry, start_token_registry
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.scripts import start_python
from ansible_collections.fleet.olm.tests.rig.token_server import TokenServer

FILES = {"manifests/csv.yaml": b"kind: ClusterServiceVersion\n", "metadata/annotations.yaml": b"annotations: {}\n"}
LABELS = {"operators.operatorframework.io.bundle.package.v1": "demo"}
LAYERS = [gzipped(tar({**FILES, "manifests/old.yaml": b"old"})), gzipped(tar({"manifests/.wh.old.yaml": b""}))]
BUNDLE = image(LAYERS, labels=LABELS)
OTHER = image([gzipped(tar({**FILES, "arm": b"arm"}))])
INDEX = index({"linux/arm64": OTHER, "linux/amd64": BUNDLE})
FOREIGN = index({"linux/s390x": OTHER})


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with Rig(tmp_path_factory.mktemp("sources") / "rig", print) as running:
        for registry in running.start_registries().values():
            headers = {"Authorization": basic(registry)} if registry.user else {}
            push = Push(registry.address, registry.ca_file, headers)
            push.push(BUNDLE, "team/bundle", "v1")
            push.push(INDEX, "team/bundle", "many")
            push.push(FOREIGN, "team/bundle", "foreign")
        yield running


@pytest.fixture(scope="module")
def crane(rig: Rig) -> str:
    """An independent client; found while HOME is the real one, where it is kept."""
    return str(rig.program("crane"))


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory, rig: Rig) -> Iterator[tuple[Registry, TokenServer]]:
    home, authority = tmp_path_factory.mktemp("tokens"), trustme.CA()
    with TokenServer(home / "server", authority) as server:
        program, auth = rig.program("registry"), server.registry_options()
        registry = start_token_registry(home / "registry", program, Ports(), authority, auth)
        try:
            for repository in ("public/bundle", "private/bundle"):
                grant = server.token([f"repository:{repository}:pull,push"], known=True)
                Push(registry.address, registry.ca_file, {"Authorization": f"Bearer {grant}"}).push(
                    BUNDLE, repository, "v1"
                )
            yield registry, server
        finally:
            registry.process.kill()


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SourceOptions:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    for name in ("REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME", "DOCKER_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return SourceOptions(cache_directory=str(tmp_path / "cache"))


def basic(registry: Registry) -> str:
    return "Basic " + base64.b64encode(f"{registry.user}:{registry.password}".encode()).decode()


def content(source: OpenedSource) -> dict[str, bytes]:
    root = source.directory
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def closed(rig: Rig, options: SourceOptions, **more: Any) -> SourceOptions:
    registry = rig.registries["closed"]
    given = {"ca_cert": registry.ca_file, "username": registry.user, "password": registry.password, **more}
    return replace(options, **given)


def address(rig: Rig, name: str = "open") -> str:
    return f"docker://{rig.registries[name].address}/team/bundle"


@pytest.mark.parametrize("reference", [":v1", f"@{BUNDLE.digest}", f":anything@{BUNDLE.digest}"])
def test_by_tag_and_by_digest(rig: Rig, options: SourceOptions, reference: str) -> None:
    with open_source(address(rig) + reference, options) as source:
        assert content(source) == FILES
        assert (source.digest, dict(source.labels), source.platform) == (BUNDLE.digest, LABELS, "")
        assert source.reference == f"{address(rig)}@{BUNDLE.digest}"
        assert source.warnings == ()


@pytest.mark.parametrize("reference", [":many", f"@{INDEX.digest}"])
def test_of_several_platforms_one_is_taken(rig: Rig, options: SourceOptions, reference: str) -> None:
    with open_source(address(rig) + reference, options) as source:
        assert content(source) == FILES
        assert (source.digest, source.platform) == (BUNDLE.digest, "linux/amd64")
        assert source.reference == f"{address(rig)}@{INDEX.digest}"


def test_of_other_platforms_the_first_is_taken_and_told(rig: Rig, options: SourceOptions) -> None:
    with open_source(f"{address(rig)}:foreign", options) as source:
        assert (source.digest, source.platform) == (OTHER.digest, "linux/s390x")
        assert "the one for linux/s390x was taken" in source.warnings[0]


def test_an_image_that_an_independent_client_made(rig: Rig, crane: str, options: SourceOptions, tmp_path: Path) -> None:
    target = f"{rig.registries['open'].address}/crane/bundle:v1"
    for number, layer in enumerate(LAYERS):
        (tmp_path / f"{number}.tar.gz").write_bytes(layer)
    layers = [f"--new_layer={tmp_path / '0.tar.gz'}", f"--new_layer={tmp_path / '1.tar.gz'}"]
    subprocess.run([crane, "append", "--insecure", *layers, f"--new_tag={target}"], check=True, capture_output=True)
    archives = {name: tmp_path / f"{name}.tar" for name in ("legacy", "tarball")}
    for name, path in archives.items():
        subprocess.run(
            [crane, "pull", "--insecure", f"--format={name}", target, str(path)], check=True, capture_output=True
        )
    layout = tmp_path / "layout"
    subprocess.run([crane, "pull", "--insecure", "--format=oci", target, str(layout)], check=True, capture_output=True)
    digest = subprocess.run([crane, "digest", "--insecure", target], check=True, capture_output=True, text=True)
    with open_source(f"docker://{target}", options) as source:
        assert content(source) == FILES
        assert source.digest == digest.stdout.strip()
    for path in (*archives.values(), layout):
        with open_source(str(path), options) as source:
            assert content(source) == FILES, path.name


def test_with_tls_and_a_password(rig: Rig, options: SourceOptions) -> None:
    with open_source(f"{address(rig, 'closed')}:many", closed(rig, options)) as source:
        assert content(source) == FILES


def test_with_credentials_from_an_auth_file(rig: Rig, options: SourceOptions, tmp_path: Path) -> None:
    registry = rig.registries["closed"]
    entry = {"auth": base64.b64encode(f"{registry.user}:{registry.password}".encode()).decode()}
    wrong = {"auth": base64.b64encode(b"puller:wrong").decode()}
    path = tmp_path / "home" / ".docker" / "config.json"
    path.parent.mkdir(parents=True)
    path.write_text(
        json.dumps({"auths": {registry.address: wrong, f"{registry.address}/team": entry}}), encoding="utf-8"
    )
    found = replace(options, ca_cert=registry.ca_file)
    with open_source(f"{address(rig, 'closed')}:v1", found) as source:
        assert content(source) == FILES


REFUSED = {
    "no credentials": ({"username": None, "password": None}, "asks for credentials (401): no auth file was found"),
    "wrong password": (
        {"password": "wrong-secret"},
        "did not accept user 'puller' with the password from the registry options (401)",
    ),
    "no authority": ({"ca_cert": None}, "its TLS certificate is not trusted: unable to get local issuer certificate"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_the_closed_registry(rig: Rig, options: SourceOptions, name: str) -> None:
    change, words = REFUSED[name]
    with pytest.raises(RegistryError) as caught:
        open_source(f"{address(rig, 'closed')}:v1", closed(rig, options, **change))
    assert words in str(caught.value)
    assert "wrong-secret" not in str(caught.value)
    assert not list(Path(str(options.cache_directory)).glob("*"))


@pytest.mark.parametrize("reference", [":nowhere", f"@{digest_of(b'nothing')}"])
def test_an_image_that_is_not_there(rig: Rig, options: SourceOptions, reference: str) -> None:
    with pytest.raises(RegistryError, match=r"has no such image \(404"):
        open_source(address(rig) + reference, options)


def test_a_layer_that_the_registry_lost(rig: Rig, options: SourceOptions) -> None:
    lost = image([gzipped(tar({"manifests/lost.yaml": b"lost"}))])
    registry = rig.registries["open"]
    Push(registry.address).push(lost, "team/lost", "v1")
    layer = json.loads(lost.document)["layers"][0]["digest"].removeprefix("sha256:")
    stored = rig.directory / "registries" / "open" / "data/docker/registry/v2/blobs/sha256" / layer[:2] / layer / "data"
    stored.write_bytes(b"\0" * stored.stat().st_size)
    with pytest.raises(RegistryError, match="sent something else or not all of it"):
        open_source(f"docker://{registry.address}/team/lost:v1", options)
    assert not list(Path(str(options.cache_directory)).glob("*"))


def test_with_a_token_for_a_user(tokens: tuple[Registry, TokenServer], options: SourceOptions) -> None:
    registry, server = tokens
    given = replace(options, ca_cert=registry.ca_file, username=server.user, password=server.password)
    server.asked.clear()
    with open_source(f"docker://{registry.address}/private/bundle:v1", given) as source:
        assert content(source) == FILES
    assert server.asked == [server.basic]


def test_with_a_token_for_anybody(tokens: tuple[Registry, TokenServer], options: SourceOptions) -> None:
    registry, server = tokens
    server.asked.clear()
    given = replace(options, ca_cert=registry.ca_file)
    with open_source(f"docker://{registry.address}/public/bundle:v1", given) as source:
        assert content(source) == FILES
    assert server.asked == [None]


@pytest.mark.parametrize("password", [None, "wrong-secret"])
def test_refused_for_want_of_a_token(
    tokens: tuple[Registry, TokenServer], options: SourceOptions, password: str | None
) -> None:
    registry, server = tokens
    user = server.user if password else None
    given = replace(options, ca_cert=registry.ca_file, username=user, password=password)
    with pytest.raises(RegistryError, match=r"\(401\)") as caught:
        open_source(f"docker://{registry.address}/private/bundle:v1", given)
    assert "wrong-secret" not in str(caught.value)


CHILD = """
import sys
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
sys.stdin.read(1)
with open_source(sys.argv[1], SourceOptions(cache_directory=sys.argv[2])) as source:
    print((source.directory / "manifests" / "csv.yaml").read_text(), end="")
"""


def test_a_fleet_pulls_a_bundle_once(rig: Rig, options: SourceOptions, tmp_path: Path) -> None:
    wanted = image([gzipped(tar({**FILES, "padding": os.urandom(2 << 20)}))])
    registry = rig.registries["open"]
    Push(registry.address).push(wanted, "fleet/bundle", "v1")
    before = len(blob_requests(registry, "fleet/bundle"))
    reference = f"docker://{registry.address}/fleet/bundle:v1"
    children = [start_python(CHILD, reference, str(options.cache_directory)) for _number in range(6)]
    for process in children:
        assert process.stdin is not None
        process.stdin.write("x")
        process.stdin.flush()
    assert [process.communicate()[0] for process in children] == [FILES["manifests/csv.yaml"].decode()] * 6
    assert len(os.listdir(str(options.cache_directory))) == 1
    assert len(blob_requests(registry, "fleet/bundle")) - before == len(wanted.blobs)


def blob_requests(registry: Registry, repository: str) -> list[str]:
    """Blobs that were fetched, from the registry's own log."""
    return re.findall(rf'"GET /v2/{repository}/blobs/sha256:[0-9a-f]+', registry.process.log.read_text())
